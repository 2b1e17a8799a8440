/* The table of held calls: seccomp_unotify(2); descriptors handed in by SECCOMP_ADDFD_FLAG_SEND (Linux 5.14).
 *
 * A call stays in the kernel until we answer, and nothing of it is read again. Before Linux 5.19 a signal makes the kernel
 * start it anew: the same task then comes with the same call, which takes the place of the first. */
#include <linux/ioctl.h>
#include <linux/seccomp.h>
#include <linux/stat.h>

#include <asm/socket.h>

#include "borrowed.h"
#include "held.h"
#include "own_sockets.h"

enum state { FREE, UNTOLD, TOLD, GONE /* and not told yet */ };

struct held_call {
    enum state state;
    uint32_t number;
    uint64_t id;
    enum operation operation;
    enum refusing_layer layer;
    int error, manner, otherwise;
    const char *syscall;
    int reports_to; /* the refusal is about the new name */
};
static struct held_call table[HELD_MAX];
static struct deed deeds[HELD_MAX + 1]; /* the last one belongs to none: for calls that are carried out at once */
static uint32_t last_number;
static int end, waiting, untold; /* entries from `end` on are free; how many are not; how many are to be told of */

uint32_t next_held_number(void) { return ++last_number; }

/* Returns 0, or the errno that the command gets instead of the descriptor. */
static int hand_in(const struct supervisor *supervisor, uint64_t id, long fd, uint64_t flags) {
    struct seccomp_notif_addfd wanted = {
        .id = id, .flags = SECCOMP_ADDFD_FLAG_SEND, .srcfd = (uint32_t)fd, .newfd_flags = flags & O_CLOEXEC};
    long error = sys(ioctl, supervisor->listener, SECCOMP_IOCTL_NOTIF_ADDFD, &wanted);
    sys(close, fd);
    if (error >= 0) return 0;
    if (error != -ENOENT) answer_call(supervisor, id, (int)-error); /* no room for one more descriptor */
    return (int)-error;
}

static int deliver(const struct supervisor *supervisor, uint64_t id, const struct deed *deed, long result) {
    if (result >= 0 && deed->kind == DEED_OPEN) return hand_in(supervisor, id, result, deed->flags);
    answer_call(supervisor, id, result < 0 ? (int)-result : 0);
    return result < 0 ? (int)-result : 0;
}

/* Once for each grant and operation; of a held call always. */
static void tell_performed(struct supervisor *supervisor, const struct performed *performed, int grant) {
    static uint32_t told[GRANTS_MAX];
    uint32_t bit = 1U << performed->operation;
    if ((!performed->number && (told[grant] & bit)) || !report_performed(performed)) supervisor->tally.performed_omitted++;
    else told[grant] |= bit;
}

/* The file of the caller that the call is about, where it is about one: 0, or an errno. */
static int borrow(struct supervisor *supervisor, uint64_t id, struct deed *deed) {
    if (deed->descriptor < 0) return 0;
    deed->borrowed = borrow_socket(&(struct attempt){.pid = deed->pid, .fd = deed->descriptor});
    if (deed->borrowed < 0) return deed->borrowed;
    int is_one = deed->kind != DEED_BIND || number_option(deed->borrowed, SO_DOMAIN) == FAMILY_UNIX;
    if (is_one && is_held(supervisor, id)) return 0;
    sys(close, deed->borrowed);
    return -EINVAL;
}

static void give_back(const struct supervisor *supervisor, const struct deed *deed, long result) {
    if (deed->descriptor < 0) return;
    if (deed->kind == DEED_BIND && result == 0) remember_bound(&supervisor->sandbox->plan, deed);
    sys(close, deed->borrowed);
}

static long perform_borrowing(struct supervisor *supervisor, uint64_t id, struct deed *deed, int *grant) {
    int error = borrow(supervisor, id, deed);
    if (error) return NOT_WITHIN; /* closed meanwhile: then it fails by itself */
    long result = perform_within_grants(&supervisor->sandbox->plan, deed, grant);
    give_back(supervisor, deed, result);
    return result;
}

/* True when it was within the grants, and has its answer. */
static int perform(struct supervisor *supervisor, uint64_t id, uint32_t number, enum operation operation, struct deed *deed) {
    int grant = 0;
    if (!grants_count()) return 0;
    if (deed->kind == DEED_CONNECT) {
        struct attempt attempt = {.syscall = deed->sends ? "sendto" : "connect", .id = id, .pid = deed->pid, .fd = deed->descriptor, .number = number};
        return supervisor->connect_within_grants(supervisor, &attempt, deed);
    }
    long result = perform_borrowing(supervisor, id, deed, &grant);
    if (result == NOT_WITHIN) return 0;
    int error = deliver(supervisor, id, deed, result);
    tell_performed(supervisor, &(struct performed){number, operation, error, deed->at.path, deed->to.path}, grant);
    return 1;
}

static struct refusal refusal_of(int at, const char *path) {
    const struct held_call *held = &table[at];
    int connects = deeds[at].kind == DEED_CONNECT;
    return (struct refusal){held->operation, held->layer, held->error, deeds[at].pid, 1, held->manner, held->syscall,
                            connects ? "" : path, connects ? deeds[at].text : ""};
}

static void refuse(struct supervisor *supervisor, int at) {
    const struct held_call *held = &table[at];
    struct refusal refusal = refusal_of(at, held->reports_to ? deeds[at].to.path : deeds[at].at.path);
    report_refusal(&supervisor->tally, &refusal);
    answer_call(supervisor, held->id, held->otherwise);
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
    struct refusal refusal = refusal_of(at, deed->at.path);
    if (report_held(held->number, &refusal, deed->to.path)) set_state(at, TOLD);
}

static int is_same_call(const struct held_call *held, const struct refused_call *call, const struct deed *left, const struct deed *right) {
    return held->operation == call->refusal.operation && same_text(held->syscall, call->refusal.syscall) &&
           same_text(left->at.path, right->at.path) && same_text(left->to.path, right->to.path) &&
           (left->kind != DEED_CONNECT || same_text(left->text, right->text));
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
    table[at].number = next_held_number();
    table[at].id = call->id;
    table[at].operation = refusal->operation;
    table[at].layer = refusal->layer;
    table[at].error = refusal->error;
    table[at].otherwise = call->otherwise ? call->otherwise : refusal->error;
    table[at].manner = refusal->manner;
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

int carry_out_within_grants(struct supervisor *supervisor, const struct refused_call *call) {
    struct deed *deed = &deeds[HELD_MAX];
    if (!read_deed(supervisor, &call->wanted, deed) || !is_held(supervisor, call->id)) return 0;
    return perform(supervisor, call->id, 0, call->refusal.operation, deed);
}

int take_over(struct supervisor *supervisor, struct refused_call *call) {
    if (!takes_calls_over(supervisor)) return 0;
    int at = free_place();
    struct deed *deed = &deeds[at];
    if (!read_deed(supervisor, &call->wanted, deed) || !is_held(supervisor, call->id)) return 0;
    if (perform(supervisor, call->id, 0, call->refusal.operation, deed)) return 1;
    if (!supervisor->holds_calls || at == HELD_MAX || !could_be_allowed(&supervisor->sandbox->plan, deed)) return 0;
    if (!call->host_allows(supervisor, call->wanted.at)) return 0;
    if (call->wanted.to && !host_lets_change_entry(supervisor, call->wanted.to)) return 0;
    return hold(supervisor, call, at);
}

int is_granted_name(const struct supervisor *supervisor, const struct place *place) {
    static struct spot spot;
    if (!grants_count() || place->exists || !take_spot(&supervisor->sandbox->plan, place, &spot)) return 0;
    if (is_writable(&supervisor->sandbox->plan, place->path)) return 0;
    return permit_for(&supervisor->sandbox->plan, WISH_CREATE, &spot).grant >= 0;
}

long granted_access(const struct supervisor *supervisor, const struct place *place, int wanted) {
    static struct spot spot;
    if (!grants_count() || !take_spot(&supervisor->sandbox->plan, place, &spot)) return NOT_WITHIN;
    if (is_writable(&supervisor->sandbox->plan, place->path)) return NOT_WITHIN; /* the kernel knows */
    return access_within_grants(&supervisor->sandbox->plan, &spot, wanted);
}

void tell_connected(struct supervisor *supervisor, uint32_t number, int grant, const char *said, int error) {
    tell_performed(supervisor, &(struct performed){number, OP_CONNECT, error, said, ""}, grant);
}

/* What it is about is kept with the socket, which is compared when somebody has answered. */
static int read_connection(const struct attempt *attempt, const struct socket_address *address, const char *path,
                           const struct refusal *refusal, struct deed *deed) {
    if (strlen(refusal->address) >= sizeof deed->text || strlen(path) >= sizeof deed->at.path) return 0;
    deed->kind = DEED_CONNECT;
    deed->pid = attempt->pid;
    deed->descriptor = attempt->fd;
    deed->sends = is_send(attempt);
    deed->peer = *address;
    deed->at = (struct spot){.exists = 1, .type = S_IFSOCK};
    put_text(deed->at.path, path);
    deed->to.path[0] = 0;
    put_text(deed->text, refusal->address);
    deed->borrowed = borrow_socket(attempt);
    if (deed->borrowed < 0) return 0;
    deed->socket_inode = inode_of(deed->borrowed);
    sys(close, deed->borrowed);
    return deed->socket_inode != 0;
}

int take_connection_over(struct supervisor *supervisor, const struct attempt *attempt, const struct socket_address *address,
                         const char *path, const struct refusal *refusal, int otherwise) {
    if (!takes_calls_over(supervisor)) return 0;
    int at = free_place();
    if (!read_connection(attempt, address, path, refusal, &deeds[at]) || !is_held(supervisor, attempt->id)) return 0;
    if (perform(supervisor, attempt->id, 0, OP_CONNECT, &deeds[at])) return 1;
    if (!supervisor->holds_calls || at == HELD_MAX || !refusal->host_allows) return 0;
    struct refused_call call = {attempt->id, {__NR_connect, attempt->pid, 0, 0, 0}, *refusal, 0, otherwise};
    return hold(supervisor, &call, at);
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
        if (is_waiting(at) && !is_held(supervisor, table[at].id)) let_go(at);
        if (table[at].state == UNTOLD || table[at].state == GONE) tell(at);
    }
}

void held_answer(struct supervisor *supervisor, uint32_t number) {
    for (int at = 0; at < end; at++) {
        if (!is_waiting(at)) continue;
        uint32_t known_as = table[at].state == TOLD ? table[at].number : 0;
        if (!is_held(supervisor, table[at].id)) let_go(at);
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
