/* The private /dev: six harmless nodes, the command's terminal if it has one, links, terminals of its own, and shared memory of its own.
 *
 * Nodes cannot be made inside a user namespace, so the host's are bound: null(4), zero, full, random, urandom,
 * tty. Everything else below /dev is simply not there. devpts(5) with `newinstance` shows no foreign terminal. */
#include <linux/mount.h>
#include <linux/stat.h>

#include "sandbox.h"

static const char node_names[DEVICE_NODES][8] = {"null", "zero", "full", "random", "urandom", "tty", "console"};
enum { CONSOLE = DEVICE_NODES - 1, PTY_SLAVE_MAJOR = 136 /* Documentation/admin-guide/devices.txt */ };

static char *node_path(char *at, const char *prefix, int index) {
    return put_text(put_text(at, prefix), node_names[index]);
}

int clone_device_nodes(int nodes[]) {
    char path[32];
    for (int i = 0; i < CONSOLE; i++) {
        node_path(path, "/dev/", i);
        nodes[i] = clone_tree(AT_FDCWD, path, 0);
    }
    nodes[CONSOLE] = -ENOENT;
    return 0;
}

/* The terminal that was made for the command lies among the host's, where nobody inside finds it. ttyname(3) looks
 * through /dev for the same node under another name, and /dev/console is the one it has elsewhere, too. Where that
 * cannot be had, the terminal has no name, and works. */
void clone_console(int nodes[]) {
    struct statx stream, node;
    if (sys(statx, 0, "", AT_EMPTY_PATH, STATX_INO, &stream) != 0 || stream.stx_rdev_major != PTY_SLAVE_MAJOR) return;
    char path[32];
    put_number(put_text(path, "/dev/pts/"), stream.stx_rdev_minor);
    int tree = clone_tree(AT_FDCWD, path, 0);
    if (tree < 0) return;
    int is_same = sys(statx, tree, "", AT_EMPTY_PATH, STATX_INO, &node) == 0 && node.stx_ino == stream.stx_ino &&
                  node.stx_dev_major == stream.stx_dev_major && node.stx_dev_minor == stream.stx_dev_minor;
    if (is_same) nodes[CONSOLE] = tree;
    else sys(close, tree);
}

static long make_points(int base, const int nodes[]) {
    char path[32];
    long error = sys(mkdirat, base, "dev", 0755);
    if (error == 0) error = sys(mkdirat, base, "dev/pts", 0755);
    if (error == 0) error = sys(mkdirat, base, "dev/shm", 0755);
    if (error == 0) error = sys(mkdirat, base, "shm", 01777);
    for (int i = 0; error == 0 && i < DEVICE_NODES; i++) {
        node_path(path, "dev/", i);
        if (nodes[i] >= 0) error = sys(mknodat, base, path, S_IFREG, 0);
    }
    return error;
}

int furnish_devices(struct sandbox *sandbox, int base, const int nodes[]) {
    static const char links[][2][16] = {
        {"/proc/self/fd", "dev/fd"},
        {"/proc/self/fd/0", "dev/stdin"},
        {"/proc/self/fd/1", "dev/stdout"},
        {"/proc/self/fd/2", "dev/stderr"},
        {"pts/ptmx", "dev/ptmx"},
    };
    long error = make_points(base, nodes);
    for (size_t i = 0; error == 0 && i < sizeof links / sizeof links[0]; i++)
        error = sys(symlinkat, links[i][0], base, links[i][1]);
    return error < 0 ? fail(sandbox, "furnish", "/dev", error) : 0;
}

/* Clones inherit the flags of what they are cloned from: shared memory is taken before the tmpfs turns read-only,
 * /dev after it. */
int mount_devices(struct sandbox *sandbox, int base, int nodes[]) {
    int shared_memory = clone_tree(base, "shm", 0);
    struct mount_attr read_only = {.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOEXEC};
    long error = nodes[CONSOLE] >= 0 ? sys(mknodat, base, "dev/console", S_IFREG, 0) : 0;
    if (error < 0) return fail(sandbox, "furnish", "/dev/console", error);
    error = sys(mount_setattr, base, "", AT_EMPTY_PATH, &read_only, sizeof read_only);
    if (error < 0) return fail(sandbox, "make read-only", "/dev", error);
    int devices = clone_tree(base, "dev", 0);
    if (devices < 0) return fail(sandbox, "clone", "/dev", devices);
    if ((error = attach_at(devices, "/dev")) < 0) return fail(sandbox, "mount", "/dev", error);
    char path[32];
    for (int i = 0; i < DEVICE_NODES; i++) {
        node_path(path, "/dev/", i);
        if (nodes[i] >= 0 && (error = attach_at(nodes[i], path)) < 0) return fail(sandbox, "mount node", "/dev", error);
    }
    /* Writing to a device needs no writable mount, but chmod does: root owns the host's /dev/null. */
    error = sys(mount_setattr, AT_FDCWD, "/dev", AT_RECURSIVE, &read_only, sizeof read_only);
    if (error < 0) return fail(sandbox, "make read-only", "/dev", error);
    error = sys(mount, "devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620");
    if (error < 0) return fail(sandbox, "mount", "/dev/pts", error);
    if (shared_memory < 0) return fail(sandbox, "clone", "/dev/shm", shared_memory);
    error = attach_at(shared_memory, "/dev/shm");
    return error < 0 ? fail(sandbox, "mount", "/dev/shm", error) : 0;
}
