/* Passes one descriptor through a socket pair: unix(7), SCM_RIGHTS. */
#include <linux/uio.h>

#include "sandbox.h"

enum { LEVEL_SOCKET = 1, RIGHTS = 1, CLOSE_ON_EXEC = 0x40000000 /* MSG_CMSG_CLOEXEC */ };

struct control {
    size_t length;
    int level, type;
    int fd;
};
enum { CONTROL_BYTES = offsetof(struct control, fd) + sizeof(int) };

struct message {
    void *name;
    int name_length;
    struct iovec *pieces;
    size_t piece_count;
    struct control *control;
    size_t control_length;
    unsigned int flags;
};

long send_descriptor(int socket, int fd) {
    char nothing = 0;
    struct iovec piece = {&nothing, 1};
    struct control control = {.length = CONTROL_BYTES, .level = LEVEL_SOCKET, .type = RIGHTS, .fd = fd};
    struct message message = {.pieces = &piece, .piece_count = 1, .control = &control, .control_length = sizeof control};
    return sys(sendmsg, socket, &message, 0);
}

int receive_descriptor(int socket) {
    char nothing;
    struct iovec piece = {&nothing, 1};
    struct control control;
    memset(&control, 0, sizeof control);
    struct message message = {.pieces = &piece, .piece_count = 1, .control = &control, .control_length = sizeof control};
    long length = sys(recvmsg, socket, &message, CLOSE_ON_EXEC);
    return length == 1 && control.length >= CONTROL_BYTES && control.type == RIGHTS ? control.fd : -1;
}
