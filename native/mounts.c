/* Builds the file system the command sees: mount_setattr(2) (Linux 5.12), open_tree(2), move_mount(2) (5.2).
 *
 * Everything becomes read-only in one call; writable trees are cloned before it and put back after it. Every
 * place is found once, without following any link, and mounted by descriptor: nobody can swap a directory
 * between a check and a mount. One private tmpfs holds /dev, /dev/shm and the empty things that hide others.
 *
 * Our mount namespace is a copy from before the plan was made. Until the view is finished it stays a slave of the
 * host's: what the host mounts in between shows up here as well, where the host shares its mounts, as most do. */
#include <linux/fs.h>
#include <linux/mount.h>
#include <linux/stat.h>

#include "sandbox.h"

enum { NO_TREE = -1, POINT_TRIES = 16, DEV_LENGTH = 4 /* of "/dev" */ };
#define SCRATCH "scratch" /* on the private tmpfs */

struct view {
    struct sandbox *sandbox;
    int base;            /* the private tmpfs */
    int sealed;          /* a copy of it that can only be read, as copies of it then are; negative: not to be had */
    int empty_directory; /* on it: mode 111: what is looked for in it by name is not there, listing it is refused */
    int empty_file;      /* on it: mode 000 */
    int nodes[DEVICE_NODES]; /* clones of the host's */
    int trees[MOUNTS_MAX]; /* clones taken early, or NO_TREE */
    int covers[COVERS][PREPARE_COVERS_MAX]; /* clones of the empty things, made before there was a plan */
    uint32_t cover_count[COVERS];
    const char *beside;    /* the path of an entry whose directory is open; 0 for none */
    size_t beside_length;  /* of that directory, without the slash behind it */
    int directory;
};

static struct view view; /* large, and mostly never touched */

static long change_mount(int fd, const char *path, unsigned int recursive, uint64_t set, uint64_t propagation) {
    struct mount_attr attributes = {.attr_set = set, .propagation = propagation};
    return sys(mount_setattr, fd, path, (recursive ? AT_RECURSIVE : 0) | AT_EMPTY_PATH, &attributes, sizeof attributes);
}

/* A link as the last component opens as itself. */
static int open_entry(const char *path) { return open_plain(path, O_NOFOLLOW); }

static int empty_for(enum cover kind) { return kind == COVER_DIRECTORY ? view.empty_directory : view.empty_file; }

/* While the plan is being made we have nothing else to do. One that cannot be made now is made when it is needed. */
static void make_covers(void) {
    for (enum cover kind = 0; view.sealed >= 0 && kind < COVERS; kind++)
        while (view.cover_count[kind] < view.sandbox->covers[kind]) {
            int tree = clone_tree(empty_for(kind), "", 0);
            if (tree < 0) break;
            view.covers[kind][view.cover_count[kind]++] = tree;
        }
}

static int take_cover(enum cover kind) {
    if (view.cover_count[kind]) return view.covers[kind][--view.cover_count[kind]];
    return clone_tree(empty_for(kind), "", 0);
}

/* Those that nothing was hidden with. A mount that lies nowhere makes the kernel wait when its descriptor is closed, so
 * each is put over what it is a copy of, which nobody sees. */
static int put_covers_away(void) {
    for (enum cover kind = 0; kind < COVERS; kind++)
        while (view.cover_count[kind]) {
            int error = attach(take_cover(kind), empty_for(kind));
            if (error < 0) return fail(view.sandbox, "put away", "", error);
        }
    return 0;
}

static int clone_plain(const char *path) {
    int fd = open_plain(path, 0);
    if (fd < 0) return fd;
    int tree = clone_tree(fd, "", 1);
    sys(close, fd);
    return tree;
}

/* A directory that stands for another must be ours: whoever owns it decides what the command sees. */
static int clone_source(const char *path) {
    struct statx about;
    int fd = open_plain(path, O_DIRECTORY);
    if (fd < 0) return fd;
    long error = sys(statx, fd, "", AT_EMPTY_PATH, STATX_UID, &about);
    if (error == 0 && about.stx_uid != view.sandbox->uid) error = -EPERM;
    int tree = error < 0 ? (int)error : clone_tree(fd, "", 1);
    sys(close, fd);
    return tree;
}

static int below_dev(const struct mount_entry *entry) { return path_is_at_or_below(entry->path, "/dev", DEV_LENGTH); }

static void leave_directory(void) {
    if (view.beside) sys(close, view.directory);
    view.beside = 0;
}

/* The directory of an entry, which stays open for those that come next: most of what is hidden lies in one home.
 * `last` is the name in it. Returns a negative errno where it cannot be entered. */
static int enter_directory_of(const struct mount_entry *entry, const char **last) {
    static char path[PATH_BYTES_MAX];
    size_t length = entry->length;
    while (entry->path[length - 1] != '/') length--;
    *last = entry->path + length--;
    if (length == 0 || length >= sizeof path) return -ENAMETOOLONG;
    int is_same = view.beside && view.beside_length == length && memcmp(view.beside, entry->path, length + 1) == 0;
    if (is_same) return 0;
    leave_directory();
    memcpy(path, entry->path, length);
    path[length] = 0;
    view.directory = open_plain(path, O_DIRECTORY);
    if (view.directory < 0) return view.directory;
    view.beside = entry->path;
    view.beside_length = length;
    return 0;
}

/* As `clone_plain`, for one of several in a directory. */
static int clone_beside(const struct mount_entry *entry) {
    const char *last;
    struct statx about;
    int entered = enter_directory_of(entry, &last);
    if (entered < 0) return entered;
    unsigned int flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE | AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT;
    int tree = (int)sys(open_tree, view.directory, last, flags);
    if (tree < 0) return tree;
    long error = sys(statx, tree, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, &about);
    if (error == 0 && (about.stx_mode & S_IFMT) != S_IFLNK) return tree;
    sys(close, tree);
    return error < 0 ? (int)error : -ELOOP;
}

/* The deepest entry above decides: what lies in a tree that is shown again is found there when its turn comes. */
static int is_opening(const struct plan *plan, uint32_t index) {
    const struct mount_entry *entry = &plan->mounts[index];
    int opening = 0;
    for (uint32_t i = 0; i < index; i++) {
        const struct mount_entry *above = &plan->mounts[i];
        if (!path_is_at_or_below(entry->path, above->path, above->length)) continue;
        opening = above->kind == HIDE_WITH_OPENINGS || above->source != 0;
    }
    return opening;
}

/* Takes the clones whose time is now. What has gone since the plan was made, or cannot be entered, is not opened. */
static int take_trees(enum mount_kind kind, int in_dev) {
    struct plan *plan = &view.sandbox->plan;
    for (uint32_t i = 0; i < plan->mount_count; i++) {
        struct mount_entry *entry = &plan->mounts[i];
        if (entry->kind != kind || below_dev(entry) != in_dev) continue;
        if (entry->source && same_text(entry->source, IN_MEMORY)) continue;
        if ((kind == MOUNT_READ || kind == MOUNT_OVERLAY) && !in_dev && !entry->source && !is_opening(plan, i)) continue;
        int is_beside = kind == MOUNT_READ && !in_dev;
        view.trees[i] = entry->source ? clone_source(entry->source)
                        : is_beside   ? clone_beside(entry)
                                      : clone_plain(entry->path);
        int is_lost = view.trees[i] == -ENOENT || view.trees[i] == -EACCES; /* in somebody else's closed directory */
        if (is_lost && !entry->source) view.trees[i] = NO_TREE;
        if (view.trees[i] < NO_TREE) return fail(view.sandbox, "clone", entry->path, view.trees[i]);
    }
    leave_directory(); /* the view is about to change */
    return 0;
}

/* Makes the point on the private tmpfs where an opening will be mounted: `relative` below the directory `made`, which
 * is there. */
static int make_opening(const char *made, const char *relative, int is_directory) {
    char path[PATH_BYTES_MAX];
    size_t first = strlen(made), length = first + 1 + strlen(relative);
    if (length >= sizeof path) return -ENAMETOOLONG;
    char *end = put_text(path, made);
    *end++ = '/';
    put_text(end, relative);
    for (size_t i = first + 1; i < length; i++) {
        if (path[i] != '/') continue;
        path[i] = 0;
        long error = sys(mkdirat, view.base, path, 0111);
        if (error < 0 && error != -EEXIST) return (int)error;
        path[i] = '/';
    }
    long error = is_directory ? sys(mkdirat, view.base, path, 0) : sys(mknodat, view.base, path, S_IFREG, 0);
    return error == -EEXIST ? 0 : (int)error;
}

static int tree_is_directory(int tree) {
    struct statx about;
    return sys(statx, tree, "", AT_EMPTY_PATH, STATX_TYPE, &about) == 0 && (about.stx_mode & S_IFMT) == S_IFDIR;
}

/* A directory on the private tmpfs, named by its index, with a mount point for each later entry below it. */
static int make_hiding_directory(uint32_t index) {
    struct plan *plan = &view.sandbox->plan;
    struct mount_entry *entry = &plan->mounts[index];
    char name[24];
    put_number(name, index);
    long error = sys(mkdirat, view.base, name, 0111);
    if (error < 0) return fail(view.sandbox, "make cover for", entry->path, error);
    for (uint32_t i = index + 1; i < plan->mount_count; i++) {
        struct mount_entry *opening = &plan->mounts[i];
        if (opening->length <= entry->length || !path_is_at_or_below(opening->path, entry->path, entry->length)) continue;
        if (view.trees[i] == NO_TREE && !opening->content) continue;
        int is_directory = !opening->content && tree_is_directory(view.trees[i]);
        error = make_opening(name, opening->path + entry->length + 1, is_directory);
        if (error < 0) return fail(view.sandbox, "make opening", opening->path, error);
    }
    return 0;
}

/* A command may have put anything under the name: that keeps existing, under another one. */
static int make_point(int at, const char *name, uint32_t type) {
    char aside[40];
    struct statx about;
    for (unsigned int tries = 0; tries < POINT_TRIES; tries++) {
        long error = type == S_IFDIR ? sys(mkdirat, at, name, 0700) : sys(mknodat, at, name, S_IFREG | 0600, 0);
        if (error != -EEXIST) return (int)error;
        error = sys(statx, at, name, AT_SYMLINK_NOFOLLOW, STATX_TYPE, &about);
        if (error == 0 && (about.stx_mode & S_IFMT) == type) return 0;
        put_number(put_text(aside, "moved-aside-"), tries);
        if (error == 0) sys(renameat2, at, name, at, aside, RENAME_NOREPLACE);
    }
    return -EEXIST;
}

static int is_nested(const char *name) {
    while (*name && *name != '/') name++;
    return *name != 0;
}

static int make_points_of(const struct mount_entry *entry, int at) {
    struct plan *plan = &view.sandbox->plan;
    for (uint32_t i = 0; i < plan->mount_count; i++) {
        const struct mount_entry *shown = &plan->mounts[i];
        if (shown->length <= entry->length || !path_is_at_or_below(shown->path, entry->path, entry->length)) continue;
        const char *name = shown->path + entry->length + 1;
        if (is_nested(name)) continue; /* it lies in another entry */
        struct statx about;
        int fd = open_plain(shown->path, 0);
        if (fd < 0) continue;
        long error = sys(statx, fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, &about);
        sys(close, fd);
        if (error == 0) error = make_point(at, name, (about.stx_mode & S_IFMT) == S_IFDIR ? S_IFDIR : S_IFREG);
        if (error < 0) return fail(view.sandbox, "make opening", shown->path, error);
    }
    return 0;
}

/* While its mount can still be written: the points, in directories that stand for others, for what lies on these. */
static int make_points(void) {
    struct plan *plan = &view.sandbox->plan;
    for (uint32_t i = 0; i < plan->mount_count; i++) {
        const struct mount_entry *entry = &plan->mounts[i];
        if (!entry->source) continue;
        int in_memory = same_text(entry->source, IN_MEMORY);
        long error = in_memory ? sys(mkdirat, view.base, SCRATCH, 01777) : 0;
        int at = error < 0 ? (int)error
                 : in_memory ? (int)sys(openat, view.base, SCRATCH, O_PATH | O_CLOEXEC)
                             : open_plain(entry->source, O_DIRECTORY);
        if (at < 0) return fail(view.sandbox, "open", entry->source, at);
        int made = make_points_of(entry, at);
        sys(close, at);
        if (made != 0) return -1;
    }
    return 0;
}

static int make_dev_points(void) {
    struct plan *plan = &view.sandbox->plan;
    for (uint32_t i = 0; i < plan->mount_count; i++) {
        struct mount_entry *entry = &plan->mounts[i];
        if (view.trees[i] == NO_TREE || !below_dev(entry) || entry->length <= DEV_LENGTH) continue;
        int error = make_opening("dev", entry->path + DEV_LENGTH + 1, tree_is_directory(view.trees[i]));
        if (error < 0) return fail(view.sandbox, "make opening", entry->path, error);
    }
    return 0;
}

/* A tmpfs that lies nowhere yet. Returns its descriptor, or a negative errno. */
static int make_tmpfs(void) {
    int made = (int)sys(fsopen, "tmpfs", FSOPEN_CLOEXEC);
    if (made < 0) return made;
    long base = sys(fsconfig, made, FSCONFIG_SET_STRING, "mode", "755", 0);
    if (base == 0) base = sys(fsconfig, made, FSCONFIG_SET_STRING, "size", SHARED_MEMORY_LIMIT, 0);
    if (base == 0) base = sys(fsconfig, made, FSCONFIG_CMD_CREATE, 0, 0, 0);
    if (base == 0) base = sys(fsmount, made, FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
    sys(close, made);
    return (int)base;
}

/* A mount that lies nowhere can be copied since Linux 6.15. Before, what is empty is copied from the base itself, when
 * that has been mounted. */
static int make_sealed(void) {
    struct mount_attr read_only = {.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOEXEC};
    int tree = clone_tree(view.base, "", 0);
    long error = tree < 0 ? 0 : sys(mount_setattr, tree, "", AT_EMPTY_PATH, &read_only, sizeof read_only);
    if (error == 0) return tree;
    sys(close, tree);
    return (int)error;
}

static int make_base(void) {
    struct sandbox *sandbox = view.sandbox;
    long error;
    view.base = make_tmpfs();
    if (view.base < 0) return fail(sandbox, "mount tmpfs", "/dev", view.base);
    if ((error = sys(mkdirat, view.base, "none", 0111)) < 0) return fail(sandbox, "make cover", "", error);
    if ((error = sys(mknodat, view.base, "empty", S_IFREG, 0)) < 0) return fail(sandbox, "make cover", "", error);
    if (furnish_devices(sandbox, view.base, view.nodes) != 0) return -1;
    view.sealed = sandbox->test_old_kernel ? -EINVAL : make_sealed();
    int empties = view.sealed < 0 ? view.base : view.sealed;
    view.empty_directory = (int)sys(openat, empties, "none", O_PATH | O_CLOEXEC);
    view.empty_file = (int)sys(openat, empties, "empty", O_PATH | O_CLOEXEC);
    return 0;
}

/* Over the directory it has a copy of, where nobody sees it. */
static int attach_sealed(void) {
    int target = (int)sys(openat, view.base, "none", O_PATH | O_CLOEXEC);
    int error = target < 0 ? target : attach(view.sealed, target);
    sys(close, target);
    return error < 0 ? fail(view.sandbox, "mount", "what hides", error) : 0;
}

static char *put_content_name(char *at, uint32_t index) { return put_number(put_text(at, "shown-"), index); }

/* A file on the private tmpfs with what is shown in place of a hidden one. */
static int make_content(uint32_t index) {
    const struct mount_entry *entry = &view.sandbox->plan.mounts[index];
    char name[32];
    put_content_name(name, index);
    long fd = sys(openat, view.base, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444), written = 0;
    for (uint32_t done = 0; fd >= 0 && written >= 0 && done < entry->content_length; done += (uint32_t)written)
        written = sys(write, fd, entry->content + done, entry->content_length - done);
    if (fd >= 0) sys(close, fd);
    long error = fd < 0 ? fd : written;
    return error < 0 ? fail(view.sandbox, "make content for", entry->path, error) : 0;
}

static int content_tree(uint32_t index) {
    struct mount_attr read_only = {.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOEXEC};
    char name[32];
    put_content_name(name, index);
    int tree = clone_tree(view.base, name, 0);
    long error = tree < 0 ? 0 : sys(mount_setattr, tree, "", AT_EMPTY_PATH, &read_only, sizeof read_only);
    if (error == 0) return tree;
    sys(close, tree);
    return (int)error;
}

/* The base is mounted on /dev, and the directory "dev" on it then covers it from sight. */
static int attach_base(void) {
    struct sandbox *sandbox = view.sandbox;
    for (uint32_t i = 0; i < sandbox->plan.mount_count; i++)
        if (sandbox->plan.mounts[i].kind == HIDE_WITH_OPENINGS && make_hiding_directory(i) != 0) return -1;
    for (uint32_t i = 0; i < sandbox->plan.mount_count; i++)
        if (sandbox->plan.mounts[i].content && make_content(i) != 0) return -1;
    if (make_dev_points() != 0) return -1;
    int error = attach_at(view.base, "/dev");
    if (error < 0) return fail(sandbox, "mount tmpfs", "/dev", error);
    return view.sealed < 0 ? 0 : attach_sealed();
}

static int made_writable(int tree) {
    struct mount_attr attributes = {.attr_clr = MOUNT_ATTR_RDONLY};
    long error = sys(mount_setattr, tree, "", AT_EMPTY_PATH, &attributes, sizeof attributes);
    if (error == 0) return tree;
    sys(close, tree);
    return (int)error;
}

static int tree_for(uint32_t index, int target) {
    char name[24];
    switch ((enum mount_kind)view.sandbox->plan.mounts[index].kind) {
        case HIDE_DIRECTORY: return take_cover(COVER_DIRECTORY);
        case HIDE_FILE: return view.sandbox->plan.mounts[index].content ? content_tree(index) : take_cover(COVER_FILE);
        case HIDE_WITH_OPENINGS: put_number(name, index); return clone_tree(view.base, name, 0);
        case MOUNT_WRITE: case MOUNT_READ: case MOUNT_OVERLAY: break;
        case MOUNT_KINDS: return -EINVAL;
    }
    if (view.trees[index] != NO_TREE) return view.trees[index];
    const struct mount_entry *entry = &view.sandbox->plan.mounts[index];
    int tree = entry->source ? clone_tree(view.base, SCRATCH, 0) : clone_tree(target, "", 1);
    if (tree >= 0 && entry->kind == MOUNT_WRITE) return made_writable(tree); /* the base is not */
    if (tree < 0) return tree;
    long error = change_mount(tree, "", 1, MOUNT_ATTR_RDONLY, 0);
    return error < 0 ? (int)error : tree;
}

static int is_hidden_kind(uint32_t kind) {
    return kind == HIDE_DIRECTORY || kind == HIDE_WITH_OPENINGS || kind == HIDE_FILE;
}

/* Whether the command needs something at or below `place`. */
static int is_needed(const char *place) {
    const struct plan *plan = &view.sandbox->plan;
    size_t length = strlen(place);
    if (path_is_at_or_below(plan->cwd, place, length)) return 1;
    for (uint32_t i = 0; i < plan->mount_count; i++)
        if (!is_hidden_kind(plan->mounts[i].kind) && path_is_at_or_below(plan->mounts[i].path, place, length)) return 1;
    return 0;
}

/* What cannot be reached from here cannot be reached by the command either, which has our identity and fewer rights:
 * another user's closed directory, a dead mount, a path too long. That may change while the command runs, so the
 * nearest directory that can be covered is: nothing that can be entered now is lost with it. */
static int find_above(const struct mount_entry *entry, int error) {
    static char path[PATH_BYTES_MAX];
    size_t length = entry->length < sizeof path ? entry->length : sizeof path - 1;
    memcpy(path, entry->path, length);
    path[length] = 0;
    for (;;) {
        while (length > 0 && path[length - 1] != '/') length--;
        if (length <= 1) return error;
        path[--length] = 0;
        int fd = open_plain(path, 0);
        if (fd < 0) continue;
        if (error == -EACCES || !is_needed(path)) return fd; /* of what is closed to us nothing can be needed */
        sys(close, fd);
        return error;
    }
}

/* The quick way, for one of many in a directory: no link is followed, as the last name is mounted on as it is.
 * 0 where it worked; otherwise the longer way finds out what is there, and the tree still lies where it was. */
static int attach_quickly(const struct mount_entry *entry, int tree) {
    const char *last;
    if (enter_directory_of(entry, &last) < 0) return -EINVAL;
    return (int)sys(move_mount, tree, "", view.directory, last, MOVE_MOUNT_F_EMPTY_PATH);
}

/* A cover that was made early stays open until the command begins, as all of those are: closing each takes longer. */
static int hide_quickly(uint32_t index) {
    const struct mount_entry *entry = &view.sandbox->plan.mounts[index];
    enum cover kind = entry->kind == HIDE_FILE ? COVER_FILE : COVER_DIRECTORY;
    int is_plain = entry->kind != HIDE_WITH_OPENINGS && !entry->content;
    if (is_plain) {
        if (!view.cover_count[kind]) return -EINVAL;
        int error = attach_quickly(entry, view.covers[kind][view.cover_count[kind] - 1]);
        if (error == 0) view.cover_count[kind]--;
        return error;
    }
    int tree = tree_for(index, NO_TREE);
    int error = tree < 0 ? tree : attach_quickly(entry, tree);
    if (tree >= 0) sys(close, tree);
    return error;
}

/* Whether the nearest entry above is of this kind. */
static int lies_in(uint32_t index, enum mount_kind kind) {
    const struct plan *plan = &view.sandbox->plan;
    const char *path = plan->mounts[index].path;
    for (uint32_t i = index; i-- > 0;)
        if (path_is_at_or_below(path, plan->mounts[i].path, plan->mounts[i].length)) return plan->mounts[i].kind == kind;
    return 0;
}

/* Whether what lies at an entry's path is what an overlay has there, covered or not. */
static int lies_in_overlay(uint32_t index) {
    const struct plan *plan = &view.sandbox->plan;
    const char *path = plan->mounts[index].path;
    for (uint32_t i = index; i-- > 0;) {
        const struct mount_entry *above = &plan->mounts[i];
        if (!path_is_at_or_below(path, above->path, above->length)) continue;
        if (above->kind == MOUNT_OVERLAY || above->kind == MOUNT_WRITE) return above->kind == MOUNT_OVERLAY;
    }
    return 0;
}

/* Puts an empty thing over what lies there now: a directory may have become a file since the plan was made. */
static int hide_entry(uint32_t index) {
    struct mount_entry *entry = &view.sandbox->plan.mounts[index];
    if (hide_quickly(index) == 0) return 0;
    leave_directory(); /* what is mounted now may lie over it */
    int target = open_plain(entry->path, 0), as_planned = target >= 0;
    if (target == -ENOENT || target == -ENOTDIR) return 0; /* gone since then: nothing to hide */
    if (target == -ELOOP && lies_in_overlay(index)) return 0; /* a link of the command's own took its place, in its overlay */
    if (target < 0 && entry->kind != HIDE_WITH_OPENINGS) target = find_above(entry, target);
    if (target < 0) return fail(view.sandbox, "find", entry->path, target);
    int tree = as_planned ? tree_for(index, target) : clone_tree(view.empty_directory, "", 0);
    int error = tree < 0 ? tree : attach(tree, target);
    if (tree >= 0) sys(close, tree);
    int may_differ = entry->kind != HIDE_WITH_OPENINGS || lies_in_overlay(index);
    if (error == -EINVAL && as_planned && may_differ) {
        tree = clone_tree(entry->kind == HIDE_FILE ? view.empty_directory : view.empty_file, "", 0);
        error = tree < 0 ? tree : attach(tree, target);
        if (tree >= 0) sys(close, tree);
    }
    sys(close, target);
    return error < 0 ? fail(view.sandbox, "mount", entry->path, error) : 0;
}

/* 0 where the overlay lies in its place; otherwise what is there stays, or is shown, read-only. */
static int apply_overlay(struct mount_entry *entry) {
    int target = open_plain(entry->path, O_DIRECTORY);
    int tree = target < 0 ? target : clone_overlaid(view.sandbox, entry);
    int error = tree < 0 ? tree : attach(tree, target);
    if (tree >= 0) sys(close, tree);
    if (target >= 0) sys(close, target);
    return error;
}

static int apply_entry(uint32_t index) {
    struct mount_entry *entry = &view.sandbox->plan.mounts[index];
    if (is_hidden_kind(entry->kind)) return hide_entry(index);
    int is_opened = entry->kind == MOUNT_READ && view.trees[index] != NO_TREE;
    if (is_opened && attach_quickly(entry, view.trees[index]) == 0) return 0; /* open until the command begins, too */
    leave_directory();
    if (entry->kind == MOUNT_OVERLAY) {
        if (apply_overlay(entry) == 0) return 0;
        entry->kind = MOUNT_READ; /* so everybody who asks the plan knows it */
        /* Where all around is read-only as well, there is nothing to protect; else it is made so like any other. */
        if (view.trees[index] == NO_TREE && !lies_in(index, MOUNT_WRITE)) return 0;
    }
    int is_lost = view.trees[index] == NO_TREE && !entry->source;
    if (is_lost && (entry->kind == MOUNT_WRITE || is_opening(&view.sandbox->plan, index))) return 0;
    /* A protected name may be a link: mounted onto itself it can no longer be replaced. */
    int target = entry->kind == MOUNT_READ ? open_entry(entry->path) : open_plain(entry->path, 0);
    if (target == -ENOENT && entry->kind != MOUNT_READ) return 0; /* gone since the plan was made */
    if (target < 0 && lies_in_overlay(index)) return 0; /* the command's own took the place of what was to be seen */
    if (target == -EACCES && !entry->source) return hide_entry(index); /* protected as a whole, then */
    if (target < 0) return fail(view.sandbox, "find", entry->path, target);
    int tree = tree_for(index, target);
    int error = tree < 0 ? tree : attach(tree, target);
    if (tree >= 0) sys(close, tree);
    sys(close, target);
    return error < 0 ? fail(view.sandbox, "mount", entry->path, error) : 0;
}

int begin_view(struct sandbox *sandbox) {
    view.sandbox = sandbox;
    /* Device nodes must be cloned while their mount still allows devices. */
    clone_device_nodes(view.nodes);
    if (make_base() != 0 || mount_proc(sandbox) != 0 || cover_proc(sandbox) != 0) return -1;
    if (view.sealed >= 0 && hide_in_proc(sandbox, view.empty_file) != 0) return -1;
    make_covers();
    return 0;
}

int finish_view(struct sandbox *sandbox) {
    for (uint32_t i = 0; i < sandbox->plan.mount_count; i++) view.trees[i] = NO_TREE;
    /* Like the nodes: while their mount still allows devices. */
    if (take_trees(MOUNT_WRITE, 1) != 0 || take_trees(MOUNT_READ, 1) != 0) return -1;
    if (sandbox->plan.flags & PLAN_TTY) clone_console(view.nodes);
    long error = change_mount(AT_FDCWD, "/", 1, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, MS_PRIVATE);
    if (error < 0) return fail(sandbox, "make mounts private", "/", error);
    if (make_points() != 0 || take_trees(MOUNT_WRITE, 0) != 0) return -1;
    make_overlays(sandbox);
    error = change_mount(AT_FDCWD, "/", 1, MOUNT_ATTR_RDONLY, 0);
    if (error < 0) return fail(sandbox, "make read-only", "/", error);
    if (take_trees(MOUNT_READ, 0) != 0 || take_trees(MOUNT_OVERLAY, 0) != 0) return -1;

    if (attach_base() != 0) return -1;
    attach_overlays(sandbox, view.base);
    if (mount_devices(sandbox, view.base, view.nodes) != 0) return -1;
    if (view.sealed < 0 && hide_in_proc(sandbox, view.empty_file) != 0) return -1;
    if (open_proc(sandbox, view.empty_directory) != 0) return -1;
    for (uint32_t i = 0; i < sandbox->plan.mount_count; i++)
        if (apply_entry(i) != 0) return -1;
    leave_directory();
    if (put_covers_away() != 0) return -1;
    sandbox->layers |= LAYER_USERNS | LAYER_MOUNT | LAYER_PID | LAYER_IPC;
    return 0;
}
