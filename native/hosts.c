/* Connects to a granted host in the task's stead: seccomp_unotify(2), SECCOMP_IOCTL_NOTIF_ADDFD (Linux 5.9).
 *
 * The sandbox stays without a network. The supervisor makes a socket of the same type in the host's network, connects
 * it to the address it read and compared itself, and puts it over the task's own descriptor. What the task writes into
 * its memory afterwards changes nothing. Options set before are carried over as far as they are listed here; a
 * descriptor that was duplicated or registered with epoll before connecting keeps the old, unconnected socket. */
#include <linux/ioctl.h>
#include <linux/seccomp.h>
#include <linux/stat.h>

#include <asm/socket.h>

#include "hosts.h"

#ifndef SECCOMP_IOCTL_NOTIF_ADDFD
#error "kernel headers of Linux 5.9 or later are needed"
#endif

enum { LEVEL_TCP = 6, TCP_NO_DELAY = 1, PIDFD_FOR_THREAD = O_EXCL /* Linux 6.9 */ };

struct pending {
    uint64_t id; /* of the held call; 0: free */
    int socket;
    int fd; /* the number it gets in the task */
    uint32_t fd_flags;
};
static struct pending table[PENDING_MAX];

int is_granted_host(const struct plan *plan, const struct host *endpoint) {
    for (uint32_t i = 0; i < plan->host_count; i++)
        if (memcmp(&plan->hosts[i], endpoint, sizeof *endpoint) == 0) return 1;
    return 0;
}

/* The status flags of a task's descriptor, close-on-exec included; only /proc tells that one. */
static uint32_t descriptor_flags(int pid, int fd) {
    char path[64], text[256], *end = put_text(path, "/proc/");
    end = put_text(put_number(end, (unsigned long)pid), "/fdinfo/");
    put_number(end, (unsigned long)fd);
    long file = sys(openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    long length = file < 0 ? 0 : sys(read, file, text, sizeof text - 1);
    if (file >= 0) sys(close, file);
    text[length > 0 ? length : 0] = 0;
    uint32_t flags = 0;
    for (const char *at = text; *at; at++) {
        if (at[0] != 'f' || at[1] != 'l') continue;
        while (*at && *at != ':') at++;
        for (at += *at != 0; *at == '\t' || *at == ' '; at++) {}
        for (; *at >= '0' && *at <= '7'; at++) flags = flags << 3 | (uint32_t)(*at - '0');
        break;
    }
    return flags;
}

static int borrow_socket(const struct attempt *attempt) {
    long pidfd = sys(pidfd_open, attempt->pid, PIDFD_FOR_THREAD);
    if (pidfd == -EINVAL) pidfd = sys(pidfd_open, attempt->pid, 0);
    if (pidfd < 0) return (int)pidfd;
    long fd = sys(pidfd_getfd, pidfd, attempt->fd, 0);
    sys(close, pidfd);
    return (int)fd;
}

static int number_option(int fd, int option) {
    int value = 0, size = sizeof value;
    long error = sys(getsockopt, fd, SOL_SOCKET, option, &value, &size);
    return error < 0 ? (int)error : value;
}

static void copy_option(int from, int to, int level, int option) {
    char value[32];
    int size = sizeof value;
    if (sys(getsockopt, from, level, option, value, &size) == 0) sys(setsockopt, to, level, option, value, size);
}

/* A socket like the task's, in our own network namespace. */
static int twin_of(int original) {
    static const int carried[] = {SO_KEEPALIVE, SO_RCVTIMEO, SO_SNDTIMEO};
    int type = number_option(original, SO_TYPE), domain = number_option(original, SO_DOMAIN);
    if (type < 0 || domain < 0) return type < 0 ? type : domain;
    int twin = (int)sys(socket, domain, type | O_NONBLOCK | O_CLOEXEC, number_option(original, SO_PROTOCOL));
    if (twin < 0) return twin;
    for (size_t i = 0; i < sizeof carried / sizeof carried[0]; i++) copy_option(original, twin, SOL_SOCKET, carried[i]);
    copy_option(original, twin, LEVEL_TCP, TCP_NO_DELAY);
    return twin;
}

static int make_twin(const struct attempt *attempt) {
    int original = borrow_socket(attempt);
    if (original < 0) return original;
    int twin = twin_of(original);
    sys(close, original);
    return twin;
}

/* Puts the socket over the task's descriptor. */
static long hand_in(struct supervisor *supervisor, const struct pending *pending) {
    struct seccomp_notif_addfd gift = {
        .id = pending->id,
        .flags = SECCOMP_ADDFD_FLAG_SETFD,
        .srcfd = (uint32_t)pending->socket,
        .newfd = (uint32_t)pending->fd,
        .newfd_flags = pending->fd_flags & O_CLOEXEC,
    };
    return sys(ioctl, supervisor->listener, SECCOMP_IOCTL_NOTIF_ADDFD, &gift);
}

static void answer(struct supervisor *supervisor, uint64_t id, int error) {
    struct seccomp_notif_resp response = {.id = id, .error = -error};
    sys(ioctl, supervisor->listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
}

/* `error` is how connecting went. The task may have gone meanwhile; then nobody gets the answer. */
static void finish(struct supervisor *supervisor, struct pending *pending, int error) {
    int waits = !(pending->fd_flags & O_NONBLOCK);
    if (error == 0 || error == EINPROGRESS) {
        if (waits) sys(fcntl, pending->socket, 4 /* F_SETFL */, O_RDWR);
        long given = hand_in(supervisor, pending);
        if (given < 0) error = (int)-given;
    }
    answer(supervisor, pending->id, error);
    sys(close, pending->socket);
    pending->id = 0;
}

static struct pending *free_entry(void) {
    for (int i = 0; i < PENDING_MAX; i++)
        if (!table[i].id) return &table[i];
    return 0;
}

int connect_on_behalf(struct supervisor *supervisor, const struct attempt *attempt, const void *address, size_t length) {
    struct pending *pending = free_entry();
    if (!pending) return ENOBUFS;
    int twin = make_twin(attempt);
    if (twin < 0) return -twin;
    uint32_t flags = descriptor_flags(attempt->pid, attempt->fd);
    *pending = (struct pending){attempt->id, twin, attempt->fd, flags};
    int error = (int)-sys(connect, twin, address, length);
    /* A task that waits is left waiting until the socket is ready; hosts_settle then answers. */
    if (error != EINPROGRESS || (flags & O_NONBLOCK)) finish(supervisor, pending, error);
    return 0;
}

unsigned int hosts_watch(struct pollfd watched[PENDING_MAX]) {
    unsigned int count = 0;
    for (int i = 0; i < PENDING_MAX; i++)
        if (table[i].id) watched[count++] = (struct pollfd){.fd = table[i].socket, .events = POLLOUT};
    return count;
}

void hosts_settle(struct supervisor *supervisor, const struct pollfd watched[], unsigned int count) {
    for (unsigned int i = 0; i < count; i++) {
        if (!watched[i].revents) continue;
        for (int entry = 0; entry < PENDING_MAX; entry++)
            if (table[entry].id && table[entry].socket == watched[i].fd)
                finish(supervisor, &table[entry], number_option(watched[i].fd, SO_ERROR));
    }
}
