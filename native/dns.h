/* Questions to name servers, and answers to them: RFC 1035. */
#ifndef SANDGATE_DNS_H
#define SANDGATE_DNS_H

#include "sys.h"

enum { NAME_SERVER_PORT = 53, NAME_TEXT_BYTES = 256 /* RFC 1035: a name has 255 octets */ };
enum { QUESTION_BYTES_MAX = 512 /* what is read of one */, REPLY_BYTES_MAX = 768 /* a question, and FOUND_MAX addresses */ };
enum { FOUND_MAX = 16 /* addresses of one name */, ANSWER_LIFE_S = 60 };

struct question {
    char name[NAME_TEXT_BYTES]; /* in lower case, without the dot at its end */
    uint16_t type, class;
    size_t end; /* of the question in the packet; 0: it is cut off behind the name */
};

struct found_address {
    uint16_t family; /* AF_INET or AF_INET6 */
    uint8_t bytes[16];
};

enum reply { REPLY_FOUND = 0, REPLY_UNREADABLE = 1, REPLY_NO_SUCH_NAME = 3, REPLY_NOT_DONE = 4, REPLY_REFUSED = 5, REPLY_BY_STREAM = 1 << 4 /* "ask again over TCP" */ };

/* False for what is no single question. */
int read_question(const uint8_t *packet, size_t length, struct question *question);
/* Whether it asks for addresses. */
int asks_for_address(const struct question *question);
/* Whether it is a name as hosts have it (RFC 952, RFC 1123), with underscores. */
int is_host_name(const char *name);
/* To what cannot be read: the length of the reply, 0 where not even that is possible. */
size_t write_rejection(const uint8_t *packet, size_t length, uint8_t bytes[REPLY_BYTES_MAX]);
/* The length of the reply to the question in `packet`, which has its end. */
size_t write_reply(const uint8_t *packet, const struct question *question, enum reply reply,
                   const struct found_address found[], size_t count, uint8_t bytes[REPLY_BYTES_MAX]);

#endif
