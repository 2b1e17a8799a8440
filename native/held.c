/* The table of held calls: seccomp_unotify(2); descriptors handed in by SECCOMP_ADDFD_FLAG_SEND (Linux 5.14).
 *
 * A call stays in the kernel until we answer, and nothing of it is read again. Before Linux 5.19 a signal makes the kernel
 * start it anew: the same task then comes with the same call, which takes the place of the first. */
#include <linux/ioctl.h>
#include <linux/seccomp.h>

#include "held.h"

enum state { FREE, UNTOLD, TOLD, GONE /* and not told yet */ };

struct held_call {
    enum state state;
    uint32_t number;
    uint64_t id;
    enum operation operation;
    enum refusing_layer layer;
    int error, exclusive;
    const char *syscall;
    int reports_to; /* the refusal is about the new name */
};
static struct held_call table[HELD_MAX];
static struct deed deeds[HELD_MAX + 1]; /* the last one belongs to none: for calls that are carried out at once */
static uint32_t last_number;
static int end, waiting, untold; /* entries from `end` on are free; how many are not; how many are to be told of */

static int is_valid(const struct supervisor *supervisor, uint64_t id) {
    return sys(ioctl, supervisor->listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) == 0;
}

static void answer(const struct supervisor *supervisor, uint64_t id, int error) {
    struct seccomp_notif_resp response = {.id = id, .error = -error};
    sys(ioctl, supervisor->listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
}

/* Returns 0, or the errno that the command gets instead of the descriptor. */
static int hand_in(const struct supervisor *supervisor, uint64_t id, long fd, uint64_t flags) {
    struct seccomp_notif_addfd wanted = {
        .id = id, .flags = SECCOMP_ADDFD_FLAG_SEND, .srcfd = (uint32_t)fd, .newfd_flags = flags & O_CLOEXEC};
    long error = sys(ioctl, supervisor->listener, SECCOMP_IOCTL_NOTIF_ADDFD, &wanted);
    sys(close, fd);
    if (error >= 0) return 0;
    if (error != -ENOENT) answer(supervisor, id, (int)-error); /* no room for one more descriptor */
    return (int)-error;
}

static int deliver(const struct supervisor *supervisor, uint64_t id, const struct deed *deed, long result) {
    if (result >= 0 && deed->kind == DEED_OPEN) return hand_in(supervisor, id, result, deed->flags);
    answer(supervisor, id, result < 0 ? (int)-result : 0);
    return result < 0 ? (int)-result : 0;
}

/* Once for each grant and operation; of a held call always. */
static void tell_performed(struct supervisor *supervisor, const struct performed *performed, int grant) {
    static uint32_t told[GRANTS_MAX];
    uint32_t bit = 1U << performed->operation;
    if ((!performed->number && (told[grant] & bit)) || !report_performed(performed)) supervisor->tally.performed_omitted++;
    else told[grant] |= bit;
}

/* True when it was within the grants, and has its answer. */
static int perform(struct supervisor *supervisor, uint64_t id, uint32_t number, enum operation operation, struct deed *deed) {
    int grant = 0;
    if (!grants_count()) return 0;
    long result = perform_within_grants(&supervisor->sandbox->plan, deed, &grant);
    if (result == NOT_WITHIN) return 0;
    int error = deliver(supervisor, id, deed, result);
    tell_performed(supervisor, &(struct performed){number, operation, error, deed->at.path, deed->to.path}, grant);
    return 1;
}

static void refuse(struct supervisor *supervisor, int at) {
    struct held_call *held = &table[at];
    const struct deed *deed = &deeds[at];
    const char *path = held->reports_to ? deed->to.path : deed->at.path;
    struct refusal refusal = {held->operation, held->layer, held->error, deed->pid, 1, held->exclusive, held->syscall, path, ""};
    report_refusal(&supervisor->tally, &refusal);
    answer(supervisor, held->id, held->error);
}

static void set_state(int at, enum state state) {
    enum state was = table[at].state;
    untold += (state == UNTOLD || state == GONE) - (was == UNTOLD || was == GONE);
    waiting += (state != FREE) - (was != FREE);
    table[at].state = state;
    if (state != FREE && at >= end) end = at + 1;
    while (end > 0 && table[end - 1].state == FREE) end--;
}

static int is_waiting(int at) { return table[at].state == UNTOLD || table[at].state == TOLD; }

/* Whom nobody was told of need not be let go. */
static void let_go(int at) { set_state(at, table[at].state == TOLD ? GONE : FREE); }

static void tell(int at) {
    const struct held_call *held = &table[at];
    const struct deed *deed = &deeds[at];
    if (held->state == GONE) {
        if (report_let_go(held->number)) set_state(at, FREE);
        return;
    }
    struct refusal refusal = {held->operation, held->layer, held->error, deed->pid, 1, held->exclusive, held->syscall, deed->at.path, ""};
    if (report_held(held->number, &refusal, deed->to.path)) set_state(at, TOLD);
}

static int is_same_call(const struct held_call *held, const struct refused_call *call, const struct deed *left, const struct deed *right) {
    return held->operation == call->refusal.operation && same_text(held->syscall, call->refusal.syscall) &&
           same_text(left->at.path, right->at.path) && same_text(left->to.path, right->to.path);
}

/* A task waits for one call at a time: an older one of its is over. True when this is that call, started anew. */
static int replaces_older(const struct refused_call *call, const struct deed *deed) {
    for (int at = 0; at < end; at++) {
        if (!is_waiting(at) || deeds[at].pid != call->wanted.pid || &deeds[at] == deed) continue;
        if (is_same_call(&table[at], call, &deeds[at], deed)) {
            table[at].id = call->id;
            return 1;
        }
        let_go(at);
    }
    return 0;
}

static int free_place(void) {
    for (int at = 0; waiting && at < end; at++)
        if (table[at].state == FREE) return at;
    return waiting ? end : 0;
}

static int hold(struct supervisor *supervisor, const struct refused_call *call, int at) {
    const struct refusal *refusal = &call->refusal;
    if (!note_parents(&supervisor->sandbox->plan, &deeds[at])) return 0;
    if (replaces_older(call, &deeds[at])) return 1;
    table[at].number = ++last_number;
    table[at].id = call->id;
    table[at].operation = refusal->operation;
    table[at].layer = refusal->layer;
    table[at].error = refusal->error;
    table[at].exclusive = refusal->exclusive;
    table[at].syscall = refusal->syscall;
    table[at].reports_to = deeds[at].kind == DEED_LINK;
    set_state(at, UNTOLD);
    tell(at);
    return 1;
}

/* A held call that no answer could make right would only waste somebody's time. */
static int could_be_allowed(const struct plan *plan, const struct deed *deed) {
    if (deed->kind == DEED_OPEN) return may_be_opened(plan, &deed->at, deed->flags);
    return !deed->to.path[0] || may_be_moved(plan, &deed->at, &deed->to);
}

int takes_calls_over(const struct supervisor *supervisor) { return supervisor->holds_calls || grants_count(); }

int take_over(struct supervisor *supervisor, struct refused_call *call) {
    if (!takes_calls_over(supervisor)) return 0;
    int at = free_place();
    struct deed *deed = &deeds[at];
    if (!read_deed(supervisor, &call->wanted, deed) || !is_valid(supervisor, call->id)) return 0;
    if (perform(supervisor, call->id, 0, call->refusal.operation, deed)) return 1;
    if (!supervisor->holds_calls || at == HELD_MAX || !could_be_allowed(&supervisor->sandbox->plan, deed)) return 0;
    if (!call->host_allows(supervisor, call->wanted.at)) return 0;
    if (call->wanted.to && !host_lets_change_entry(supervisor, call->wanted.to)) return 0;
    return hold(supervisor, call, at);
}

int held_look_soon(void) { return waiting > 0; }
int held_wants_to_tell(void) { return untold > 0; }

static int is_time_to_look(void) {
    static int64_t next_ms;
    struct __kernel_timespec now;
    sys(clock_gettime, 6 /* CLOCK_MONOTONIC_COARSE */, &now);
    int64_t now_ms = now.tv_sec * 1000 + now.tv_nsec / 1000000;
    if (now_ms < next_ms) return 0;
    next_ms = now_ms + HELD_LOOK_MS;
    return 1;
}

void held_look(struct supervisor *supervisor, int now) {
    if (!is_time_to_look() && !now) return;
    for (int at = 0; at < end; at++) {
        if (is_waiting(at) && !is_valid(supervisor, table[at].id)) let_go(at);
        if (table[at].state == UNTOLD || table[at].state == GONE) tell(at);
    }
}

void held_answer(struct supervisor *supervisor, uint32_t number) {
    for (int at = 0; at < end; at++) {
        if (!is_waiting(at)) continue;
        uint32_t known_as = table[at].state == TOLD ? table[at].number : 0;
        if (!is_valid(supervisor, table[at].id)) let_go(at);
        else if (perform(supervisor, table[at].id, known_as, table[at].operation, &deeds[at])) set_state(at, FREE);
        else if (table[at].number == number) {
            refuse(supervisor, at);
            set_state(at, FREE);
        }
    }
}

void held_refuse_all(struct supervisor *supervisor) {
    supervisor->holds_calls = 0;
    for (int at = 0; at < end; at++) {
        if (!is_waiting(at)) continue;
        refuse(supervisor, at);
        set_state(at, FREE);
    }
}
