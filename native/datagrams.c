/* Carries datagrams to a granted host and back: udp(7), SECCOMP_USER_NOTIF_FLAG_CONTINUE (Linux 5.5).
 *
 * What the task gets is a socket of a network in which there are the hosts' addresses and we (resolver_sockets.c). So
 * sendto may go on in the kernel, although the address in the task's memory may be another one by then: from that
 * socket no address leads to anybody else, and from any other of the task's the empty network leads nowhere.
 *
 * For each host that a socket sends to there is one end of ours, which hears that socket alone, and one socket in the
 * host's network, connected: it sends to that host and port, and hears nobody else. Nothing is kept here: what waits,
 * waits in the buffers of sockets, and is dropped there when they are full, as datagrams are. A host that does not
 * take them is silent. Nobody tells when a task has closed its socket; a reply finds that out. */
#include <linux/time_types.h>

#include <asm/socket.h>

#include "datagrams.h"
#include "held.h"
#include "resolver_sockets.h"

enum { DATAGRAM_TYPE = 2, UDP = 17, PROTOCOL = 38 /* SO_PROTOCOL */, LINK_LOCAL = 0xfe80, LINK_LOCAL_BITS = 0xffc0 };
enum { DATAGRAM_BYTES_MAX = 64 << 10, CARRIED_AT_ONCE = 16, FLUSH_ROUND_MS = 20, FLUSH_ROUNDS = 256 /* more than a full buffer takes */ };
enum { WITHOUT_WAITING = 0x4040 /* MSG_DONTWAIT | MSG_NOSIGNAL */ };

struct datagram_relay {
    int ours, outside; /* both 0: free */
    uint64_t given_inode;
    struct host host;
    uint32_t used; /* when last, counted in datagrams */
    int is_closed; /* at the task's end */
};
static struct datagram_relay table[DATAGRAM_RELAYS_MAX];
static uint32_t now;
static int relays_end; /* entries from there on were never used */

int is_udp(int socket) { return number_option(socket, SO_TYPE) == DATAGRAM_TYPE && number_option(socket, PROTOCOL) == UDP; }

int takes_relayed_datagrams(const struct host *endpoint) {
    const uint8_t *address = endpoint->address;
    if (!endpoint->port || is_unspecified(endpoint)) return 0;
    if (endpoint->family == FAMILY_INET) return address[0] < 224 /* groups, reserved, everybody: RFC 5771, RFC 1112, RFC 919 */;
    return address[0] != 0xff && (address[0] << 8 | (address[1] & (LINK_LOCAL_BITS & 0xff))) != LINK_LOCAL;
}

static struct datagram_relay *find(uint64_t inode, const struct host *endpoint) {
    for (int i = 0; i < relays_end; i++)
        if (table[i].ours && table[i].given_inode == inode && (!endpoint || memcmp(&table[i].host, endpoint, sizeof *endpoint) == 0))
            return &table[i];
    return 0;
}

int has_datagram_relay(int socket, const struct host *endpoint) { return relays_end && find(inode_of(socket), endpoint) != 0; }

static void release(struct datagram_relay *relay) {
    sys(close, relay->ours);
    sys(close, relay->outside);
    relay->ours = relay->outside = 0;
}

static struct datagram_relay *free_relay(void) {
    struct datagram_relay *oldest = table;
    for (int i = 0; i < DATAGRAM_RELAYS_MAX; i++) {
        if (!table[i].ours) {
            if (i >= relays_end) relays_end = i + 1;
            return &table[i];
        }
        if (now - table[i].used > now - oldest->used) oldest = &table[i];
    }
    release(oldest);
    return oldest;
}

/* In the host's network; the error is the one that the task would have. */
static int open_outside(const struct host *host) {
    struct socket_address address;
    put_address(&address, host);
    int outside = (int)sys(socket, host->family, DATAGRAM_TYPE | O_NONBLOCK | O_CLOEXEC, UDP);
    if (outside < 0) return outside;
    long error = sys(connect, outside, &address, address.length);
    if (error == 0) return outside;
    sys(close, outside);
    return (int)error;
}

static void close_all(const int ends[], size_t count) {
    for (size_t i = 0; i < count; i++) sys(close, ends[i]);
}

static int give(struct supervisor *supervisor, const struct attempt *attempt, enum resolver_kind kind, int original, int theirs) {
    if (kind == RESOLVER_SENDS_MORE) return 1; /* it has it */
    copy_option(original, theirs, SOL_SOCKET, SO_RCVTIMEO);
    copy_option(original, theirs, SOL_SOCKET, SO_SNDTIMEO);
    return put_in_place(supervisor, attempt, theirs);
}

static void answer(struct supervisor *supervisor, const struct attempt *attempt) {
    if (attempt->said) tell_connected(supervisor, attempt->number, attempt->grant, attempt->said, 0);
    if (is_send(attempt)) continue_call(supervisor, attempt->id);
    else answer_call(supervisor, attempt->id, 0);
}

int relay_datagrams(struct supervisor *supervisor, const struct attempt *attempt, int original, const struct socket_address *address) {
    struct host host;
    int ends[SOCKET_ENDS], is_more = is_send(attempt) && has_datagram_relay(original, 0);
    enum resolver_kind kind = is_more ? RESOLVER_SENDS_MORE : is_send(attempt) ? RESOLVER_SENDS : RESOLVER_ASKS;
    if (endpoint_of(address, &host) != 0) return EINVAL;
    int outside = open_outside(&host);
    if (outside < 0) return -outside;
    if (!make_resolver_ends(supervisor->sandbox, kind, original, address, ends)) {
        sys(close, outside);
        return ENOBUFS;
    }
    if (!give(supervisor, attempt, kind, original, ends[END_OF_TASK])) {
        sys(close, outside);
        close_all(ends, SOCKET_ENDS);
        return EINTR;
    }
    struct datagram_relay *relay = free_relay();
    *relay = (struct datagram_relay){ends[END_OF_OURS], outside, inode_of(ends[END_OF_TASK]), host, ++now, 0};
    sys(close, ends[END_OF_TASK]);
    answer(supervisor, attempt);
    return ANSWERED;
}

unsigned int datagrams_watch(struct pollfd watched[DATAGRAM_POLLS_MAX]) {
    unsigned int count = 0;
    for (int i = 0; i < relays_end; i++) {
        if (!table[i].ours) continue;
        watched[count++] = (struct pollfd){.fd = table[i].ours, .events = POLLIN};
        watched[count++] = (struct pollfd){.fd = table[i].outside, .events = POLLIN};
    }
    return count;
}

/* Returns the errno of reading that ended it, or 0 when there may be more. */
static int carry(struct datagram_relay *relay, int from, int to) {
    static char bytes[DATAGRAM_BYTES_MAX];
    for (int i = 0; i < CARRIED_AT_ONCE; i++) {
        long length = sys(recvfrom, from, bytes, sizeof bytes, WITHOUT_WAITING, 0, 0);
        if (length < 0) return (int)-length;
        relay->used = ++now;
        /* What is told there is about an earlier one, and this one was not sent: udp(7). */
        if (sys(sendto, to, bytes, length, WITHOUT_WAITING, 0, 0) == -ECONNREFUSED) sys(sendto, to, bytes, length, WITHOUT_WAITING, 0, 0);
    }
    return 0;
}

/* That the host takes no datagrams may be over soon; a socket that the task has closed does not come back. The error
 * comes before what was sent last. */
static void settle(struct datagram_relay *relay) {
    carry(relay, relay->outside, relay->ours);
    int error = carry(relay, relay->ours, relay->outside);
    if (error == ECONNREFUSED) {
        relay->is_closed = 1;
        error = carry(relay, relay->ours, relay->outside);
    }
    if (relay->is_closed && error == EAGAIN) release(relay);
}

void datagrams_settle(void) {
    for (int i = 0; i < relays_end; i++)
        if (table[i].ours) settle(&table[i]);
}

/* What was sent may be on its way to our end, in a queue of another processor. */
void datagrams_flush(void) {
    static struct pollfd watched[DATAGRAM_POLLS_MAX];
    struct __kernel_timespec round = {0, FLUSH_ROUND_MS * 1000000};
    for (int at = 0; at < FLUSH_ROUNDS; at++) {
        unsigned int count = 0;
        for (int i = 0; i < relays_end; i++)
            if (table[i].ours) watched[count++] = (struct pollfd){.fd = table[i].ours, .events = POLLIN};
        if (!count || sys(ppoll, watched, count, &round, 0, 8) <= 0) return;
        for (int i = 0; i < relays_end; i++)
            if (table[i].ours) settle(&table[i]);
    }
}
