/* Most of what is hidden or opened lies in one home: its directory is found once, and stays open for those that come next.
 * What is mounted on a name in it does not lie over it; whoever mounts elsewhere leaves it first. */
#include <linux/fcntl.h>
#include <linux/mount.h>
#include <linux/stat.h>

#include "view.h"

static const char *beside;   /* the path of an entry whose directory is open; 0 for none */
static size_t beside_length; /* of that directory, without the slash behind it */
static int directory;

void leave_directory(void) {
    if (beside) sys(close, directory);
    beside = 0;
}

/* `last` is the name in it. Returns a negative errno where it cannot be entered. */
static int enter_directory_of(const struct mount_entry *entry, const char **last) {
    static char path[PATH_BYTES_MAX];
    size_t length = entry->length;
    while (entry->path[length - 1] != '/') length--;
    *last = entry->path + length--;
    if (length == 0 || length >= sizeof path) return -ENAMETOOLONG;
    int is_same = beside && beside_length == length && memcmp(beside, entry->path, length + 1) == 0;
    if (is_same) return 0;
    leave_directory();
    memcpy(path, entry->path, length);
    path[length] = 0;
    directory = open_plain(path, O_DIRECTORY);
    if (directory < 0) return directory;
    beside = entry->path;
    beside_length = length;
    return 0;
}

/* With all that is mounted on it. No link is followed, and what lies there is not asked. */
int clone_beside(const struct mount_entry *entry) {
    const char *last;
    struct statx about;
    int entered = enter_directory_of(entry, &last);
    if (entered < 0) return entered;
    unsigned int flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE | AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT;
    int tree = (int)sys(open_tree, directory, last, flags);
    if (tree < 0) return tree;
    long error = sys(statx, tree, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, &about);
    if (error == 0 && (about.stx_mode & S_IFMT) != S_IFLNK) return tree;
    sys(close, tree);
    return error < 0 ? (int)error : -ELOOP;
}

/* The quick way, for one of many in a directory: no link is followed, as the last name is mounted on as it is.
 * 0 where it worked; otherwise the longer way finds out what is there, and the tree still lies where it was. */
int attach_beside(const struct mount_entry *entry, int tree) {
    const char *last;
    if (enter_directory_of(entry, &last) < 0) return -EINVAL;
    return (int)sys(move_mount, tree, "", directory, last, MOVE_MOUNT_F_EMPTY_PATH);
}
