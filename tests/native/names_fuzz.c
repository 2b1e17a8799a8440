/* Feeds dns.c with damaged questions and names.c with damaged answers, under the sanitizers. What is replied to a question is
 * checked as its reader would: it repeats the question, and its records fill it exactly. Usage: names_fuzz QUESTION ANSWER ROUNDS */
#include <stdio.h>
#include <stdlib.h>

#include "../../native/dns.c"
#include "../../native/names.c"

static unsigned long learned;

static void demand(int holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "%s\n", what);
    abort();
}

int same_text(const char *left, const char *right) {
    for (; *left && *left == *right; left++) right++;
    return *left == *right;
}

char *put_text(char *at, const char *text) {
    while ((*at = *text++)) at++;
    return at;
}

uint32_t next_held_number(void) { return 1; }
int process_of(int pid) { return pid; }
int is_alive(int process) { return process > 0; }
int report_let_go(uint32_t number) { return number != 0; }
int grant_named(enum grant_kind kind, const char *value) { return kind == GRANT_HOST && *value; }

int report_held(uint32_t number, const struct refusal *refusal, const char *other_path) {
    demand(is_host_name(refusal->address), "somebody is asked about what is no name of a host");
    return number && !*other_path;
}

void report_refusal(struct tally *tally, const struct refusal *refusal) {
    (void)tally;
    (void)refusal;
}

void tell_connected(struct supervisor *supervisor, uint32_t number, int grant, const char *said, int error) {
    (void)supervisor;
    demand(number && grant >= 0 && *said && !error, "a name that was not given");
}

int add_grant(enum grant_kind kind, const char *path) {
    demand(kind == GRANT_HOST && is_host_name(path), "a grant that is no name of a host");
    learned++;
    return 1;
}

static void damage(uint8_t *bytes, size_t size) {
    for (long changes = random() % 5; changes > 0 && size; changes--) bytes[(size_t)random() % size] = (uint8_t)random();
}

static uint8_t *damaged(const uint8_t *original, size_t length, size_t *size) {
    *size = random() % 4 ? length : (size_t)random() % (length + 1);
    uint8_t *bytes = malloc(*size ? *size : 1); /* exactly as long: one byte too far is seen */
    memcpy(bytes, original, *size);
    damage(bytes, *size);
    return bytes;
}

static void check_reply(const struct question *question, const uint8_t *bytes, size_t length, size_t given) {
    size_t at = question->end, answers = (size_t)(bytes[6] << 8 | bytes[7]);
    demand(answers <= given, "more records than addresses");
    for (; answers; answers--) at += 12 + (size_t)(bytes[at + 10] << 8 | bytes[at + 11]);
    demand(at == length, "the records do not fill the reply");
}

static int feed_question(const uint8_t *original, size_t length, const struct found_address found[], size_t count) {
    static uint8_t reply[REPLY_BYTES_MAX];
    struct question question;
    size_t size;
    uint8_t *bytes = damaged(original, length, &size);
    int is_read = read_question(bytes, size, &question), is_whole = is_read && question.end;
    if (is_whole) check_reply(&question, reply, write_reply(bytes, &question, REPLY_FOUND, found, count, reply), count);
    else demand(write_rejection(bytes, size, reply) <= HEADER_BYTES, "a rejection that is long");
    if (is_whole && asks_for_address(&question)) {
        struct supervisor supervisor = {.holds_calls = 1};
        const struct known_name *known = 0;
        decide_name(&supervisor, 1, question.name, &known);
    }
    free(bytes);
    return is_whole;
}

static void feed_answer(const uint8_t *original, size_t length) {
    size_t size;
    uint8_t *text = damaged(original, length, &size);
    if (size) text[size - 1] = 0;
    if (size) learn_name((const char *)text);
    free(text);
    for (int i = 0; i < NAMES_MAX; i++) demand(table[i].count <= FOUND_MAX, "more addresses than there is room for");
    if (random() % 64 == 0) memset(table, 0, sizeof table);
}

static size_t read_file(const char *path, uint8_t *bytes, size_t room) {
    FILE *file = fopen(path, "rb");
    size_t length = file ? fread(bytes, 1, room, file) : 0;
    if (file) fclose(file);
    return length;
}

int main(int count, char **arguments) {
    static uint8_t question[QUESTION_BYTES_MAX], answer[2048];
    static struct found_address found[FOUND_MAX];
    if (count != 4) return 2;
    size_t question_length = read_file(arguments[1], question, sizeof question), answer_length = read_file(arguments[2], answer, sizeof answer);
    for (size_t i = 0; i < FOUND_MAX; i++) found[i].family = i % 2 ? FAMILY_INET : FAMILY_INET6;
    unsigned long rounds = strtoul(arguments[3], 0, 10), read = 0;
    srandom(1);
    for (unsigned long round = 0; round < rounds; round++) {
        read += (unsigned long)feed_question(question, question_length, found, (size_t)random() % (FOUND_MAX + 1));
        feed_answer(answer, answer_length);
    }
    printf("%lu %lu of %lu\n", read, learned, rounds);
    return 0;
}
