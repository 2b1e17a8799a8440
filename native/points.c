/* What things are mounted on: points on the private tmpfs, and in directories that stand for others. */
#include <linux/fs.h>
#include <linux/stat.h>

#include "view.h"

enum { POINT_TRIES = 16 };

struct view view; /* large, and mostly never touched */

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
int make_hiding_directory(uint32_t index) {
    struct plan *plan = &view.sandbox->plan;
    struct mount_entry *entry = &plan->mounts[index];
    char name[24];
    put_number(name, index);
    long error = sys(mkdirat, view.base, name, 0111);
    if (error < 0) return fail(view.sandbox, "make cover for", entry->path, error);
    for (uint32_t i = index + 1; i < plan->mount_count; i++) {
        struct mount_entry *opening = &plan->mounts[i];
        if (opening->length <= entry->length || !path_is_at_or_below(opening->path, entry->path, entry->length)) continue;
        int is_directory = is_overlaid(plan, opening);
        if (view.trees[i] == NO_TREE && !opening->content && !is_directory) continue;
        if (!is_directory) is_directory = !opening->content && tree_is_directory(view.trees[i]);
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
int make_points(void) {
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

int make_dev_points(void) {
    struct plan *plan = &view.sandbox->plan;
    for (uint32_t i = 0; i < plan->mount_count; i++) {
        struct mount_entry *entry = &plan->mounts[i];
        if (view.trees[i] == NO_TREE || !below_dev(entry) || entry->length <= DEV_LENGTH) continue;
        int error = make_opening("dev", entry->path + DEV_LENGTH + 1, tree_is_directory(view.trees[i]));
        if (error < 0) return fail(view.sandbox, "make opening", entry->path, error);
    }
    return 0;
}
