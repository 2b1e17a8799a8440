/* Hears which names a command looks up: resolver(3), RFC 1035, SECCOMP_IOCTL_NOTIF_ADDFD (Linux 5.9).
 *
 * With the network off a name server cannot be reached, and its address says nothing of what was wanted. So a datagram
 * socket that is connected to one becomes one end of a pair of ours: the first question is read, told, and answered by
 * an end of file, upon which resolvers give up at once. No question ever leaves the machine.
 *
 * The task's end is a connected SOCK_SEQPACKET socket, which ignores addresses in sendmsg, cannot be connected again,
 * and has a name already: it can reach nothing else (unix(7)). Only our side is shut down: what the task still sends is
 * taken and dropped, so that nothing dies of SIGPIPE. */
#include <linux/ioctl.h>
#include <linux/seccomp.h>

#include <asm/socket.h>

#include "lookups.h"

enum { UNIX = 1, PACKETS = 5 /* SOCK_SEQPACKET */, SHUT_WRITING = 1, SET_FLAGS = 4 /* F_SETFL */ };
enum { HEADER_BYTES = 12, LABEL_MAX = 63, QUESTION_BYTES_MAX = 512, DRAINED_AT_ONCE = 16, SERVER_TEXT_BYTES = 64 };
enum { WITHOUT_WAITING = 0x40 /* MSG_DONTWAIT */ };

struct lookup {
    int used, ours, told, pid;
    char server[SERVER_TEXT_BYTES]; /* for packets that are no questions */
};
static struct lookup table[LOOKUPS_MAX];

int read_question(const uint8_t *packet, size_t length, char name[NAME_TEXT_BYTES]) {
    size_t at = HEADER_BYTES, written = 0;
    if (length <= HEADER_BYTES || packet[4] || packet[5] != 1) return 0; /* one question */
    while (at < length && packet[at]) {
        size_t label = packet[at++];
        if (label > LABEL_MAX || at + label > length || written + label + 1 >= NAME_TEXT_BYTES) return 0;
        if (written) name[written++] = '.';
        for (; label; label--, at++) {
            if (packet[at] <= ' ' || packet[at] > '~') return 0;
            name[written++] = (char)packet[at];
        }
    }
    name[written] = 0;
    return at < length && written > 0;
}

int read_question_of(int pid, uint64_t address, uint64_t length, char name[NAME_TEXT_BYTES]) {
    static uint8_t packet[QUESTION_BYTES_MAX];
    size_t wanted = length < sizeof packet ? (size_t)length : sizeof packet;
    return read_memory(pid, address, (char *)packet, wanted) == (long)wanted && read_question(packet, wanted, name);
}

static void tell_lookup(struct supervisor *supervisor, const struct lookup *lookup, const char *wanted) {
    struct refusal refusal = {OP_CONNECT, BY_NETWORK, EPERM, lookup->pid, 1, 0, "connect", "", wanted};
    report_refusal(&supervisor->tally, &refusal);
}

static int hand_over(struct supervisor *supervisor, const struct attempt *attempt, int original, int theirs) {
    enum { GET_FLAGS = 3 /* F_GETFL */ };
    uint16_t no_name = UNIX; /* autobind: a socket without a name could take one */
    struct seccomp_notif_addfd gift = {
        .id = attempt->id, .flags = SECCOMP_ADDFD_FLAG_SETFD, .srcfd = (uint32_t)theirs, .newfd = (uint32_t)attempt->fd,
        .newfd_flags = descriptor_flags(attempt->pid, attempt->fd) & O_CLOEXEC,
    };
    if (sys(fcntl, original, GET_FLAGS) & O_NONBLOCK) sys(fcntl, theirs, SET_FLAGS, O_RDWR | O_NONBLOCK);
    if (sys(bind, theirs, &no_name, sizeof no_name) < 0) return 0;
    return sys(ioctl, supervisor->listener, SECCOMP_IOCTL_NOTIF_ADDFD, &gift) >= 0;
}

static struct lookup *free_lookup(void) {
    for (int i = 0; i < LOOKUPS_MAX; i++)
        if (!table[i].used) return &table[i];
    return 0;
}

int listen_to_lookup(struct supervisor *supervisor, const struct attempt *attempt, int original, const char *server) {
    struct lookup *lookup = free_lookup();
    int pair[2];
    if (!lookup || strlen(server) >= SERVER_TEXT_BYTES || sys(socketpair, UNIX, PACKETS | O_CLOEXEC, 0, pair) < 0) return 0;
    int given = hand_over(supervisor, attempt, original, pair[1]);
    sys(close, pair[1]);
    if (!given) {
        sys(close, pair[0]);
        return 0;
    }
    *lookup = (struct lookup){.used = 1, .ours = pair[0], .pid = attempt->pid};
    put_text(lookup->server, server);
    answer_call(supervisor, attempt->id, 0);
    return ANSWERED;
}

unsigned int lookups_watch(struct pollfd watched[LOOKUPS_MAX]) {
    unsigned int count = 0;
    for (int i = 0; i < LOOKUPS_MAX; i++)
        if (table[i].used) watched[count++] = (struct pollfd){.fd = table[i].ours, .events = POLLIN};
    return count;
}

static void hear(struct supervisor *supervisor, struct lookup *lookup) {
    static uint8_t packet[QUESTION_BYTES_MAX];
    char name[NAME_TEXT_BYTES];
    for (int i = 0; i < DRAINED_AT_ONCE; i++) {
        long length = sys(recvfrom, lookup->ours, packet, sizeof packet, WITHOUT_WAITING, 0, 0);
        if (length == -EAGAIN) return;
        if (length <= 0) { /* the task has closed its end */
            sys(close, lookup->ours);
            lookup->used = 0;
            return;
        }
        tell_lookup(supervisor, lookup, read_question(packet, (size_t)length, name) ? name : lookup->server);
        if (!lookup->told) sys(shutdown, lookup->ours, SHUT_WRITING);
        lookup->told = 1;
    }
}

void lookups_settle(struct supervisor *supervisor) {
    for (int i = 0; i < LOOKUPS_MAX; i++)
        if (table[i].used) hear(supervisor, &table[i]);
}
