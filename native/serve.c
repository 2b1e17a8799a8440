/* Shows a port of a sandbox's network at a socket of the host's: setns(2), network_namespaces(7).
 *
 * A socket belongs to the network it was made in, whoever uses it. So this process goes into the sandbox's network for
 * good, with a listening socket that Sandgate made on the host's loopback: who is accepted there is connected, from
 * within, to the port inside, and bytes are carried. Nothing of the host's gets into the sandbox but these bytes, and
 * nothing that runs inside sees this process. It ends with Sandgate's end of the status socket. */
#include <linux/poll.h>

#include <asm/socket.h>

#include "relay.h"
#include "report.h"
#include "serve.h"

enum { INET = 2, INET6 = 10, STREAM = 1, TCP = 6, NON_BLOCKING = O_NONBLOCK | O_CLOEXEC };
enum { NO_DELAY = 1, KEEP_IDLE = 4, IDLE_S = 60 }; /* a peer that is gone is found out, and gives back its entry */
enum { DESCRIPTORS = NETWORK_PARTS + 1 };

enum stage { FREE_ENTRY, CONNECTING, CARRYING };

struct served {
    enum stage stage;
    int outside, inside;
    int family; /* tried last */
    struct lane in, out;
};
static struct served table[SERVED_MAX];

static void set_number(int fd, int level, int option, int value) {
    sys(setsockopt, fd, level, option, &value, sizeof value);
}

/* With a reset: who is cut off must not take it for an end. */
static void cut(struct served *one) {
    int at_once[2] = {1, 0}; /* struct linger */
    int ends[2] = {one->outside, one->inside};
    for (int i = 0; i < 2; i++) {
        if (ends[i] < 0) continue;
        sys(setsockopt, ends[i], SOL_SOCKET, SO_LINGER, at_once, sizeof at_once);
        sys(close, ends[i]);
    }
    one->stage = FREE_ENTRY;
}

static void finish(struct served *one) {
    sys(close, one->outside);
    sys(close, one->inside);
    one->stage = FREE_ENTRY;
}

static void tell(enum serving what) {
    uint32_t packet[2] = {PACKET_SERVING, what};
    sys(sendto, STATUS_FD, packet, sizeof packet, 0x4040 /* MSG_DONTWAIT | MSG_NOSIGNAL */, 0, 0);
}

static int error_of(int fd) {
    int value = 0, size = sizeof value;
    long error = sys(getsockopt, fd, SOL_SOCKET, SO_ERROR, &value, &size);
    return error < 0 ? (int)-error : value;
}

static long connect_loopback(int fd, int family, uint16_t port) {
    uint16_t swapped = (uint16_t)(port << 8 | port >> 8);
    struct {
        uint16_t family, port;
        uint8_t address[4], rest[8];
    } inet = {INET, swapped, {127, 0, 0, 1}, {0}};
    struct {
        uint16_t family, port;
        uint32_t flow;
        uint8_t address[16];
        uint32_t scope;
    } inet6 = {INET6, swapped, 0, {[15] = 1}, 0};
    return family == INET ? sys(connect, fd, &inet, sizeof inet) : sys(connect, fd, &inet6, sizeof inet6);
}

/* A server listens on one of the two, or on both. */
static void connect_inside(struct served *one, uint16_t port) {
    while (one->family != INET6) {
        one->family = one->family == INET ? INET6 : INET;
        if (one->inside >= 0) sys(close, one->inside);
        one->inside = (int)sys(socket, one->family, STREAM | NON_BLOCKING, TCP);
        if (one->inside < 0) continue;
        long error = connect_loopback(one->inside, one->family, port);
        if (error == 0 || error == -EINPROGRESS) return;
    }
    static int told;
    if (!told) tell(SERVING_NOBODY);
    told = 1;
    cut(one);
}

static struct served *free_entry(void) {
    for (int i = 0; i < SERVED_MAX; i++)
        if (table[i].stage == FREE_ENTRY) return &table[i];
    return 0;
}

static void take_in(int listener, uint16_t port) {
    struct served *one = free_entry();
    long outside = sys(accept4, listener, 0, 0, NON_BLOCKING);
    if (outside < 0) return;
    one->outside = (int)outside;
    one->inside = -1;
    one->family = 0;
    one->stage = CONNECTING;
    set_number(one->outside, SOL_SOCKET, SO_KEEPALIVE, 1);
    set_number(one->outside, TCP, KEEP_IDLE, IDLE_S);
    set_number(one->outside, TCP, NO_DELAY, 1);
    connect_inside(one, port);
}

static void connected(struct served *one, uint16_t port) {
    if (error_of(one->inside)) return connect_inside(one, port);
    set_number(one->inside, TCP, NO_DELAY, 1);
    lane_reset(&one->in, 0);
    lane_reset(&one->out, 0);
    one->stage = CARRYING;
}

static void carry(struct served *one, short outside) {
    if (outside & POLLERR || (outside & POLLHUP && one->in.ended)) return cut(one);
    lane_pump(&one->in, one->outside, one->inside);
    lane_pump(&one->out, one->inside, one->outside);
    if ((one->in.over && !one->in.ended) || (one->out.over && !one->out.ended)) return cut(one);
    if (one->in.over && one->out.over) finish(one);
}

static short events_of(const struct lane *read, const struct lane *write) {
    return (short)((lane_wants_read(read) ? POLLIN : 0) | (lane_wants_write(write) ? POLLOUT : 0));
}

/* Two places for each entry: outside, inside. */
static void watch_all(struct pollfd watched[]) {
    for (int i = 0; i < SERVED_MAX; i++) {
        struct served *one = &table[i];
        struct pollfd *outside = &watched[2 * i], *inside = outside + 1;
        *outside = *inside = (struct pollfd){.fd = -1};
        if (one->stage == CONNECTING) *inside = (struct pollfd){.fd = one->inside, .events = POLLOUT};
        if (one->stage != CARRYING) continue;
        /* A hang-up is told to whoever looks: who wants nothing there would be told without end. */
        short wanted = events_of(&one->in, &one->out);
        if (wanted) *outside = (struct pollfd){.fd = one->outside, .events = wanted};
        wanted = events_of(&one->out, &one->in);
        if (wanted) *inside = (struct pollfd){.fd = one->inside, .events = wanted};
    }
}

static void settle_all(const struct pollfd watched[], uint16_t port) {
    for (int i = 0; i < SERVED_MAX; i++) {
        struct served *one = &table[i];
        short outside = watched[2 * i].revents, inside = watched[2 * i + 1].revents;
        if (one->stage == CONNECTING && inside) connected(one, port);
        else if (one->stage == CARRYING && (outside | inside)) carry(one, outside);
    }
}

static void serve(int listener, uint16_t port) {
    enum { STATUS, LISTENER, WATCHED };
    static struct pollfd watched[WATCHED + 2 * SERVED_MAX];
    for (;;) {
        watched[STATUS] = (struct pollfd){.fd = STATUS_FD, .events = POLLIN};
        watched[LISTENER] = (struct pollfd){.fd = free_entry() ? listener : -1, .events = POLLIN};
        watch_all(watched + WATCHED);
        sys(ppoll, watched, WATCHED + 2 * SERVED_MAX, 0, 0, 8);
        if (watched[STATUS].revents) return;
        settle_all(watched + WATCHED, port);
        if (watched[LISTENER].revents && free_entry()) take_in(listener, port);
    }
}

int serve_port(struct sandbox *sandbox, uint16_t port) {
    int given[DESCRIPTORS];
    int error = receive_descriptors(STATUS_FD, given, DESCRIPTORS);
    if (error < 0) return fail(sandbox, "receive network", "", error);
    memcpy(sandbox->lent, given, sizeof sandbox->lent);
    error = enter_network(sandbox);
    if (error < 0) return fail(sandbox, "enter network", "", error);
    error = drop_privileges();
    if (error < 0) return fail(sandbox, "drop privileges", "", error);
    tell(SERVING_READY);
    serve(given[NETWORK_PARTS], port);
    return 0;
}
