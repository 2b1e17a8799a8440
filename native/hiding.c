/* Puts empty things over what the command may not see, and what is shown instead over what it may see a part of. */
#include <linux/mount.h>
#include <linux/stat.h>

#include "view.h"

static int empty_for(enum cover kind) { return kind == COVER_DIRECTORY ? view.empty_directory : view.empty_file; }

/* While the plan is being made we have nothing else to do. One that cannot be made now is made when it is needed. */
void make_covers(void) {
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
int put_covers_away(void) {
    for (enum cover kind = 0; kind < COVERS; kind++)
        while (view.cover_count[kind]) {
            int error = attach(take_cover(kind), empty_for(kind));
            if (error < 0) return fail(view.sandbox, "put away", "", error);
        }
    return 0;
}

static char *put_content_name(char *at, uint32_t index) { return put_number(put_text(at, "shown-"), index); }

/* A file on the private tmpfs with what is shown in place of a hidden one. */
int make_content(uint32_t index) {
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

int is_hidden_kind(uint32_t kind) {
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

/* What hides an entry: something empty, a directory with its openings, or what is shown in its place. */
static int cover_for(uint32_t index) {
    const struct mount_entry *entry = &view.sandbox->plan.mounts[index];
    char name[24];
    if (entry->content) return content_tree(index);
    if (entry->kind != HIDE_WITH_OPENINGS) return take_cover(entry->kind == HIDE_FILE ? COVER_FILE : COVER_DIRECTORY);
    put_number(name, index);
    return clone_tree(view.base, name, 0);
}

/* A cover that was made early stays open until the command begins, as all of those are: closing each takes longer. */
static int hide_quickly(uint32_t index) {
    const struct mount_entry *entry = &view.sandbox->plan.mounts[index];
    enum cover kind = entry->kind == HIDE_FILE ? COVER_FILE : COVER_DIRECTORY;
    int is_early = entry->kind != HIDE_WITH_OPENINGS && !entry->content && view.cover_count[kind];
    if (is_early) {
        int error = attach_beside(entry, view.covers[kind][view.cover_count[kind] - 1]);
        if (error == 0) view.cover_count[kind]--;
        return error;
    }
    int tree = cover_for(index);
    int error = tree < 0 ? tree : attach_beside(entry, tree);
    if (tree >= 0) sys(close, tree);
    return error;
}

/* Whether the nearest entry above is of this kind. */
int lies_in(uint32_t index, enum mount_kind kind) {
    const struct plan *plan = &view.sandbox->plan;
    const char *path = plan->mounts[index].path;
    for (uint32_t i = index; i-- > 0;)
        if (path_is_at_or_below(path, plan->mounts[i].path, plan->mounts[i].length)) return plan->mounts[i].kind == kind;
    return 0;
}

/* Whether what lies at an entry's path is what an overlay has there, covered or not. */
int lies_in_overlay(uint32_t index) {
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
int hide_entry(uint32_t index) {
    struct mount_entry *entry = &view.sandbox->plan.mounts[index];
    if (hide_quickly(index) == 0) return 0;
    leave_directory(); /* what is mounted now may lie over it */
    int target = open_plain(entry->path, 0), as_planned = target >= 0;
    if (target == -ENOENT || target == -ENOTDIR) return 0; /* gone since then: nothing to hide */
    if (target == -ELOOP && lies_in_overlay(index)) return 0; /* a link of the command's own took its place, in its overlay */
    if (target < 0 && entry->kind != HIDE_WITH_OPENINGS) target = find_above(entry, target);
    if (target < 0) return fail(view.sandbox, "find", entry->path, target);
    int tree = as_planned ? cover_for(index) : clone_tree(view.empty_directory, "", 0);
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
