/* Directories that can be written inside and stay as they are outside: overlayfs, in a user namespace since Linux 5.11.
 *
 * The kernel looks for what is below and writes what is above with the rights that mounted them, which are those of
 * the caller. What a command may have put into the kept directory is obeyed nowhere: `redirect_dir=nofollow` and
 * `metacopy=off` take attributes that point elsewhere for nothing. `volatile`, as the end of every command would
 * write the whole file system of the kept directory to its disk otherwise; that leaves a mark, which is removed first.
 *
 * A kept directory and its work directory belong to one mount at a time: who has the lock (flock(2)) on the second, whose
 * mode no command changes. It the supervisor holds until everything inside is gone. Who does not get it, or whose kept directory cannot
 * lie on top, has one in memory that ends with the command. Where even that is refused the place is read-only. */
#include <linux/mount.h>
#include <linux/openat2.h>
#include <linux/stat.h>

#include "sandbox.h"

enum { NO_TREE = -1, LOCK_ALONE = 2 | 4 /* LOCK_EX | LOCK_NB */ };

static int trees[OVERLAYS_MAX]; /* overlays that lie nowhere yet, and then the places where they lie */

static char *name_of(char *to, const char *what, uint32_t index) { return put_number(put_text(to, what), index); }

/* A directory whose content we alone decide about, or a negative errno. */
static int open_kept(const struct sandbox *sandbox, const char *path) {
    struct open_how how = {
        .flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW,
        .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    struct statx about;
    int fd = (int)sys(openat2, AT_FDCWD, path, &how, sizeof how);
    if (fd < 0) return fd;
    long error = sys(statx, fd, "", AT_EMPTY_PATH, STATX_UID, &about);
    if (error == 0 && about.stx_uid != sandbox->uid) error = -EPERM;
    if (error == 0) return fd;
    sys(close, fd);
    return (int)error;
}

static long set_text(int context, const char *key, const char *value) {
    return sys(fsconfig, context, FSCONFIG_SET_STRING, key, value, 0);
}

/* By descriptor, so that neither a colon in a name nor an exchanged directory leads elsewhere. */
static long set_directory(int context, const char *key, int fd) {
    char link[40];
    put_number(put_text(link, "/proc/thread-self/fd/"), (unsigned long)fd);
    return set_text(context, key, link);
}

static int mount_overlay(int lower, int upper, int work, int is_volatile) {
    int context = (int)sys(fsopen, "overlay", FSOPEN_CLOEXEC);
    if (context < 0) return context;
    long error = set_directory(context, "lowerdir", lower);
    if (error == 0) error = set_directory(context, "upperdir", upper);
    if (error == 0) error = set_directory(context, "workdir", work);
    if (error == 0) error = sys(fsconfig, context, FSCONFIG_SET_FLAG, "userxattr", 0, 0);
    if (error == 0 && is_volatile) error = sys(fsconfig, context, FSCONFIG_SET_FLAG, "volatile", 0, 0);
    if (error == 0) error = set_text(context, "redirect_dir", "nofollow");
    if (error == 0) error = set_text(context, "metacopy", "off");
    if (error == 0) error = set_text(context, "index", "off");
    if (error == 0) error = sys(fsconfig, context, FSCONFIG_CMD_CREATE, 0, 0, 0);
    if (error == 0) error = sys(fsmount, context, FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
    sys(close, context);
    return (int)error;
}

/* The mark of a volatile mount says that a crash may have cut its files short. They are caches and drafts: whoever
 * reads them checks them, or makes them again. */
static void forget_mark(int work) {
    if (sys(unlinkat, work, "work/incompat/volatile/dirty", 0) == -ENOENT) return;
    sys(unlinkat, work, "work/incompat/volatile", AT_REMOVEDIR);
    sys(unlinkat, work, "work/incompat", AT_REMOVEDIR);
}

/* The lock is kept by whoever has the description: it waits in the supervisor's socket, or with the supervisor. */
static int keep_lock(struct sandbox *sandbox, int work) {
    long error = send_descriptors(sandbox->listener_pipe[1], &work, 1);
    if (error < 0) return (int)error;
    sandbox->locks++;
    return 0;
}

static int make_kept(struct sandbox *sandbox, const struct overlay *overlay) {
    int lower = open_plain(overlay->lower, O_DIRECTORY);
    int upper = open_kept(sandbox, overlay->upper), work = open_kept(sandbox, overlay->work);
    int error = lower < 0 ? lower : upper < 0 ? upper : work < 0 ? work : (int)sys(flock, work, LOCK_ALONE);
    if (error == 0) {
        forget_mark(work);
        error = mount_overlay(lower, upper, work, 1);
    }
    if (error >= 0) {
        int kept = keep_lock(sandbox, work);
        if (kept < 0) {
            sys(close, error);
            error = kept;
        }
    }
    if (lower >= 0) sys(close, lower);
    if (upper >= 0) sys(close, upper);
    if (work >= 0) sys(close, work);
    return error;
}

/* On the private tmpfs, whose size is bounded. */
static int make_in_memory(const struct overlay *overlay, int base, uint32_t index) {
    char upper_name[24], work_name[24];
    struct statx about;
    int lower = open_plain(overlay->lower, O_DIRECTORY);
    if (lower < 0) return lower;
    name_of(upper_name, "upper", index);
    name_of(work_name, "work", index);
    long error = sys(statx, lower, "", AT_EMPTY_PATH, STATX_MODE, &about);
    if (error == 0) error = sys(mkdirat, base, upper_name, about.stx_mode & 0777);
    if (error == 0) error = sys(mkdirat, base, work_name, 0700);
    int upper = error < 0 ? (int)error : (int)sys(openat, base, upper_name, O_PATH | O_CLOEXEC);
    int work = upper < 0 ? upper : (int)sys(openat, base, work_name, O_PATH | O_CLOEXEC);
    int tree = work < 0 ? work : mount_overlay(lower, upper, work, 0);
    if (upper >= 0) sys(close, upper);
    if (work >= 0) sys(close, work);
    sys(close, lower);
    return tree;
}

void make_overlays(struct sandbox *sandbox) {
    for (uint32_t i = 0; i < sandbox->plan.overlay_count; i++) trees[i] = make_kept(sandbox, &sandbox->plan.overlays[i]);
}

/* Where nobody sees it: below the private tmpfs, of which the command is shown parts. */
static int put_down(int tree, int base, uint32_t index) {
    char name[24];
    name_of(name, "overlay", index);
    long error = sys(mkdirat, base, name, 0700);
    return error < 0 ? (int)error : (int)sys(move_mount, tree, "", base, name, MOVE_MOUNT_F_EMPTY_PATH);
}

void attach_overlays(struct sandbox *sandbox, int base) {
    for (uint32_t i = 0; i < sandbox->plan.overlay_count; i++) {
        if (trees[i] < 0) {
            trees[i] = make_in_memory(&sandbox->plan.overlays[i], base, i);
            sandbox->layers |= trees[i] < 0 ? LAYER_NO_OVERLAY : LAYER_BRIEF_OVERLAY;
        }
        if (trees[i] >= 0 && put_down(trees[i], base, i) < 0) {
            sys(close, trees[i]);
            trees[i] = NO_TREE;
            sandbox->layers |= LAYER_NO_OVERLAY;
        }
    }
}

/* What the overlay has in place of `entry`, to be mounted there. A negative errno where there is none. */
int clone_overlaid(const struct sandbox *sandbox, const struct mount_entry *entry) {
    uint32_t index = plan_overlay_of(&sandbox->plan, entry->path);
    if (index == OVERLAYS_MAX || trees[index] < 0) return -ENOENT;
    const char *below = entry->path + sandbox->plan.overlays[index].lower_length;
    struct open_how how = {
        .flags = O_PATH | O_CLOEXEC | O_DIRECTORY | O_NOFOLLOW,
        .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_BENEATH,
    };
    int fd = (int)sys(openat2, trees[index], *below ? below + 1 : ".", &how, sizeof how);
    if (fd < 0) return fd;
    int tree = clone_tree(fd, "", 0);
    sys(close, fd);
    return tree;
}
