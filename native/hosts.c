/* Connects to a granted host in the task's stead: seccomp_unotify(2), SECCOMP_IOCTL_NOTIF_ADDFD (Linux 5.9).
 *
 * The sandbox stays without a network, and no socket of the host's network ever enters it: such a socket could be
 * disconnected, bound, or pointed elsewhere. The supervisor connects a TCP socket of its own to the address it read
 * and compared itself, puts one end of a socket pair over the task's descriptor, and carries bytes between the two.
 *
 * The task's end can reach nothing else: a connected unix stream socket cannot be connected again (EISCONN), nor
 * disconnected or told to listen (EINVAL), and it has a name already, so it cannot take one among the host's abstract
 * names either (EINVAL). What shows: getpeername and getsockname tell no internet address, TCP options that cannot be
 * ignored are refused (EOPNOTSUPP), and a reset by the host arrives as an end. A descriptor that was duplicated or
 * registered with epoll before connecting keeps the old, unconnected socket.
 *
 * A task that does not wait gets its end at once, with the sending side filled up: it becomes writable when the
 * connection is there, or fails with ECONNRESET, as the filling was then never read. */
#include <linux/ioctl.h>
#include <linux/seccomp.h>
#include <linux/stat.h>
#include <linux/time_types.h>

#include <asm/socket.h>

#include "held.h"
#include "hosts.h"
#include "relay.h"

#ifndef SECCOMP_IOCTL_NOTIF_ADDFD
#error "kernel headers of Linux 5.9 or later are needed"
#endif

enum { UNIX = 1, STREAM = 1, TCP = 6, TCP_NO_DELAY = 1, SET_FLAGS = 4 /* F_SETFL */ };
enum { FILLING_MAX = 1 << 20, FLUSH_ROUND_MS = 50, FLUSH_ROUNDS = 40 };

enum stage { FREE_ENTRY, CONNECTING, CARRYING };

struct relay {
    enum stage stage;
    uint64_t id;           /* of the held call; 0: it was answered */
    int outside;           /* in the host's network */
    int inside, given;     /* the pair: our end, and the task's until it has it */
    int fd;                /* the number it gets in the task */
    uint32_t fd_flags, filled;
    struct lane out, in;
    uint64_t given_inode;
    uint32_t number; /* of the held call, and within which grant; nothing is said of the plan's own */
    int grant;
    char said[SAID_TEXT_BYTES];
};
static struct relay table[RELAYS_MAX];

int is_granted_host(const struct plan *plan, const struct host *endpoint) {
    for (uint32_t i = 0; i < plan->host_count; i++)
        if (memcmp(&plan->hosts[i], endpoint, sizeof *endpoint) == 0) return 1;
    return 0;
}

static int make_pair(struct relay *relay, int original) {
    int pair[2];
    uint16_t no_name = UNIX; /* autobind: unix(7) */
    long error = sys(socketpair, UNIX, STREAM | O_CLOEXEC, 0, pair);
    if (error < 0) return (int)error;
    relay->inside = pair[0];
    relay->given = pair[1];
    relay->given_inode = inode_of(pair[1]);
    copy_option(original, relay->given, SOL_SOCKET, SO_RCVTIMEO);
    copy_option(original, relay->given, SOL_SOCKET, SO_SNDTIMEO);
    if (relay->fd_flags & O_NONBLOCK) sys(fcntl, relay->given, SET_FLAGS, O_RDWR | O_NONBLOCK);
    return (int)sys(bind, relay->given, &no_name, sizeof no_name);
}

static void close_end(int *fd) {
    if (*fd >= 0) sys(close, *fd);
    *fd = -1;
}

static void drop(struct relay *relay) {
    close_end(&relay->outside);
    close_end(&relay->inside);
    close_end(&relay->given);
    relay->stage = FREE_ENTRY;
}

/* Until nothing more fits: then it is not ready to write for poll either. */
static void fill_up(struct relay *relay) {
    static const char filling[4096];
    for (long size = sizeof filling; size && relay->filled < FILLING_MAX;) {
        long sent = sys(sendto, relay->given, filling, size, 0x4040 /* MSG_DONTWAIT | MSG_NOSIGNAL */, 0, 0);
        if (sent > 0) relay->filled += (uint32_t)sent;
        else size /= 2;
    }
}

static int hand_in(struct supervisor *supervisor, struct relay *relay) {
    struct seccomp_notif_addfd gift = {
        .id = relay->id,
        .flags = SECCOMP_ADDFD_FLAG_SETFD,
        .srcfd = (uint32_t)relay->given,
        .newfd = (uint32_t)relay->fd,
        .newfd_flags = relay->fd_flags & O_CLOEXEC,
    };
    long given = sys(ioctl, supervisor->listener, SECCOMP_IOCTL_NOTIF_ADDFD, &gift);
    close_end(&relay->given);
    return given < 0 ? (int)-given : 0;
}

/* Hands the pair in and answers with `error`; the task may have gone meanwhile. */
static int give(struct supervisor *supervisor, struct relay *relay, int error) {
    int failed = hand_in(supervisor, relay);
    answer_call(supervisor, relay->id, failed ? failed : error);
    relay->id = 0;
    return failed;
}

static void connected(struct supervisor *supervisor, struct relay *relay, int error) {
    if (relay->said[0]) tell_connected(supervisor, relay->number, relay->grant, relay->said, error);
    if (relay->id && error) answer_call(supervisor, relay->id, error);
    if (error || (relay->id && give(supervisor, relay, 0) != 0)) {
        drop(relay);
        return;
    }
    lane_reset(&relay->out, relay->filled);
    lane_reset(&relay->in, 0);
    relay->stage = CARRYING;
}

static struct relay *free_entry(void) {
    for (int i = 0; i < RELAYS_MAX; i++)
        if (table[i].stage == FREE_ENTRY) return &table[i];
    return 0;
}

static int open_relay(struct relay *relay, const struct attempt *attempt, int original, int family) {
    relay->stage = CONNECTING;
    relay->id = attempt->id;
    relay->inside = relay->given = -1;
    relay->fd = attempt->fd;
    relay->fd_flags = descriptor_flags(attempt->pid, attempt->fd);
    relay->filled = 0;
    relay->number = attempt->number;
    relay->grant = attempt->grant;
    put_text(relay->said, attempt->said ? attempt->said : "");
    relay->outside = (int)sys(socket, family, STREAM | O_NONBLOCK | O_CLOEXEC, TCP);
    if (relay->outside < 0) return relay->outside;
    copy_option(original, relay->outside, SOL_SOCKET, SO_KEEPALIVE);
    /* Delaying small pieces is for the writer to decide, who cannot any more. */
    int yes = 1;
    sys(setsockopt, relay->outside, TCP, TCP_NO_DELAY, &yes, sizeof yes);
    return make_pair(relay, original);
}

int connect_on_behalf(struct supervisor *supervisor, const struct attempt *attempt, int original, const void *address,
                      size_t length) {
    struct relay *relay = free_entry();
    if (!relay) return ENOBUFS;
    int error = -open_relay(relay, attempt, original, *(const uint16_t *)address);
    if (!error) error = (int)-sys(connect, relay->outside, address, length);
    if (error && error != EINPROGRESS) {
        drop(relay);
        return error;
    }
    if (!error) {
        connected(supervisor, relay, 0);
    } else if (relay->fd_flags & O_NONBLOCK) {
        fill_up(relay);
        if (give(supervisor, relay, EINPROGRESS) != 0) drop(relay);
    }
    return ANSWERED;
}

static int is_given(uint64_t inode) {
    for (int i = 0; i < RELAYS_MAX; i++)
        if (table[i].stage != FREE_ENTRY && table[i].given_inode == inode) return 1;
    return 0;
}

/* How long to wait, when to ask whether the other side is there, what to send together: our side is set as it is, and
 * programs that take a refusal for a broken connection need not know. */
static int makes_no_difference(int option) {
    static const int options[] = {TCP_NO_DELAY, 3 /* TCP_CORK */, 4, 5, 6 /* TCP_KEEP* */, 12 /* TCP_QUICKACK */, 18 /* TCP_USER_TIMEOUT */};
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        if (options[i] == option) return 1;
    return 0;
}

int judge_option(struct supervisor *supervisor, uint64_t id, int pid, int fd, int option) {
    int socket = makes_no_difference(option) ? borrow_socket(&(struct attempt){.pid = pid, .fd = fd}) : -1;
    if (socket < 0) return 0;
    int given = is_given(inode_of(socket));
    sys(close, socket);
    if (!given) return 0;
    answer_call(supervisor, id, 0);
    return ANSWERED;
}

static short events_of(int reads, int writes) { return (short)((reads ? POLLIN : 0) | (writes ? POLLOUT : 0)); }

unsigned int hosts_watch(struct pollfd watched[RELAY_POLLS_MAX]) {
    unsigned int count = 0;
    for (int i = 0; i < RELAYS_MAX; i++) {
        struct relay *relay = &table[i];
        if (relay->stage == CONNECTING) watched[count++] = (struct pollfd){.fd = relay->outside, .events = POLLOUT};
        if (relay->stage != CARRYING) continue;
        /* A hang-up is always told: who could do nothing about it is not asked. */
        short inside = events_of(lane_wants_read(&relay->out), lane_wants_write(&relay->in));
        short outside = events_of(lane_wants_read(&relay->in), lane_wants_write(&relay->out));
        if (inside || relay->out.over) watched[count++] = (struct pollfd){.fd = relay->inside, .events = inside};
        if (outside) watched[count++] = (struct pollfd){.fd = relay->outside, .events = outside};
    }
    return count;
}

static short state_of(int fd, short events) {
    struct pollfd asked = {.fd = fd, .events = events};
    struct __kernel_timespec now = {0, 0};
    return sys(ppoll, &asked, 1, &now, 0, 8) > 0 ? asked.revents : 0;
}

static void carry(struct relay *relay) {
    lane_pump(&relay->out, relay->inside, relay->outside);
    lane_pump(&relay->in, relay->outside, relay->inside);
    if (!relay->out.over) return;
    if (relay->in.over || (state_of(relay->inside, 0) & POLLHUP)) drop(relay);
}

void hosts_settle(struct supervisor *supervisor) {
    for (int i = 0; i < RELAYS_MAX; i++) {
        struct relay *relay = &table[i];
        if (relay->stage == CARRYING) carry(relay);
        else if (relay->stage == CONNECTING && state_of(relay->outside, POLLOUT))
            connected(supervisor, relay, number_option(relay->outside, SO_ERROR));
    }
}

void hosts_flush(struct supervisor *supervisor) {
    static struct pollfd watched[RELAY_POLLS_MAX];
    struct __kernel_timespec round = {0, FLUSH_ROUND_MS * 1000000};
    for (int i = 0; i < RELAYS_MAX; i++)
        if (table[i].stage == CONNECTING) {
            if (table[i].said[0]) supervisor->tally.performed_omitted++;
            drop(&table[i]);
        }
    for (int i = 0; i < FLUSH_ROUNDS; i++) {
        unsigned int count = hosts_watch(watched);
        if (!count) return;
        sys(ppoll, watched, count, &round, 0, 8);
        hosts_settle(supervisor);
    }
}
