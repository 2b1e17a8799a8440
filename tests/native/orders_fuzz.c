/* Feeds orders.c with damaged answers, under the sanitizers. What an answer gives is checked as it is taken over: kinds that
 * are known, paths that end within the message, and as many as it says, or none. Usage: orders_fuzz ANSWER ROUNDS */
#include <stdio.h>
#include <stdlib.h>

#include "../../native/orders.c"

static const unsigned char *message;
static size_t message_length, touched;
static uint32_t given, answered, stopped;

static void demand(int holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "%s\n", what);
    abort();
}

int add_grant(enum grant_kind kind, const char *path) {
    const unsigned char *at = (const unsigned char *)path;
    demand(kind < GRANT_KINDS, "an unknown kind");
    demand(at >= message && at + strlen(path) < message + message_length, "a path that is not in the message");
    touched += strlen(path);
    given++;
    return 1;
}

int learn_name(const char *text) { return add_grant(GRANT_NAME, text); }

void names_answer(struct supervisor *supervisor, uint32_t number) {
    (void)supervisor;
    touched += number;
}

void names_refuse_all(struct supervisor *supervisor) { (void)supervisor; }

void held_answer(struct supervisor *supervisor, uint32_t number) {
    (void)supervisor;
    touched += number;
    answered++;
}

void held_refuse_all(struct supervisor *supervisor) {
    (void)supervisor;
    stopped++;
}

static void damage(unsigned char *bytes, size_t size) {
    for (long changes = random() % 4; changes > 0 && size; changes--) {
        size_t at = random() % 3 ? (size_t)random() % size : (size_t)random() % (size < 32 ? size : 32);
        bytes[at] = random() % 2 ? (unsigned char)random() : (unsigned char)(random() % 9);
    }
}

static int feed(const unsigned char *original, size_t length) {
    size_t size = random() % 4 ? length : (size_t)random() % (length + 1);
    unsigned char *bytes = malloc(size ? size : 1); /* exactly as long: one byte too far is seen */
    memcpy(bytes, original, size);
    damage(bytes, size);
    message = bytes;
    message_length = size;
    given = answered = stopped = 0;
    int obeyed = obey_order(0, bytes, size);
    demand(obeyed == (answered + stopped == 1), "obeyed without an answer, or answered without obeying");
    uint32_t count = size >= HEAD ? number_at(bytes + 2 * NUMBER) : 0;
    demand(!given || given == count, "some of the grants, but not all");
    free(bytes);
    return given > 0;
}

int main(int count, char **arguments) {
    FILE *file = count == 3 ? fopen(arguments[1], "rb") : 0;
    if (!file) return 2;
    static unsigned char original[ORDER_BYTES_MAX];
    size_t length = fread(original, 1, sizeof original, file);
    unsigned long accepted = 0, rounds = strtoul(arguments[2], 0, 10);
    srandom(1);
    for (unsigned long round = 0; round < rounds; round++) accepted += (unsigned long)feed(original, length);
    printf("%lu of %lu accepted\n", accepted, rounds);
    return 0;
}
