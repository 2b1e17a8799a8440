/* Hears which names a command looks up: resolver(3), RFC 1035, SECCOMP_IOCTL_NOTIF_ADDFD (Linux 5.9).
 *
 * With the network off a name server cannot be reached, and its address says nothing of what was wanted. So a socket that
 * is connected to one becomes one end of a pair of ours. No question ever leaves the machine. Where nobody may say yes,
 * the first is read, told, and answered by an end of file, upon which resolvers give up at once.
 *
 * Where somebody may, a datagram gets a reply at once that says: ask again over TCP (RFC 1035, 4.2.1). For a resolver's
 * clock runs while it waits for a reply, and stands while its connect(2) waits in the kernel. Once it is decided, the
 * connection is there, and the reply on it. Who has given up all the same, and asks again, finds the reply. Who sends
 * by address waits in sendto(2). Both have real sockets of datagrams (resolver_sockets.c).
 *
 * Where nobody may, the task's end of datagrams is a connected SOCK_SEQPACKET socket, which ignores addresses in sendmsg, cannot be connected
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
#include "resolver_sockets.h"

enum { UNIX = 1, STREAM = 1, DATAGRAMS = 2, PACKETS = 5 /* SOCK_SEQPACKET */, SHUT_WRITING = 1 };
enum { DRAINED_AT_ONCE = 16, SERVER_TEXT_BYTES = 64, LENGTH_BYTES = 2 /* before each message on a stream: 4.2.2 */ };
enum { WITHOUT_WAITING = 0x40 /* MSG_DONTWAIT */, WITHOUT_SIGNAL = 0x4000 /* MSG_NOSIGNAL */, CLOSED_BY_PEER = 0x2000 /* POLLRDHUP */ };

struct lookup {
    int type; /* STREAM, PACKETS, or DATAGRAMS, whose end nobody tells; 0: free */
    int ours, told, pid;
    enum reply no;        /* what its resolver takes for the end of the matter */
    uint32_t heard;       /* when, counted in lookups */
    uint64_t given_inode; /* of the task's end */
    char server[SERVER_TEXT_BYTES]; /* for packets that are no questions */
    int waits; /* of a stream: its question is read and not replied to */
    size_t filled;
    uint8_t bytes[LENGTH_BYTES + QUESTION_BYTES_MAX];
};
static struct lookup table[LOOKUPS_MAX];
static uint32_t heard;
static void settle_calls(struct supervisor *supervisor);

struct waiting_call {
    struct attempt attempt; /* its id is 0: free */
    char server[SERVER_TEXT_BYTES];
    struct socket_address address;
    size_t length; /* of what is sent; 0: a connection, which waits for whatever its process has asked */
    uint8_t packet[QUESTION_BYTES_MAX];
};
static struct waiting_call calls[LOOKUP_WAITS_MAX];
static int lookups_end, calls_end; /* entries from there on were never used */

static void tell_lookup(struct supervisor *supervisor, int pid, const char *wanted) {
    struct refusal refusal = {OP_CONNECT, BY_NETWORK, EPERM, pid, 1, 0, "connect", "", wanted};
    report_refusal(&supervisor->tally, &refusal);
}

static void release(struct lookup *lookup) {
    sys(close, lookup->ours);
    lookup->type = 0;
}

static struct lookup *free_lookup(void) {
    struct lookup *oldest = 0;
    for (int i = 0; i < LOOKUPS_MAX; i++) {
        if (!table[i].type) {
            if (i >= lookups_end) lookups_end = i + 1;
            return &table[i];
        }
        if (table[i].type == DATAGRAMS && (!oldest || table[i].heard < oldest->heard)) oldest = &table[i];
    }
    if (oldest) release(oldest);
    return oldest;
}

/* Takes over both ends. */
static struct lookup *listen_at(struct supervisor *supervisor, const struct attempt *attempt, int type, const int ends[SOCKET_ENDS], const char *server) {
    struct lookup *lookup = strlen(server) < SERVER_TEXT_BYTES ? free_lookup() : 0;
    uint64_t inode = inode_of(ends[END_OF_TASK]);
    int given = lookup && put_in_place(supervisor, attempt, ends[END_OF_TASK]);
    sys(close, ends[END_OF_TASK]);
    if (!given) {
        sys(close, ends[END_OF_OURS]);
        return 0;
    }
    *lookup = (struct lookup){.type = type, .ours = ends[END_OF_OURS], .pid = attempt->pid, .no = REPLY_REFUSED, .heard = ++heard, .given_inode = inode};
    put_text(lookup->server, server);
    return lookup;
}

/* A unix socket without a name could take one: so the task's gets one. */
static int listen_to_pair(struct supervisor *supervisor, const struct attempt *attempt, const char *server) {
    uint16_t no_name = UNIX; /* autobind */
    int ends[SOCKET_ENDS];
    if (sys(socketpair, UNIX, PACKETS | O_CLOEXEC, 0, ends) < 0) return 0;
    sys(bind, ends[END_OF_TASK], &no_name, sizeof no_name);
    return listen_at(supervisor, attempt, PACKETS, ends, server) != 0;
}

int listen_to_lookup(struct supervisor *supervisor, const struct attempt *attempt, int original,
                     const struct socket_address *address, const char *server) {
    int ends[SOCKET_ENDS];
    int is_real = supervisor->holds_calls && make_resolver_ends(supervisor->sandbox, RESOLVER_ASKS, original, address, ends);
    if (is_real ? !listen_at(supervisor, attempt, DATAGRAMS, ends, server) : !listen_to_pair(supervisor, attempt, server)) return 0;
    answer_call(supervisor, attempt->id, 0);
    return ANSWERED;
}

/* Null where there is no room. */
static struct waiting_call *new_call(const struct attempt *attempt, const struct socket_address *address, const char *server) {
    for (int i = 0; strlen(server) < SERVER_TEXT_BYTES && i < LOOKUP_WAITS_MAX; i++) {
        if (calls[i].attempt.id) continue;
        calls[i].attempt = *attempt;
        calls[i].address = *address;
        calls[i].length = 0;
        put_text(calls[i].server, server);
        if (i >= calls_end) calls_end = i + 1;
        return &calls[i];
    }
    return 0;
}

static int is_turned_to_us(const struct lookup *lookup, int socket) {
    return lookup->type == DATAGRAMS && lookup->given_inode == inode_of(socket);
}

/* The task's socket, which is one end of ours from now on; null when that cannot be. */
static struct lookup *turn_to_us(struct supervisor *supervisor, const struct waiting_call *call, enum resolver_kind kind, int type) {
    int ends[SOCKET_ENDS], socket = borrow_socket(&call->attempt);
    struct lookup *lookup = 0;
    if (socket < 0) return 0;
    for (int i = 0; kind == RESOLVER_SENDS && i < lookups_end; i++)
        if (is_turned_to_us(&table[i], socket)) lookup = &table[i];
    if (!lookup && make_resolver_ends(supervisor->sandbox, kind, socket, &call->address, ends))
        lookup = listen_at(supervisor, &call->attempt, type, ends, call->server);
    sys(close, socket);
    return lookup;
}

int listen_to_stream(struct supervisor *supervisor, const struct attempt *attempt, const struct socket_address *address, const char *server) {
    if (!new_call(attempt, address, server)) return ENOBUFS;
    settle_calls(supervisor);
    return ANSWERED;
}

int listen_to_sender(struct supervisor *supervisor, const struct attempt *attempt, const struct socket_address *address, const char *server) {
    static uint8_t packet[QUESTION_BYTES_MAX];
    struct question question;
    size_t length = attempt->text_length < sizeof packet ? (size_t)attempt->text_length : sizeof packet;
    if (read_memory(attempt->pid, attempt->text, (char *)packet, length) != (long)length) return 0;
    if (!is_held(supervisor, attempt->id) || !read_question(packet, length, &question)) return 0;
    struct waiting_call *call = supervisor->holds_calls && question.end ? new_call(attempt, address, server) : 0;
    if (!call) {
        tell_lookup(supervisor, attempt->pid, question.name);
        return EPERM;
    }
    memcpy(call->packet, packet, length);
    call->length = length;
    settle_calls(supervisor);
    return ANSWERED;
}

unsigned int lookups_watch(struct pollfd watched[LOOKUPS_MAX]) {
    unsigned int count = 0;
    for (int i = 0; i < lookups_end; i++)
        if (table[i].type) watched[count++] = (struct pollfd){.fd = table[i].ours, .events = table[i].waits ? CLOSED_BY_PEER : POLLIN};
    return count;
}

int lookups_wait(void) {
    for (int i = 0; i < calls_end; i++)
        if (calls[i].attempt.id) return 1;
    for (int i = 0; i < lookups_end; i++)
        if (table[i].type && table[i].waits) return 1;
    return 0;
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

/* What nobody may have: told, and no more is said on this socket, if it is one that can be ended. */
static void refuse(struct supervisor *supervisor, struct lookup *lookup, const char *wanted) {
    tell_lookup(supervisor, lookup->pid, wanted);
    if (!lookup->told && lookup->type != DATAGRAMS) sys(shutdown, lookup->ours, SHUT_WRITING);
    lookup->told = 1;
}

static uint8_t message[LENGTH_BYTES + REPLY_BYTES_MAX];

static void reject(struct supervisor *supervisor, struct lookup *lookup, const uint8_t *packet, size_t length, const char *wanted) {
    refuse(supervisor, lookup, wanted);
    size_t size = lookup->type == DATAGRAMS ? write_rejection(packet, length, message + LENGTH_BYTES) : 0;
    if (size) send_reply(lookup, message, size);
}

/* What there is to say to a question about addresses; false when it has to wait. */
static int find_addresses(struct supervisor *supervisor, struct lookup *lookup, const char *name, enum reply *reply,
                          const struct found_address **found, size_t *count) {
    const struct known_name *known = 0;
    enum decided decided = decide_name(supervisor, lookup->pid, name, &known);
    if (decided == NAME_WAITS && lookup->type == STREAM) return 0;
    if (decided == NAME_REFUSED) refuse(supervisor, lookup, known ? text_of_name(known) : name);
    if (decided == NAME_GIVEN) *found = addresses_of(known, count);
    *reply = decided == NAME_WAITS ? REPLY_BY_STREAM : decided == NAME_REFUSED ? lookup->no : *count ? REPLY_FOUND : REPLY_NO_SUCH_NAME;
    return 1;
}

/* True when it has its reply, or none is to be had. */
static int reply_to(struct supervisor *supervisor, struct lookup *lookup, const uint8_t *packet, size_t length) {
    struct question question;
    const struct found_address *found = 0;
    enum reply reply = REPLY_FOUND; /* a name that was given has nothing else */
    size_t count = 0;
    int is_read = read_question(packet, length, &question);
    if (!is_read || !question.end) return reject(supervisor, lookup, packet, length, is_read ? question.name : lookup->server), 1;
    if (asks_for_address(&question)) {
        if (!find_addresses(supervisor, lookup, question.name, &reply, &found, &count)) return 0;
    } else if (!is_given_name(question.name)) {
        if (supervisor->holds_calls) tell_lookup(supervisor, lookup->pid, question.name);
        else refuse(supervisor, lookup, question.name);
        reply = REPLY_NOT_DONE;
    }
    send_reply(lookup, message, write_reply(packet, &question, reply, found, count, message + LENGTH_BYTES));
    return 1;
}

static void hear_datagrams(struct supervisor *supervisor, struct lookup *lookup) {
    for (int i = 0; i < DRAINED_AT_ONCE; i++) {
        long length = sys(recvfrom, lookup->ours, lookup->bytes, QUESTION_BYTES_MAX, WITHOUT_WAITING, 0, 0);
        if (length == -EAGAIN) return;
        if (length < 0 || (length == 0 && lookup->type == PACKETS)) return release(lookup); /* the task has closed its end */
        reply_to(supervisor, lookup, lookup->bytes, (size_t)length);
    }
}

/* The bytes of the first message, or 0 while it is not whole. More than we read of one makes the connection useless. */
static size_t whole_message(const struct lookup *lookup) {
    size_t length = (size_t)(lookup->bytes[0] << 8 | lookup->bytes[1]);
    return lookup->filled >= LENGTH_BYTES && lookup->filled >= LENGTH_BYTES + length ? length : 0;
}

static int has_left(const struct lookup *lookup) {
    struct pollfd asked = {.fd = lookup->ours, .events = CLOSED_BY_PEER};
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

static void settle_connection(struct supervisor *supervisor, const struct waiting_call *call) {
    struct lookup *lookup = turn_to_us(supervisor, call, RESOLVER_STREAMS, STREAM);
    answer_call(supervisor, call->attempt.id, lookup ? 0 : ENOBUFS);
}

/* Its reply is there before it was sent, as far as it can see: whoever has waited long has no time left to wait for it. */
static void settle_sender(struct supervisor *supervisor, const struct waiting_call *call) {
    struct lookup *lookup = turn_to_us(supervisor, call, RESOLVER_SENDS, DATAGRAMS);
    if (!lookup) return answer_call(supervisor, call->attempt.id, EPERM);
    lookup->no = REPLY_NO_SUCH_NAME; /* musl goes on asking after any other */
    reply_to(supervisor, lookup, call->packet, call->length);
    finish_call(supervisor, call->attempt.id, (long)call->attempt.text_length);
}

/* What is sent asks for itself; a connection waits for all that its process has asked. */
static int has_to_wait(struct supervisor *supervisor, const struct waiting_call *call) {
    struct question question;
    const struct known_name *known = 0;
    if (!call->length) return waits_for_name(call->attempt.pid);
    if (!read_question(call->packet, call->length, &question) || !asks_for_address(&question)) return 0;
    return decide_name(supervisor, call->attempt.pid, question.name, &known) == NAME_WAITS;
}

static void settle_calls(struct supervisor *supervisor) {
    for (int i = 0; i < calls_end; i++) {
        struct waiting_call *call = &calls[i];
        if (!call->attempt.id) continue;
        int is_awaited = is_held(supervisor, call->attempt.id);
        if (is_awaited && has_to_wait(supervisor, call)) continue;
        if (is_awaited && call->length) settle_sender(supervisor, call);
        else if (is_awaited) settle_connection(supervisor, call);
        call->attempt.id = 0;
    }
}

void lookups_settle(struct supervisor *supervisor) {
    settle_calls(supervisor);
    for (int i = 0; i < lookups_end; i++) {
        if (table[i].type == PACKETS || table[i].type == DATAGRAMS) hear_datagrams(supervisor, &table[i]);
        else if (table[i].type) hear_stream(supervisor, &table[i]);
    }
}
