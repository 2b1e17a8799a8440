/* Feeds plan.c with damaged plans, under the sanitizers. What is said of the whole is set right again, so that damage reaches
 * the records; what survives parsing is read once from end to end. Usage: plan_fuzz PLAN ROUNDS */
#include <stdio.h>
#include <stdlib.h>

#include "../../native/plan.c"

int same_text(const char *left, const char *right) { return strcmp(left, right) == 0; }

char *put_text(char *at, const char *text) {
    size_t length = strlen(text);
    memcpy(at, text, length + 1);
    return at + length;
}

static struct plan parsed;
static volatile size_t touched;

static void read_list(const char *const *list, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) touched += strlen(list[i]);
}

static void read_everything(void) {
    read_list(parsed.argv, parsed.argv_count);
    read_list(parsed.env, parsed.env_count);
    read_list(parsed.absent.items, parsed.absent.count);
    read_list(parsed.sockets.items, parsed.sockets.count);
    for (uint32_t i = 0; i < parsed.mount_count; i++) {
        touched += strlen(parsed.mounts[i].path) - parsed.mounts[i].length;
        touched += plan_entry_for(&parsed, parsed.mounts[i].path) == 0;
        for (uint32_t at = 0; at < parsed.mounts[i].content_length; at++) touched += parsed.mounts[i].content[at];
        static char place[PATH_BYTES_MAX];
        if (plan_host_path(&parsed, parsed.mounts[i].path, place) == 0) touched += plan_seen_path(&parsed, place) == 0;
    }
    for (uint32_t i = 0; i < parsed.overlay_count; i++) {
        touched += strlen(parsed.overlays[i].lower) - parsed.overlays[i].lower_length;
        touched += strlen(parsed.overlays[i].upper) + strlen(parsed.overlays[i].work) + strlen(parsed.overlays[i].lent);
        touched += plan_overlay_of(&parsed, parsed.overlays[i].upper) + (uint32_t)plan_is_overlaid(&parsed, parsed.overlays[i].lower);
    }
    for (uint32_t i = 0; i < parsed.grant_count; i++) touched += strlen(parsed.grants[i].path) + parsed.grants[i].kind;
    for (uint32_t i = 0; i < parsed.expected_count; i++) touched += strlen(parsed.expected[i].path);
}

static void set_u32(unsigned char *at, uint32_t value) { memcpy(at, &value, 4); }

int main(int count, char **arguments) {
    FILE *file = count == 3 ? fopen(arguments[1], "rb") : 0;
    if (!file) return 2;
    unsigned char original[65536];
    size_t length = fread(original, 1, sizeof original, file);
    unsigned long accepted = 0, rounds = strtoul(arguments[2], 0, 10);
    srandom(1);
    for (unsigned long round = 0; round < rounds; round++) {
        size_t size = random() % 4 ? length : (size_t)random() % (length + 1);
        unsigned char *bytes = malloc(size ? size : 1); /* exactly as long: one byte too far is seen */
        memcpy(bytes, original, size);
        for (long changes = random() % 4; changes > 0 && size; changes--) bytes[(size_t)random() % size] = (unsigned char)random();
        if (size >= HEADER_BYTES) {
            set_u32(bytes + 8, (uint32_t)size);
            uint64_t whole = remainder_of(bytes + HEADER_BYTES, size - HEADER_BYTES);
            memcpy(bytes + 12, &whole, sizeof whole);
        }
        memset(&parsed, 0, offsetof(struct plan, argv));
        parsed.argv_count = parsed.env_count = parsed.mount_count = parsed.limit_count = parsed.host_count = 0;
        parsed.absent.count = parsed.sockets.count = parsed.expected_count = parsed.overlay_count = parsed.grant_count = 0;
        if (plan_parse(&parsed, bytes, size) == 0) accepted++, read_everything();
        free(bytes);
    }
    printf("%lu of %lu accepted\n", accepted, rounds);
    return 0;
}
