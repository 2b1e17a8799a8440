/* Each name is asked about once for a command, whichever of its processes wants it, by whatever packets.
 *
 * A question stands while one of the processes that asked lives: who gave up waiting asks again, and finds the answer. */
#include <linux/time_types.h>

#include "held.h"
#include "names.h"
#include "processes.h"

enum state { FREE, UNTOLD, TOLD, GONE /* and not told yet */, GIVEN, REFUSED };

struct known_name {
    char name[NAME_TEXT_BYTES];
    enum state state;
    uint32_t number; /* as a held call */
    int pid;         /* of the task that asked first */
    int askers[ASKERS_MAX]; /* processes; 0: none */
    int64_t given_s;
    size_t count;
    struct found_address found[FOUND_MAX];
    int opened[FOUND_MAX];
};
static struct known_name table[NAMES_MAX];
static int used; /* entries from there on were never used */

static int64_t now_s(void) {
    struct __kernel_timespec now;
    sys(clock_gettime, 7 /* CLOCK_BOOTTIME */, &now);
    return now.tv_sec;
}

static int is_open_question(const struct known_name *known) { return known->state == UNTOLD || known->state == TOLD; }

static struct known_name *find(const char *name) {
    for (int i = 0; i < used; i++)
        if (table[i].state != FREE && same_text(table[i].name, name)) return &table[i];
    return 0;
}

static int is_below(const char *name, const char *domain) {
    size_t length = strlen(domain);
    return strlen(name) > length && memcmp(name, domain, length) == 0 && name[length] == '.';
}

static int has_dot(const char *name) {
    while (*name && *name != '.') name++;
    return *name != 0;
}

/* Who does not find `example.org` goes on with `example.org.` and each domain of its list (resolv.conf(5)). That is the same
 * matter, and decided. */
static struct known_name *find_shorter(const char *name) {
    for (int i = 0; i < used; i++) {
        int is_vain = table[i].state == REFUSED || (table[i].state == GIVEN && !table[i].count);
        if (is_vain && has_dot(table[i].name) && is_below(name, table[i].name)) return &table[i];
    }
    return 0;
}

static struct known_name *free_name(const char *name) {
    for (int i = 0; i < NAMES_MAX; i++) {
        if (table[i].state != FREE) continue;
        memset(&table[i], 0, sizeof table[i]);
        put_text(table[i].name, name);
        if (i >= used) used = i + 1;
        return &table[i];
    }
    return 0;
}

static void add_asker(struct known_name *known, int process) {
    for (int i = 0; process && i < ASKERS_MAX; i++) {
        if (known->askers[i] == process) return;
        if (known->askers[i] && is_alive(known->askers[i])) continue;
        known->askers[i] = process;
        return;
    }
}

static struct refusal refusal_of(const struct known_name *known) {
    return (struct refusal){OP_CONNECT, BY_NETWORK, EPERM, known->pid, 1, 0, "connect", "", known->name};
}

static void tell(struct known_name *known) {
    if (known->state == GONE) {
        if (report_let_go(known->number)) known->state = FREE;
        return;
    }
    struct refusal refusal = refusal_of(known);
    if (report_held(known->number, &refusal, "")) known->state = TOLD;
}

static void ask(struct known_name *known, int pid) {
    known->number = next_held_number();
    known->pid = pid;
    memset(known->askers, 0, sizeof known->askers);
    known->state = UNTOLD;
    tell(known);
}

/* What has become old is looked up anew, which takes no question where it was allowed. */
static int is_stale(const struct supervisor *supervisor, const struct known_name *known) {
    return known->state == GIVEN && supervisor->holds_calls && now_s() - known->given_s > NAME_FRESH_S;
}

enum decided decide_name(struct supervisor *supervisor, int pid, const char *name, const struct known_name **found) {
    struct known_name *known = find(name);
    if (!known) known = find_shorter(name);
    if (!known && supervisor->holds_calls && is_host_name(name)) known = free_name(name);
    if (!known) return NAME_REFUSED;
    *found = known;
    if (known->state == GONE) tell(known); /* the new question follows it */
    if (known->state == FREE || is_stale(supervisor, known)) ask(known, pid);
    if (known->state == GIVEN) return NAME_GIVEN;
    if (!is_open_question(known)) return NAME_REFUSED;
    add_asker(known, process_of(pid));
    return NAME_WAITS;
}

int is_given_name(const char *name) {
    const struct known_name *known = find(name);
    return known && known->state == GIVEN;
}

const char *text_of_name(const struct known_name *known) { return known->name; }

const struct found_address *addresses_of(const struct known_name *known, size_t *count) {
    *count = known->count;
    return known->found;
}

int waits_for_name(int pid) {
    int process = process_of(pid);
    for (int i = 0; process && i < used; i++)
        for (int at = 0; is_open_question(&table[i]) && at < ASKERS_MAX; at++)
            if (table[i].askers[at] == process) return 1;
    return 0;
}

static int is_at(const struct found_address *found, const struct host *endpoint) {
    return found->family == endpoint->family && memcmp(found->bytes, endpoint->address, sizeof endpoint->address) == 0;
}

const char *name_at(const struct host *endpoint) {
    for (int i = 0; i < used; i++)
        for (size_t at = 0; table[i].state != FREE && at < table[i].count; at++)
            if (table[i].opened[at] && is_at(&table[i].found[at], endpoint)) return table[i].name;
    return 0;
}

int is_found(const struct host *endpoint) {
    for (int i = 0; i < used; i++)
        for (size_t at = 0; table[i].state != FREE && at < table[i].count; at++)
            if (is_at(&table[i].found[at], endpoint)) return 1;
    return 0;
}

static int digit_of(char sign) {
    if (sign >= '0' && sign <= '9') return sign - '0';
    return sign >= 'a' && sign <= 'f' ? sign - 'a' + 10 : -1;
}

/* Returns what follows the address, or null. */
static const char *read_address(const char *at, struct found_address *found) {
    enum { INET_DIGITS = 8, INET6_DIGITS = 32 };
    size_t digits = 0;
    memset(found, 0, sizeof *found);
    for (; *at && *at != ' '; at++, digits++) {
        int digit = digit_of(*at);
        if (digit < 0 || digits >= INET6_DIGITS) return 0;
        found->bytes[digits / 2] = (uint8_t)(found->bytes[digits / 2] << 4 | digit);
    }
    found->family = digits == INET_DIGITS ? FAMILY_INET : FAMILY_INET6;
    return digits == INET_DIGITS || digits == INET6_DIGITS ? at : 0;
}

static int read_addresses(struct known_name *known, const char *at) {
    for (known->count = 0; *at == ' '; known->count++) {
        if (known->count == FOUND_MAX) return 0;
        known->opened[known->count] = at[1] != '-';
        at = read_address(at + 1 + (at[1] == '-'), &known->found[known->count]);
        if (!at) return 0;
    }
    return !*at;
}

int learn_name(const char *text) {
    char name[NAME_TEXT_BYTES];
    size_t length = 0;
    while (text[length] && text[length] != ' ') length++;
    if (length >= sizeof name) return 0;
    memcpy(name, text, length);
    name[length] = 0;
    struct known_name *known = find(name);
    if (!known) known = free_name(name);
    if (!known || !is_host_name(name)) return 0;
    if (!read_addresses(known, text + length)) {
        known->count = 0;
        return 0;
    }
    known->given_s = now_s();
    known->state = GIVEN;
    return add_grant(GRANT_HOST, name);
}

static void refuse(struct supervisor *supervisor, struct known_name *known) {
    struct refusal refusal = refusal_of(known);
    known->state = REFUSED;
    known->count = 0;
    report_refusal(&supervisor->tally, &refusal);
}

void names_answer(struct supervisor *supervisor, uint32_t number) {
    for (int i = 0; number && i < used; i++) {
        if (table[i].state == FREE || table[i].number != number) continue;
        if (table[i].state == GIVEN) tell_connected(supervisor, number, grant_named(GRANT_HOST, table[i].name), table[i].name, 0);
        else if (is_open_question(&table[i])) refuse(supervisor, &table[i]);
        table[i].number = 0;
    }
}

void names_refuse_all(struct supervisor *supervisor) {
    for (int i = 0; i < used; i++)
        if (is_open_question(&table[i])) refuse(supervisor, &table[i]);
}

int names_look_soon(void) {
    for (int i = 0; i < used; i++)
        if (is_open_question(&table[i])) return 1;
    return 0;
}

int names_want_to_tell(void) {
    for (int i = 0; i < used; i++)
        if (table[i].state == UNTOLD || table[i].state == GONE) return 1;
    return 0;
}

static int is_awaited(const struct known_name *known) {
    for (int i = 0; i < ASKERS_MAX; i++)
        if (known->askers[i] && is_alive(known->askers[i])) return 1;
    return 0;
}

void names_look(struct supervisor *supervisor) {
    (void)supervisor;
    for (int i = 0; i < used; i++) {
        if (is_open_question(&table[i]) && !is_awaited(&table[i])) table[i].state = table[i].state == TOLD ? GONE : FREE;
        if (table[i].state == UNTOLD || table[i].state == GONE) tell(&table[i]);
    }
}
