/* The other end of a held call: its caller's descriptors, and the answer: pidfd_getfd(2) (Linux 5.6), seccomp_unotify(2). */
#include <linux/ioctl.h>
#include <linux/seccomp.h>
#include <linux/stat.h>

#include <asm/socket.h>

#include "borrowed.h"

enum { SET_FLAGS = 4 /* F_SETFL */ };
enum { PIDFD_FOR_THREAD = O_EXCL /* Linux 6.9 */ };

int borrow_socket(const struct attempt *attempt) {
    long pidfd = sys(pidfd_open, attempt->pid, PIDFD_FOR_THREAD);
    if (pidfd == -EINVAL) pidfd = sys(pidfd_open, attempt->pid, 0);
    if (pidfd < 0) return (int)pidfd;
    long fd = sys(pidfd_getfd, pidfd, attempt->fd, 0);
    sys(close, pidfd);
    return (int)fd;
}

uint64_t inode_of(int socket) {
    struct statx about;
    return sys(statx, socket, "", AT_EMPTY_PATH, STATX_INO, &about) == 0 ? about.stx_ino : 0;
}

int number_option(int fd, int option) {
    int value = 0, size = sizeof value;
    long error = sys(getsockopt, fd, SOL_SOCKET, option, &value, &size);
    return error < 0 ? (int)error : value;
}

long own_endpoint(int socket, struct host *endpoint) {
    struct socket_address address;
    int size = ADDRESS_BYTES_MAX;
    memset(&address, 0, sizeof address);
    long error = sys(getsockname, socket, &address, &size);
    address.length = (size_t)size;
    return error < 0 ? error : endpoint_of(&address, endpoint);
}

int is_held(const struct supervisor *supervisor, uint64_t id) {
    return sys(ioctl, supervisor->listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) == 0;
}

void finish_call(const struct supervisor *supervisor, uint64_t id, long result) {
    struct seccomp_notif_resp response = {.id = id, .val = result};
    sys(ioctl, supervisor->listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
}

void answer_call(const struct supervisor *supervisor, uint64_t id, int error) {
    struct seccomp_notif_resp response = {.id = id, .error = -error};
    sys(ioctl, supervisor->listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
}

void continue_call(const struct supervisor *supervisor, uint64_t id) {
    struct seccomp_notif_resp response = {.id = id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
    sys(ioctl, supervisor->listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
}

/* Only /proc tells whether it is closed on exec. */
uint32_t descriptor_flags(int pid, int fd) {
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

void copy_option(int from, int to, int level, int option) {
    char value[32];
    int size = sizeof value;
    if (sys(getsockopt, from, level, option, value, &size) == 0) sys(setsockopt, to, level, option, value, size);
}

int put_in_place(const struct supervisor *supervisor, const struct attempt *attempt, int ours) {
    uint32_t flags = descriptor_flags(attempt->pid, attempt->fd);
    struct seccomp_notif_addfd gift = {
        .id = attempt->id, .flags = SECCOMP_ADDFD_FLAG_SETFD, .srcfd = (uint32_t)ours, .newfd = (uint32_t)attempt->fd,
        .newfd_flags = flags & O_CLOEXEC,
    };
    if (flags & O_NONBLOCK) sys(fcntl, ours, SET_FLAGS, O_RDWR | O_NONBLOCK);
    return sys(ioctl, supervisor->listener, SECCOMP_IOCTL_NOTIF_ADDFD, &gift) >= 0;
}
