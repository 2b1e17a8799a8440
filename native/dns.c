/* Reads a question and writes its reply: RFC 1035, 4.1; AAAA: RFC 3596.
 *
 * A reply repeats the question, byte for byte, as some who ask vary the case of its letters and compare. What a question
 * brings along behind that, such as the size of replies it can take (RFC 6891), is not answered: ours are small. */
#include "dns.h"

enum { HEADER_BYTES = 12, LABEL_MAX = 63, CLASS_INTERNET = 1, TYPE_A = 1, TYPE_AAAA = 28 };
enum { IS_REPLY = 0x80, KIND_OF_QUESTION = 0x78, CUT_OFF = 0x02, WISHED = 0x01, CAN_RECURSE = 0x80 };
enum { INET = 2, INET_BYTES = 4, INET6_BYTES = 16, POINTER_TO_NAME = 0xc000 | HEADER_BYTES };

static uint16_t word_at(const uint8_t *at) { return (uint16_t)(at[0] << 8 | at[1]); }

static uint8_t *put_word(uint8_t *at, unsigned int word) {
    at[0] = (uint8_t)(word >> 8);
    at[1] = (uint8_t)word;
    return at + 2;
}

static char lower(uint8_t letter) { return (char)(letter >= 'A' && letter <= 'Z' ? letter + 32 : letter); }

/* Where the name ends, or 0. A question's name needs no pointers (4.1.4), so there are none to go round in. */
static size_t read_name(const uint8_t *packet, size_t length, char name[NAME_TEXT_BYTES]) {
    size_t at = HEADER_BYTES, written = 0;
    while (at < length && packet[at]) {
        size_t label = packet[at++];
        if (label > LABEL_MAX || at + label > length || written + label + 1 >= NAME_TEXT_BYTES) return 0;
        if (written) name[written++] = '.';
        for (; label; label--, at++) {
            if (packet[at] <= ' ' || packet[at] > '~') return 0;
            name[written++] = lower(packet[at]);
        }
    }
    name[written] = 0;
    return at < length && written > 0 ? at + 1 : 0;
}

int read_question(const uint8_t *packet, size_t length, struct question *question) {
    if (length <= HEADER_BYTES || (packet[2] & (IS_REPLY | KIND_OF_QUESTION)) || word_at(packet + 4) != 1) return 0;
    size_t at = read_name(packet, length, question->name);
    question->end = at && at + 4 <= length ? at + 4 : 0;
    question->type = question->end ? word_at(packet + at) : 0;
    question->class = question->end ? word_at(packet + at + 2) : 0;
    return at != 0;
}

int asks_for_address(const struct question *question) {
    return question->class == CLASS_INTERNET && (question->type == TYPE_A || question->type == TYPE_AAAA);
}

static int is_plain(char sign) {
    return (sign >= 'a' && sign <= 'z') || (sign >= '0' && sign <= '9') || sign == '-' || sign == '_';
}

int is_host_name(const char *name) {
    for (const char *at = name; *at; at++)
        if (!is_plain(*at) && (*at != '.' || at == name || at[-1] == '.' || !at[1])) return 0;
    return *name != 0;
}

static uint8_t *put_record(uint8_t *at, const struct question *question, const struct found_address *found) {
    unsigned int size = found->family == INET ? INET_BYTES : INET6_BYTES;
    at = put_word(at, POINTER_TO_NAME);
    at = put_word(put_word(at, question->type), question->class);
    at = put_word(put_word(at, 0), ANSWER_LIFE_S);
    at = put_word(at, size);
    memcpy(at, found->bytes, size);
    return at + size;
}

size_t write_rejection(const uint8_t *packet, size_t length, uint8_t bytes[REPLY_BYTES_MAX]) {
    if (length < HEADER_BYTES || (packet[2] & IS_REPLY)) return 0;
    memset(bytes, 0, HEADER_BYTES);
    memcpy(bytes, packet, 2);
    bytes[2] = (uint8_t)(IS_REPLY | (packet[2] & (KIND_OF_QUESTION | WISHED)));
    bytes[3] = CAN_RECURSE | REPLY_UNREADABLE;
    return HEADER_BYTES;
}

size_t write_reply(const uint8_t *packet, const struct question *question, enum reply reply,
                   const struct found_address found[], size_t count, uint8_t bytes[REPLY_BYTES_MAX]) {
    uint16_t answers = 0;
    memcpy(bytes, packet, question->end);
    bytes[2] = (uint8_t)(IS_REPLY | (packet[2] & WISHED) | (reply == REPLY_BY_STREAM ? CUT_OFF : 0));
    bytes[3] = (uint8_t)(CAN_RECURSE | (reply == REPLY_BY_STREAM ? 0 : (unsigned int)reply));
    uint8_t *at = bytes + question->end;
    for (size_t i = 0; i < count; i++) {
        if ((found[i].family == INET) != (question->type == TYPE_A)) continue;
        at = put_record(at, question, &found[i]);
        answers++;
    }
    put_word(bytes + 6, answers);
    put_word(put_word(bytes + 8, 0), 0);
    return (size_t)(at - bytes);
}
