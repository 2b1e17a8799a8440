/* Which socket files belong to servers of the sandbox: unix(7).
 *
 * Noted when a server asks to listen, as its name is then settled and nothing listens on it yet. The file found under
 * that name counts only if connecting to it is refused: a server of the host's, slipped under the name, would accept.
 * Each file is kept open while it exists, so that its number cannot come back as somebody else's. A server that
 * changed its directory between bind and listen, or renamed its file, is not found and cannot be connected to. */
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <linux/stat.h>

#include <asm/socket.h>

#include "own_sockets.h"

enum { UNIX = 1 };

struct own_socket {
    int held; /* O_PATH, 0: free */
    uint32_t major, minor;
    uint64_t inode;
};
static struct own_socket table[OWN_SOCKETS_MAX];

static char *task_link(char *at, int pid, const char *name) {
    return put_text(put_number(put_text(at, "/proc/"), (unsigned long)pid), name);
}

static int absolute(int pid, const char *text, char path[PATH_BYTES_MAX]) {
    char link[64];
    size_t length = 0;
    if (text[0] != '/') {
        task_link(link, pid, "/cwd");
        long read = sys(readlinkat, AT_FDCWD, link, path, PATH_BYTES_MAX - 1);
        if (read < 0) return (int)read;
        length = (size_t)read;
        if (path[0] != '/') return -ENOENT;
        path[length++] = '/';
    }
    if (length + strlen(text) >= PATH_BYTES_MAX) return -ENAMETOOLONG;
    put_text(path + length, text);
    return 0;
}

long open_in_view(int pid, const char *text) {
    static char path[PATH_BYTES_MAX + 1];
    char link[64];
    int error = absolute(pid, text, path);
    if (error < 0) return error;
    task_link(link, pid, "/root");
    long root = sys(openat, AT_FDCWD, link, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (root < 0) return root;
    struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
    long fd = sys(openat2, root, path, &how, sizeof how);
    sys(close, root);
    return fd;
}

/* Connecting is refused: no server has this file. */
static int nobody_listens(int held, int type) {
    struct {
        uint16_t family;
        char path[62];
    } address = {UNIX, {0}};
    char *end = put_number(put_text(address.path, "/proc/self/fd/"), (unsigned long)held);
    long probe = sys(socket, UNIX, type | O_NONBLOCK | O_CLOEXEC, 0);
    if (probe < 0) return 0;
    long error = sys(connect, probe, &address, (size_t)(end - (char *)&address) + 1);
    sys(close, probe);
    return error == -ECONNREFUSED;
}

static long look_at(int fd, struct statx *about) { return sys(statx, fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, about); }

static struct own_socket *free_entry(void) {
    for (int i = 0; i < OWN_SOCKETS_MAX; i++)
        if (!table[i].held) return &table[i];
    struct statx about;
    for (int i = 0; i < OWN_SOCKETS_MAX; i++) {
        if (look_at(table[i].held, &about) == 0 && about.stx_nlink) continue;
        sys(close, table[i].held);
        table[i].held = 0;
        return &table[i];
    }
    return 0;
}

static void remember(int held, int type) {
    struct statx about;
    struct own_socket *entry = 0;
    int fits = look_at(held, &about) == 0 && (about.stx_mode & S_IFMT) == S_IFSOCK && !is_own(&about);
    if (fits && nobody_listens(held, type)) entry = free_entry();
    if (entry) *entry = (struct own_socket){held, about.stx_dev_major, about.stx_dev_minor, about.stx_ino};
    else sys(close, held);
}

void remember_bound(const struct plan *plan, const struct deed *deed) {
    const char *name;
    long parent = open_parent(plan, deed->at.path, &name);
    if (parent < 0) return;
    long held = sys(openat, parent, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    sys(close, parent);
    if (held >= 0) remember((int)held, number_option(deed->borrowed, SO_TYPE));
}

void remember_own(int pid, int socket) {
    struct {
        uint16_t family;
        char path[126];
    } name;
    int size = sizeof name - 1;
    memset(&name, 0, sizeof name);
    if (number_option(socket, SO_DOMAIN) != UNIX || number_option(socket, SO_ACCEPTCONN) != 0) return;
    if (sys(getsockname, socket, &name, &size) != 0 || size <= 2 || !name.path[0]) return;
    long held = open_in_view(pid, name.path);
    if (held >= 0) remember((int)held, number_option(socket, SO_TYPE));
}

int is_own(const struct statx *about) {
    for (int i = 0; i < OWN_SOCKETS_MAX; i++)
        if (table[i].held && table[i].inode == about->stx_ino && table[i].major == about->stx_dev_major &&
            table[i].minor == about->stx_dev_minor)
            return 1;
    return 0;
}
