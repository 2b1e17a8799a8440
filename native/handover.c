/* Passes descriptors through a socket pair: unix(7), SCM_RIGHTS. */
#include <linux/uio.h>

#include "sandbox.h"

enum { LEVEL_SOCKET = 1, RIGHTS = 1, CLOSE_ON_EXEC = 0x40000000 /* MSG_CMSG_CLOEXEC */ };
enum { CUT_SHORT = 0x20 /* MSG_TRUNC */ | 0x8 /* MSG_CTRUNC */ };

struct control {
    size_t length;
    int level, type;
    int fds[RECEIVED_MAX];
};

static size_t control_bytes(size_t count) { return offsetof(struct control, fds) + count * sizeof(int); }

struct message {
    void *name;
    int name_length;
    struct iovec *pieces;
    size_t piece_count;
    struct control *control;
    size_t control_length;
    unsigned int flags;
};

long send_descriptors(int socket, const int fds[], size_t count) {
    char nothing = 0;
    struct iovec piece = {&nothing, 1};
    struct control control = {.length = control_bytes(count), .level = LEVEL_SOCKET, .type = RIGHTS};
    memcpy(control.fds, fds, count * sizeof(int));
    struct message message = {.pieces = &piece, .piece_count = 1, .control = &control, .control_length = control.length};
    return sys(sendmsg, socket, &message, 0);
}

int receive_descriptors(int socket, int fds[], size_t count) {
    char nothing;
    return receive_message(socket, &nothing, 1, fds, count);
}

int receive_message(int socket, void *bytes, size_t size, int fds[], size_t count) {
    struct iovec piece = {bytes, size};
    struct control control;
    memset(&control, 0, sizeof control);
    struct message message = {.pieces = &piece, .piece_count = 1, .control = &control, .control_length = sizeof control};
    long length = sys(recvmsg, socket, &message, CLOSE_ON_EXEC);
    if (length <= 0) return length ? (int)length : -ECONNRESET;
    if ((size_t)length != size || message.flags & CUT_SHORT) return -EBADMSG;
    if (control.length != control_bytes(count) || control.level != LEVEL_SOCKET || control.type != RIGHTS) return -EBADMSG;
    memcpy(fds, control.fds, count * sizeof(int));
    return 0;
}
