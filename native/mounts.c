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

#include "layers.h"
#include "view.h"

static long change_mount(int fd, const char *path, unsigned int recursive, uint64_t set, uint64_t propagation) {
    struct mount_attr attributes = {.attr_set = set, .propagation = propagation};
    return sys(mount_setattr, fd, path, (recursive ? AT_RECURSIVE : 0) | AT_EMPTY_PATH, &attributes, sizeof attributes);
}

/* A link as the last component opens as itself. */
static int open_entry(const char *path) { return open_plain(path, O_NOFOLLOW); }

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
        if (is_overlaid(plan, entry)) continue;
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
    const struct mount_entry *entry = &view.sandbox->plan.mounts[index];
    if (view.trees[index] != NO_TREE) return view.trees[index];
    int tree = entry->source ? clone_tree(view.base, SCRATCH, 0) : clone_tree(target, "", 1);
    if (tree >= 0 && entry->kind == MOUNT_WRITE) return made_writable(tree); /* the base is not */
    if (tree < 0) return tree;
    long error = change_mount(tree, "", 1, MOUNT_ATTR_RDONLY, 0);
    return error < 0 ? (int)error : tree;
}

/* 0 where the overlay lies in its place; otherwise what is there stays, or is shown, read-only. */
static int apply_overlay(struct mount_entry *entry) {
    if (is_overlaid(&view.sandbox->plan, entry) && attach_beside(entry, take_overlaid(view.sandbox, entry)) == 0) return 0;
    leave_directory();
    int target = open_plain(entry->path, O_DIRECTORY);
    int tree = target < 0 ? target : take_overlaid(view.sandbox, entry);
    int error = tree < 0 ? tree : attach(tree, target);
    if (tree >= 0) sys(close, tree);
    if (target >= 0) sys(close, target);
    return error;
}

/* Whether its place is looked up in a mount that is borrowed. */
static int lies_in_lent(const struct plan *plan, const struct mount_entry *entry) {
    uint32_t index = plan_overlay_of(plan, entry->path);
    return index != OVERLAYS_MAX && *plan->overlays[index].lent && entry->length != plan->overlays[index].lower_length;
}

static int apply_entry(uint32_t index) {
    struct mount_entry *entry = &view.sandbox->plan.mounts[index];
    if (lies_in_lent(&view.sandbox->plan, entry) && wait_for_fresh_layers(view.sandbox) != 0) return -1;
    if (is_hidden_kind(entry->kind)) return hide_entry(index);
    int is_opened = entry->kind == MOUNT_READ && view.trees[index] != NO_TREE;
    if (is_opened && attach_beside(entry, view.trees[index]) == 0) return 0; /* open until the command begins, too */
    if (entry->kind == MOUNT_OVERLAY) {
        if (apply_overlay(entry) == 0) return 0;
        entry->kind = MOUNT_READ; /* so everybody who asks the plan knows it */
        /* Where all around is read-only as well, there is nothing to protect; else it is made so like any other. */
        if (view.trees[index] == NO_TREE && !lies_in(index, MOUNT_WRITE)) return 0;
    }
    leave_directory();
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
    ask_for_layers(sandbox);
    /* Like the nodes: while their mount still allows devices. */
    if (take_trees(MOUNT_WRITE, 1) != 0 || take_trees(MOUNT_READ, 1) != 0) return -1;
    if (sandbox->plan.flags & PLAN_TTY) clone_console(view.nodes);
    long error = change_mount(AT_FDCWD, "/", 1, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, MS_PRIVATE);
    if (error < 0) return fail(sandbox, "make mounts private", "/", error);
    if (make_points() != 0 || take_trees(MOUNT_WRITE, 0) != 0) return -1;
    make_overlays(sandbox);
    error = change_mount(AT_FDCWD, "/", 1, MOUNT_ATTR_RDONLY, 0);
    if (error < 0) return fail(sandbox, "make read-only", "/", error);
    if (take_trees(MOUNT_READ, 0) != 0) return -1;
    fetch_overlays(sandbox); /* as late as can be: they come from elsewhere */
    if (take_trees(MOUNT_OVERLAY, 0) != 0) return -1;

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
