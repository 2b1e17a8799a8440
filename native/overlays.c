/* Directories that can be written inside and stay as they are outside: the overlays of one command (layers.c).
 *
 * A kept directory and its work directory belong to one mount at a time: who has the lock (flock(2)) on the second, whose
 * mode no command changes, alone; or shares it with others that use the mount which the session keeps (lent_layers.c). It the
 * supervisor holds until everything inside is gone. Who does not get it, or whose kept directory cannot
 * lie on top, has one in memory that ends with the command. Where even that is refused the place is read-only. */
#include <linux/mount.h>
#include <linux/openat2.h>
#include <linux/stat.h>

#include "layers.h"

enum { NO_TREE = -1 };

static int is_whole[OVERLAYS_MAX]; /* the tree itself is what will be shown */
static int trees[OVERLAYS_MAX]; /* overlays that lie nowhere yet, and then the places where they lie */

static char *name_of(char *to, const char *what, uint32_t index) { return put_number(put_text(to, what), index); }

static int make_kept(struct sandbox *sandbox, const struct overlay *overlay) {
    struct overlay_parts parts;
    int error = open_overlay(sandbox, overlay, &parts);
    int tree = error < 0 ? error : mount_kept(&parts);
    error = tree < 0 ? tree : keep_lock(sandbox, parts.work);
    if (tree >= 0 && error < 0) sys(close, tree);
    close_overlay(&parts);
    return error < 0 ? error : tree;
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
    for (uint32_t i = 0; i < sandbox->plan.overlay_count; i++) trees[i] = NO_TREE;
    int borrows = may_borrow_layers(sandbox);
    for (uint32_t i = 0; i < sandbox->plan.overlay_count; i++)
        if (!borrows || !*sandbox->plan.overlays[i].lent) trees[i] = make_kept(sandbox, &sandbox->plan.overlays[i]);
}

void fetch_overlays(struct sandbox *sandbox) { borrow_layers(sandbox, trees); }

/* Where nobody sees it: below the private tmpfs, of which the command is shown parts. */
static int put_down(int tree, int base, uint32_t index) {
    char name[24];
    name_of(name, "overlay", index);
    long error = sys(mkdirat, base, name, 0700);
    return error < 0 ? (int)error : (int)sys(move_mount, tree, "", base, name, MOVE_MOUNT_F_EMPTY_PATH);
}

/* Whether an overlay is shown once, and as a whole, as most are: then it need not lie anywhere else. */
static int is_shown_whole(const struct plan *plan, uint32_t index) {
    const struct overlay *overlay = &plan->overlays[index];
    uint32_t whole = 0, others = 0;
    for (uint32_t i = 0; i < plan->mount_count; i++) {
        const struct mount_entry *entry = &plan->mounts[i];
        if (entry->kind != MOUNT_OVERLAY || !path_is_at_or_below(entry->path, overlay->lower, overlay->lower_length)) continue;
        if (entry->length == overlay->lower_length) whole++;
        else others++;
    }
    return whole == 1 && !others;
}

int is_overlaid(const struct plan *plan, const struct mount_entry *entry) {
    if (entry->kind != MOUNT_OVERLAY) return 0;
    uint32_t index = plan_overlay_of(plan, entry->path);
    return index != OVERLAYS_MAX && trees[index] >= 0 && is_shown_whole(plan, index);
}

void attach_overlays(struct sandbox *sandbox, int base) {
    for (uint32_t i = 0; i < sandbox->plan.overlay_count; i++) {
        if (trees[i] < 0) {
            trees[i] = make_in_memory(&sandbox->plan.overlays[i], base, i);
            sandbox->layers |= trees[i] < 0 ? LAYER_NO_OVERLAY : LAYER_BRIEF_OVERLAY;
        }
        is_whole[i] = trees[i] >= 0 && is_shown_whole(&sandbox->plan, i);
        if (trees[i] >= 0 && !is_whole[i] && put_down(trees[i], base, i) < 0) {
            sys(close, trees[i]);
            trees[i] = NO_TREE;
            sandbox->layers |= LAYER_NO_OVERLAY;
        }
    }
}

/* What the overlay has in place of `entry`, to be mounted there. A negative errno where there is none. */
int take_overlaid(const struct sandbox *sandbox, const struct mount_entry *entry) {
    uint32_t index = plan_overlay_of(&sandbox->plan, entry->path);
    if (index == OVERLAYS_MAX || trees[index] < 0) return -ENOENT;
    if (is_whole[index]) return trees[index];
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
