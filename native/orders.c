/* Reads answers: request, number of the call, count, then so many grants: kind, path with its zero byte.
 *
 * A damaged answer gives nothing, and is a no. */
#include "names.h"
#include "orders.h"

enum { NUMBER = sizeof(uint32_t), HEAD = 3 * NUMBER };

static uint32_t number_at(const unsigned char *at) {
    uint32_t number;
    memcpy(&number, at, sizeof number); /* both architectures are little endian */
    return number;
}

/* Returns the length of the grant at `bytes`, or 0. */
static size_t grant_length(const unsigned char *bytes, size_t length) {
    if (length < NUMBER + 2 || number_at(bytes) >= GRANT_KINDS) return 0;
    for (size_t at = NUMBER; at < length; at++)
        if (!bytes[at]) return at + 1;
    return 0;
}

static int is_whole(const unsigned char *bytes, size_t length, uint32_t count) {
    for (; count; count--) {
        size_t size = grant_length(bytes, length);
        if (!size) return 0;
        bytes += size;
        length -= size;
    }
    return length == 0;
}

static void add_grants(const unsigned char *bytes, size_t length, uint32_t count) {
    for (; count; count--) {
        size_t size = grant_length(bytes, length);
        const char *value = (const char *)bytes + NUMBER;
        enum grant_kind kind = (enum grant_kind)number_at(bytes);
        if (kind == GRANT_NAME) learn_name(value);
        else add_grant(kind, value);
        bytes += size;
        length -= size;
    }
}

int obey_order(struct supervisor *supervisor, const unsigned char *message, size_t length) {
    if (length < 2 * NUMBER) return 0;
    if (number_at(message) == REQUEST_STOP_HOLDING) {
        held_refuse_all(supervisor);
        names_refuse_all(supervisor);
    } else if (number_at(message) != REQUEST_ANSWER || length < HEAD) return 0;
    else {
        uint32_t count = number_at(message + 2 * NUMBER);
        if (is_whole(message + HEAD, length - HEAD, count)) add_grants(message + HEAD, length - HEAD, count);
        held_answer(supervisor, number_at(message + NUMBER));
        names_answer(supervisor, number_at(message + NUMBER));
    }
    return 1;
}

void take_plan_grants(struct supervisor *supervisor) {
    const struct plan *plan = &supervisor->sandbox->plan;
    supervisor->holds_calls = (plan->flags & PLAN_HOLDS_CALLS) != 0;
    for (uint32_t i = 0; i < plan->grant_count; i++) add_grant(plan->grants[i].kind, plan->grants[i].path);
}
