/* Carries out connect for a held call: seccomp_unotify(2), pidfd_getfd(2) (Linux 5.6).
 *
 * To let connect continue would let the task exchange the address or the descriptor after we looked. So we connect,
 * without blocking ourselves; a task that would have waited is left waiting. SO_SNDTIMEO does not shorten that. */
#include <linux/ioctl.h>
#include <linux/seccomp.h>
#include <linux/stat.h>

#include <asm/socket.h>

#include "connects.h"
#include "held.h"
#include "unserved.h"

enum { GET_FLAGS = 3 /* F_GETFL */, SET_FLAGS = 4 /* F_SETFL */ };

struct waiting {
    struct attempt attempt; /* its id is 0: free */
    int socket, target;
    int again; /* nobody tells when the other side's queue has room: unix(7), EAGAIN */
    size_t length;
    char address[ADDRESS_BYTES_MAX];
    char said[PATH_BYTES_MAX];
};
static struct waiting table[CONNECTS_MAX];

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

/* It may yet be held, when it met nobody where the host has a server. */
static void conclude(struct supervisor *supervisor, const struct attempt *attempt, const char *said, int socket, int error,
                     const void *address, size_t length) {
    if (attempt->said) tell_connected(supervisor, attempt->number, attempt->grant, said, error);
    if (!note_connected(supervisor, attempt, socket, error, address, length)) answer_call(supervisor, attempt->id, error);
}

int connect_in_place(struct supervisor *supervisor, const struct attempt *attempt, int socket, int target,
                     const void *address, size_t length) {
    struct waiting *entry = free_entry();
    long flags = sys(fcntl, socket, GET_FLAGS);
    int error = !entry ? ENOBUFS : try_connect(socket, flags, address, length);
    int waits = entry && !(flags & O_NONBLOCK) && (error == EINPROGRESS || error == EALREADY || error == EAGAIN);
    if (waits) {
        *entry = (struct waiting){*attempt, socket, target, error == EAGAIN, length, {0}, {0}};
        memcpy(entry->address, address, length);
        if (attempt->said) put_text(entry->said, attempt->said);
        return ANSWERED;
    }
    conclude(supervisor, attempt, attempt->said, socket, error, address, length);
    release(socket, target);
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
    conclude(supervisor, &entry->attempt, entry->said, entry->socket, error, entry->address, entry->length);
    release(entry->socket, entry->target);
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
