/* One mount made by descriptor: openat2(2) (Linux 5.6), open_tree(2), move_mount(2), fsopen(2) (5.2). */
#include <linux/mount.h>
#include <linux/openat2.h>

#include "sandbox.h"

/* Asks nothing of the file system behind the last component: that may be dead, or hang. */
int open_plain(const char *path, unsigned int flags) {
    struct open_how how = {
        .flags = O_PATH | O_CLOEXEC | flags,
        .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    return (int)sys(openat2, AT_FDCWD, path, &how, sizeof how);
}

int clone_tree(int fd, const char *path, unsigned int recursive) {
    unsigned int flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | (recursive ? AT_RECURSIVE : 0);
    return (int)sys(open_tree, fd, path, flags);
}

int attach(int tree, int target) {
    return (int)sys(move_mount, tree, "", target, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH);
}

int attach_at(int tree, const char *path) {
    return (int)sys(move_mount, tree, "", AT_FDCWD, path, MOVE_MOUNT_F_EMPTY_PATH);
}

/* A tmpfs that lies nowhere yet. Returns its descriptor, or a negative errno. */
int make_tmpfs(void) {
    int made = (int)sys(fsopen, "tmpfs", FSOPEN_CLOEXEC);
    if (made < 0) return made;
    long base = sys(fsconfig, made, FSCONFIG_SET_STRING, "mode", "755", 0);
    if (base == 0) base = sys(fsconfig, made, FSCONFIG_SET_STRING, "size", SHARED_MEMORY_LIMIT, 0);
    if (base == 0) base = sys(fsconfig, made, FSCONFIG_CMD_CREATE, 0, 0, 0);
    if (base == 0) base = sys(fsmount, made, FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
    sys(close, made);
    return (int)base;
}
