/* One overlay: what it is mounted from, and whose it is. overlayfs, in a user namespace since Linux 5.11.
 *
 * The kernel looks for what is below and writes what is above with the rights that mounted them, which are those of
 * the caller. What a command may have put into the kept directory is obeyed nowhere: `redirect_dir=nofollow` and
 * `metacopy=off` take attributes that point elsewhere for nothing. `volatile`, as the end of every command would
 * write the whole file system of the kept directory to its disk otherwise; that leaves a mark, which is removed first. */
#include <linux/mount.h>
#include <linux/openat2.h>
#include <linux/stat.h>

#include "claims.h"

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

int mount_overlay(int lower, int upper, int work, int is_volatile) {
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

int open_overlay(const struct sandbox *sandbox, const struct overlay *overlay, struct overlay_parts *parts) {
    parts->lower = open_plain(overlay->lower, O_DIRECTORY);
    parts->upper = open_kept(sandbox, overlay->upper);
    parts->work = open_kept(sandbox, overlay->work);
    return parts->lower < 0 ? parts->lower : parts->upper < 0 ? parts->upper : parts->work < 0 ? parts->work : 0;
}

void close_overlay(const struct overlay_parts *parts) {
    if (parts->lower >= 0) sys(close, parts->lower);
    if (parts->upper >= 0) sys(close, parts->upper);
    if (parts->work >= 0) sys(close, parts->work);
}

int mount_kept(const struct overlay_parts *parts) {
    int error = (int)sys(flock, parts->work, LOCK_ALONE);
    if (error == 0) error = void_claim(parts->work);
    if (error < 0) return error;
    forget_mark(parts->work);
    return mount_overlay(parts->lower, parts->upper, parts->work, 1);
}

/* The lock is kept by whoever has the description: it waits in the supervisor's socket, or with the supervisor. */
int keep_lock(struct sandbox *sandbox, int work) {
    long error = send_descriptors(sandbox->listener_pipe[1], &work, 1);
    if (error < 0) return (int)error;
    sandbox->locks++;
    return 0;
}
