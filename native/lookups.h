/* Names that a command looks up while the network is off. */
#ifndef SANDGATE_LOOKUPS_H
#define SANDGATE_LOOKUPS_H

#include "connects.h"
#include "plan.h"

enum { LOOKUPS_MAX = 64 }; /* sockets asked by at one time; one more is refused by its address */
enum { NAME_TEXT_BYTES = 256 /* RFC 1035: a name has 255 octets */ };

/* The name that a question to a name server is about (RFC 1035, 4.1.2), or 0. */
int read_question(const uint8_t *packet, size_t length, char name[NAME_TEXT_BYTES]);
/* The same, of a packet in the task's memory. */
int read_question_of(int pid, uint64_t address, uint64_t length, char name[NAME_TEXT_BYTES]);

/* Lets the task ask us instead of the server: its socket becomes one end of a pair. Returns ANSWERED, or 0 when this
 * cannot be done. */
int listen_to_lookup(struct supervisor *supervisor, const struct attempt *attempt, int original, const char *server);

unsigned int lookups_watch(struct pollfd watched[LOOKUPS_MAX]);
/* Tells what was asked for; the answer is an end of file. */
void lookups_settle(struct supervisor *supervisor);

#endif
