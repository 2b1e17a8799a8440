/* Hears which names a command looks up: resolver(3), RFC 1035, SECCOMP_IOCTL_NOTIF_ADDFD (Linux 5.9).
 *
 * With the network off a name server cannot be reached, and its address says nothing of what was wanted. So a socket that
 * is connected to one becomes one end of a pair of ours. No question ever leaves the machine. Where nobody may say yes,
 * the first is read, told, and answered by an end of file, upon which resolvers give up at once.
 *
 * Where somebody may, a datagram gets a reply at once that says: ask again over TCP (RFC 1035, 4.2.1). For a resolver's
 * clock runs while it waits for a reply, and stands while its connect(2) waits in the kernel. Once it is decided, the
 * connection is there, and the reply on it. Who has given up all the same, and asks again, finds the reply.
 *
 * The task's end of datagrams is a connected SOCK_SEQPACKET socket, which ignores addresses in sendmsg, cannot be connected
 * again, and has a name already: it can reach nothing else (unix(7)). Only our side is shut down: what the task still
 * sends is taken and dropped, so that nothing dies of SIGPIPE. */
#include <linux/ioctl.h>
#include <linux/seccomp.h>
#include <linux/time_types.h>

#include <asm/socket.h>

#include "held.h"
#include "hosts.h"
#include "lookups.h"
#include "names.h"

enum { UNIX = 1, STREAM = 1, PACKETS = 5 /* SOCK_SEQPACKET */, SHUT_WRITING = 1, SET_FLAGS = 4 /* F_SETFL */ };
enum { DRAINED_AT_ONCE = 16, SERVER_TEXT_BYTES = 64, LENGTH_BYTES = 2 /* before each message on a stream: 4.2.2 */ };
enum { WITHOUT_WAITING = 0x40 /* MSG_DONTWAIT */, WITHOUT_SIGNAL = 0x4000 /* MSG_NOSIGNAL */ };

struct lookup {
    int type; /* STREAM or PACKETS; 0: free */
    int ours, told, pid;
    char server[SERVER_TEXT_BYTES]; /* for packets that are no questions */
    int waits; /* of a stream: its question is read and not replied to */
    size_t filled;
    uint8_t bytes[LENGTH_BYTES + QUESTION_BYTES_MAX];
};
static struct lookup table[LOOKUPS_MAX];

struct waiting_connect {
    struct attempt attempt; /* its id is 0: free */
    char server[SERVER_TEXT_BYTES];
};
static struct waiting_connect connecting[LOOKUP_WAITS_MAX];

int read_question_of(int pid, uint64_t address, uint64_t length, struct question *question) {
    static uint8_t packet[QUESTION_BYTES_MAX];
    size_t wanted = length < sizeof packet ? (size_t)length : sizeof packet;
    return read_memory(pid, address, (char *)packet, wanted) == (long)wanted && read_question(packet, wanted, question);
}

static void tell_lookup(struct supervisor *supervisor, const struct lookup *lookup, const char *wanted) {
    struct refusal refusal = {OP_CONNECT, BY_NETWORK, EPERM, lookup->pid, 1, 0, "connect", "", wanted};
    report_refusal(&supervisor->tally, &refusal);
}

static int hand_over(struct supervisor *supervisor, const struct attempt *attempt, long flags, int theirs) {
    uint16_t no_name = UNIX; /* autobind: a socket without a name could take one */
    struct seccomp_notif_addfd gift = {
        .id = attempt->id, .flags = SECCOMP_ADDFD_FLAG_SETFD, .srcfd = (uint32_t)theirs, .newfd = (uint32_t)attempt->fd,
        .newfd_flags = (uint32_t)flags & O_CLOEXEC,
    };
    if (flags & O_NONBLOCK) sys(fcntl, theirs, SET_FLAGS, O_RDWR | O_NONBLOCK);
    if (sys(bind, theirs, &no_name, sizeof no_name) < 0) return 0;
    return sys(ioctl, supervisor->listener, SECCOMP_IOCTL_NOTIF_ADDFD, &gift) >= 0;
}

static struct lookup *free_lookup(void) {
    for (int i = 0; i < LOOKUPS_MAX; i++)
        if (!table[i].type) return &table[i];
    return 0;
}

static int listen_to(struct supervisor *supervisor, const struct attempt *attempt, int type, const char *server) {
    struct lookup *lookup = free_lookup();
    int pair[2];
    if (!lookup || sys(socketpair, UNIX, type | O_CLOEXEC, 0, pair) < 0) return 0;
    int given = hand_over(supervisor, attempt, descriptor_flags(attempt->pid, attempt->fd), pair[1]);
    sys(close, pair[1]);
    if (!given) {
        sys(close, pair[0]);
        return 0;
    }
    *lookup = (struct lookup){.type = type, .ours = pair[0], .pid = attempt->pid};
    put_text(lookup->server, server);
    answer_call(supervisor, attempt->id, 0);
    return ANSWERED;
}

int listen_to_lookup(struct supervisor *supervisor, const struct attempt *attempt, const char *server) {
    return strlen(server) < SERVER_TEXT_BYTES ? listen_to(supervisor, attempt, PACKETS, server) : 0;
}

static struct waiting_connect *free_connect(void) {
    for (int i = 0; i < LOOKUP_WAITS_MAX; i++)
        if (!connecting[i].attempt.id) return &connecting[i];
    return 0;
}

int listen_to_stream(struct supervisor *supervisor, const struct attempt *attempt, const char *server) {
    struct waiting_connect *entry = waits_for_name(attempt->pid) ? free_connect() : 0;
    if (strlen(server) >= SERVER_TEXT_BYTES) return 0;
    if (!entry) return listen_to(supervisor, attempt, STREAM, server);
    entry->attempt = *attempt;
    put_text(entry->server, server);
    return ANSWERED;
}

unsigned int lookups_watch(struct pollfd watched[LOOKUPS_MAX]) {
    unsigned int count = 0;
    for (int i = 0; i < LOOKUPS_MAX; i++)
        if (table[i].type) watched[count++] = (struct pollfd){.fd = table[i].ours, .events = table[i].waits ? 0 : POLLIN};
    return count;
}

int lookups_wait(void) {
    for (int i = 0; i < LOOKUP_WAITS_MAX; i++)
        if (connecting[i].attempt.id) return 1;
    for (int i = 0; i < LOOKUPS_MAX; i++)
        if (table[i].type && table[i].waits) return 1;
    return 0;
}

static void release(struct lookup *lookup) {
    sys(close, lookup->ours);
    lookup->type = 0;
}

/* What nobody may have: told, and no more is said on this socket. */
static void refuse(struct supervisor *supervisor, struct lookup *lookup, const char *wanted) {
    tell_lookup(supervisor, lookup, wanted);
    if (!lookup->told) sys(shutdown, lookup->ours, SHUT_WRITING);
    lookup->told = 1;
}

static void send_reply(struct lookup *lookup, uint8_t *message, size_t length) {
    uint8_t *from = message + LENGTH_BYTES;
    if (lookup->type == STREAM) {
        from = message;
        from[0] = (uint8_t)(length >> 8);
        from[1] = (uint8_t)length;
        length += LENGTH_BYTES;
    }
    /* Who does not read has no use for it. */
    sys(sendto, lookup->ours, from, length, WITHOUT_WAITING | WITHOUT_SIGNAL, 0, 0);
}

/* True when it has its reply, or none is to be had. */
static int reply_to(struct supervisor *supervisor, struct lookup *lookup, const uint8_t *packet, size_t length) {
    static uint8_t message[LENGTH_BYTES + REPLY_BYTES_MAX];
    struct question question;
    const struct known_name *known = 0;
    const struct found_address *found = 0;
    size_t count = 0;
    if (!read_question(packet, length, &question)) return refuse(supervisor, lookup, lookup->server), 1;
    if (!question.end) return refuse(supervisor, lookup, question.name), 1;
    enum reply reply = REPLY_NOT_DONE;
    if (asks_for_address(&question)) {
        enum decided decided = decide_name(supervisor, lookup->pid, question.name, &known);
        if (decided == NAME_REFUSED) return refuse(supervisor, lookup, question.name), 1;
        if (decided == NAME_WAITS && lookup->type == STREAM) return 0;
        if (decided == NAME_GIVEN) found = addresses_of(known, &count);
        reply = decided == NAME_WAITS ? REPLY_BY_STREAM : count ? REPLY_FOUND : REPLY_NO_SUCH_NAME;
    } else if (is_given_name(question.name)) {
        reply = REPLY_FOUND; /* it has nothing of that kind */
    } else if (supervisor->holds_calls) {
        tell_lookup(supervisor, lookup, question.name);
    } else {
        return refuse(supervisor, lookup, question.name), 1;
    }
    send_reply(lookup, message, write_reply(packet, &question, reply, found, count, message + LENGTH_BYTES));
    return 1;
}

static void hear_datagrams(struct supervisor *supervisor, struct lookup *lookup) {
    for (int i = 0; i < DRAINED_AT_ONCE; i++) {
        long length = sys(recvfrom, lookup->ours, lookup->bytes, QUESTION_BYTES_MAX, WITHOUT_WAITING, 0, 0);
        if (length == -EAGAIN) return;
        if (length <= 0) return release(lookup); /* the task has closed its end */
        reply_to(supervisor, lookup, lookup->bytes, (size_t)length);
    }
}

/* The bytes of the first message, or 0 while it is not whole. More than we read of one makes the connection useless. */
static size_t whole_message(const struct lookup *lookup) {
    size_t length = (size_t)(lookup->bytes[0] << 8 | lookup->bytes[1]);
    return lookup->filled >= LENGTH_BYTES && lookup->filled >= LENGTH_BYTES + length ? length : 0;
}

static int has_left(const struct lookup *lookup) {
    struct pollfd asked = {.fd = lookup->ours, .events = 0};
    struct __kernel_timespec now = {0, 0};
    return sys(ppoll, &asked, 1, &now, 0, 8) > 0;
}

/* Replies to what is whole; false when the rest has to wait. */
static int reply_in_turn(struct supervisor *supervisor, struct lookup *lookup) {
    for (size_t length; (length = whole_message(lookup)) != 0;) {
        if (!reply_to(supervisor, lookup, lookup->bytes + LENGTH_BYTES, length)) return 0;
        lookup->filled -= LENGTH_BYTES + length;
        for (size_t i = 0; i < lookup->filled; i++) lookup->bytes[i] = lookup->bytes[LENGTH_BYTES + length + i];
    }
    return 1;
}

static void hear_stream(struct supervisor *supervisor, struct lookup *lookup) {
    if (lookup->waits && has_left(lookup)) return release(lookup);
    for (int i = 0; i < DRAINED_AT_ONCE; i++) {
        lookup->waits = !reply_in_turn(supervisor, lookup);
        if (lookup->waits) return;
        size_t room = sizeof lookup->bytes - lookup->filled;
        long length = sys(recvfrom, lookup->ours, lookup->bytes + lookup->filled, room, WITHOUT_WAITING, 0, 0);
        if (length == -EAGAIN) return;
        if (length <= 0) return release(lookup); /* it is closed, or too long */
        lookup->filled += (size_t)length;
    }
}

/* Each once the process waits for nothing more, or is gone. */
static void settle_connects(struct supervisor *supervisor) {
    for (int i = 0; i < LOOKUP_WAITS_MAX; i++) {
        struct waiting_connect *entry = &connecting[i];
        if (!entry->attempt.id) continue;
        int awaited = is_held(supervisor, entry->attempt.id);
        if (awaited && waits_for_name(entry->attempt.pid)) continue;
        if (awaited && !listen_to(supervisor, &entry->attempt, STREAM, entry->server)) answer_call(supervisor, entry->attempt.id, ENOBUFS);
        entry->attempt.id = 0;
    }
}

void lookups_settle(struct supervisor *supervisor) {
    settle_connects(supervisor);
    for (int i = 0; i < LOOKUPS_MAX; i++) {
        if (table[i].type == PACKETS) hear_datagrams(supervisor, &table[i]);
        else if (table[i].type) hear_stream(supervisor, &table[i]);
    }
}
