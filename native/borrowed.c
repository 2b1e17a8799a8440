/* The other end of a held call: its caller's descriptors, and the answer: pidfd_getfd(2) (Linux 5.6), seccomp_unotify(2). */
#include <linux/ioctl.h>
#include <linux/seccomp.h>
#include <linux/stat.h>

#include <asm/socket.h>

#include "borrowed.h"

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
