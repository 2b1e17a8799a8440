/* Carries out connect for a held call: seccomp_unotify(2), pidfd_getfd(2) (Linux 5.6).
 *
 * To let connect continue would let the task exchange the address or the descriptor after we looked. So we connect,
 * without blocking ourselves; a task that would have waited is left waiting. SO_SNDTIMEO does not shorten that. */
#include <linux/ioctl.h>
#include <linux/seccomp.h>
#include <linux/stat.h>

#include <asm/socket.h>

#include "connects.h"
#include "unserved.h"

enum { PIDFD_FOR_THREAD = O_EXCL /* Linux 6.9 */, GET_FLAGS = 3 /* F_GETFL */, SET_FLAGS = 4 /* F_SETFL */ };

struct waiting {
    struct attempt attempt; /* its id is 0: free */
    int socket, target;
    int again; /* nobody tells when the other side's queue has room: unix(7), EAGAIN */
    size_t length;
    char address[ADDRESS_BYTES_MAX];
};
static struct waiting table[CONNECTS_MAX];

int borrow_socket(const struct attempt *attempt) {
    long pidfd = sys(pidfd_open, attempt->pid, PIDFD_FOR_THREAD);
    if (pidfd == -EINVAL) pidfd = sys(pidfd_open, attempt->pid, 0);
    if (pidfd < 0) return (int)pidfd;
    long fd = sys(pidfd_getfd, pidfd, attempt->fd, 0);
    sys(close, pidfd);
    return (int)fd;
}

int number_option(int fd, int option) {
    int value = 0, size = sizeof value;
    long error = sys(getsockopt, fd, SOL_SOCKET, option, &value, &size);
    return error < 0 ? (int)error : value;
}

int is_held(struct supervisor *supervisor, uint64_t id) {
    return sys(ioctl, supervisor->listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) == 0;
}

void answer_call(struct supervisor *supervisor, uint64_t id, int error) {
    struct seccomp_notif_resp response = {.id = id, .error = -error};
    sys(ioctl, supervisor->listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
}

static int try_connect(int socket, long flags, const void *address, size_t length) {
    if (!(flags & O_NONBLOCK)) sys(fcntl, socket, SET_FLAGS, flags | O_NONBLOCK);
    int error = (int)-sys(connect, socket, address, length);
    if (!(flags & O_NONBLOCK)) sys(fcntl, socket, SET_FLAGS, flags);
    return error;
}

static void release(int socket, int target) {
    sys(close, socket);
    if (target >= 0) sys(close, target);
}

static struct waiting *free_entry(void) {
    for (int i = 0; i < CONNECTS_MAX; i++)
        if (!table[i].attempt.id) return &table[i];
    return 0;
}

int connect_in_place(struct supervisor *supervisor, const struct attempt *attempt, int socket, int target,
                     const void *address, size_t length) {
    struct waiting *entry = free_entry();
    long flags = sys(fcntl, socket, GET_FLAGS);
    int error = !entry ? ENOBUFS : try_connect(socket, flags, address, length);
    int waits = entry && !(flags & O_NONBLOCK) && (error == EINPROGRESS || error == EALREADY || error == EAGAIN);
    if (waits) {
        *entry = (struct waiting){*attempt, socket, target, error == EAGAIN, length, {0}};
        memcpy(entry->address, address, length);
        return ANSWERED;
    }
    note_connected(supervisor, attempt, socket, error, address, length);
    release(socket, target);
    answer_call(supervisor, attempt->id, error);
    return ANSWERED;
}

unsigned int connects_watch(struct pollfd watched[CONNECTS_MAX]) {
    unsigned int count = 0;
    for (int i = 0; i < CONNECTS_MAX; i++)
        if (table[i].attempt.id && !table[i].again) watched[count++] = (struct pollfd){.fd = table[i].socket, .events = POLLOUT};
    return count;
}

int connects_retry(void) {
    for (int i = 0; i < CONNECTS_MAX; i++)
        if (table[i].attempt.id && table[i].again) return 1;
    return 0;
}

static void finish(struct supervisor *supervisor, struct waiting *entry, int error) {
    note_connected(supervisor, &entry->attempt, entry->socket, error, entry->address, entry->length);
    release(entry->socket, entry->target);
    answer_call(supervisor, entry->attempt.id, error);
    entry->attempt.id = 0;
}

static void try_again(struct supervisor *supervisor, struct waiting *entry) {
    if (!is_held(supervisor, entry->attempt.id)) return finish(supervisor, entry, EINTR);
    int error = try_connect(entry->socket, sys(fcntl, entry->socket, GET_FLAGS), entry->address, entry->length);
    if (error != EAGAIN) finish(supervisor, entry, error);
}

void connects_settle(struct supervisor *supervisor, const struct pollfd watched[], unsigned int count) {
    for (int i = 0; i < CONNECTS_MAX; i++) {
        struct waiting *entry = &table[i];
        if (!entry->attempt.id) continue;
        if (entry->again) try_again(supervisor, entry);
        for (unsigned int at = 0; entry->attempt.id && at < count; at++)
            if (watched[at].revents && watched[at].fd == entry->socket)
                finish(supervisor, entry, number_option(entry->socket, SO_ERROR));
    }
}
