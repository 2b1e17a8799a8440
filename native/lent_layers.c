/* Overlays that outlive their first command: setns(2), open_tree(2), pivot_root(2), fspick(2) (Linux 5.2).
 *
 * Mounting one and clearing it away takes the kernel half a millisecond; a copy of a mount takes some microseconds. So a session has
 * its layers mounted once, in a mount namespace that holds nothing else and belongs to a user namespace of its own: no command
 * has a say over either. A command gets copies, made by its supervisor's errand in there. The commands of a session may use
 * one layer at the same time, as they use one mount.
 *
 * Whose mount a kept directory belongs to is written in its work directory, as a link that leads nowhere: the name of the mount, and
 * what it was made of. It is compared while the lock is shared, and changed by whoever has the lock alone. So a layer that was
 * cleared, set aside or used by another session meanwhile is noticed by the next command, which mounts its own.
 *
 * What the kernel remembers of a mount would hide what the host has changed in the real directory since: each command has it forget
 * whatever nobody is using (reconfiguring does that). */
#include <linux/eventpoll.h>
#include <linux/mount.h>
#include <linux/sched.h>
#include <linux/stat.h>
#include <linux/wait.h>

#include <asm/signal.h>

#include "layers.h"

enum { STACK_BYTES = 16 << 10, LOCK_SHARED = 1 | 4 /* LOCK_SH | LOCK_NB */, HOLDER_BYTES_MAX = 256 };
enum loan { REPLY = LAYERS_PARTS, LOAN };

static int put_identity(char **at, int fd) {
    struct statx about;
    long error = sys(statx, fd, "", AT_EMPTY_PATH, STATX_INO, &about);
    if (error < 0) return (int)error;
    const unsigned long numbers[] = {about.stx_dev_major, about.stx_dev_minor, about.stx_ino};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) *at = put_number(put_text(*at, " "), numbers[i]);
    return 0;
}

/* What the link says of a mount of that name over these directories. */
static int describe(const struct overlay *overlay, const struct overlay_parts *parts, char text[HOLDER_BYTES_MAX]) {
    char *at = put_text(text, overlay->lent);
    int error = put_identity(&at, parts->lower);
    return error < 0 ? error : put_identity(&at, parts->upper);
}

static int is_held_as_planned(const struct overlay *overlay, const struct overlay_parts *parts) {
    char wanted[HOLDER_BYTES_MAX], found[HOLDER_BYTES_MAX];
    if (describe(overlay, parts, wanted) < 0) return 0;
    long length = sys(readlinkat, parts->work, HOLDER, found, sizeof found);
    return length == (long)strlen(wanted) && memcmp(found, wanted, (size_t)length) == 0;
}

/* ---- made for a session ---- */

static int put_down_named(int tree, int base, const char *name) {
    long error = sys(mkdirat, base, name, 0700);
    return error < 0 ? (int)error : (int)sys(move_mount, tree, "", base, name, MOVE_MOUNT_F_EMPTY_PATH);
}

/* What cannot be had now, because a command uses it or for good, is left out: each command sees to it itself, then. */
static void mount_for_session(const struct sandbox *sandbox, const struct overlay *overlay, int base) {
    struct overlay_parts parts;
    char text[HOLDER_BYTES_MAX];
    int error = open_overlay(sandbox, overlay, &parts);
    int tree = error < 0 ? error : mount_kept(&parts);
    if (tree >= 0 && put_down_named(tree, base, overlay->lent) == 0 && describe(overlay, &parts, text) == 0)
        sys(symlinkat, text, parts.work, HOLDER);
    if (tree >= 0) sys(close, tree);
    close_overlay(&parts);
}

/* The mounts of the host are not kept: it must be able to do away with them. */
static long keep_only(int base) {
    long error = sys(fchdir, base);
    if (error == 0) error = sys(pivot_root, ".", ".");
    return error < 0 ? error : sys(umount2, ".", 2 /* MNT_DETACH */);
}

static int mount_layers(struct sandbox *sandbox) {
    struct mount_attr apart = {.propagation = MS_PRIVATE};
    long error = sys(mount_setattr, AT_FDCWD, "/", AT_RECURSIVE, &apart, sizeof apart);
    int base = error < 0 ? (int)error : make_tmpfs();
    if (base >= 0) error = attach_at(base, "/");
    if (base < 0 || error < 0) return fail(sandbox, "mount tmpfs", "", base < 0 ? base : error);
    for (uint32_t i = 0; i < sandbox->plan.overlay_count; i++)
        if (*sandbox->plan.overlays[i].lent) mount_for_session(sandbox, &sandbox->plan.overlays[i], base);
    error = keep_only(base);
    return error < 0 ? fail(sandbox, "leave the host's mounts", "", error) : 0;
}

static int make_and_send(void *argument) {
    struct sandbox *sandbox = argument;
    static const char *const own[LAYERS_PARTS] = {"/proc/thread-self/ns/user", "/proc/thread-self/ns/mnt"};
    int parts[LAYERS_PARTS];
    if (map_identity(sandbox) != 0) return 1;
    for (int i = 0; i < LAYERS_PARTS; i++) {
        parts[i] = (int)sys(openat, AT_FDCWD, own[i], O_RDONLY | O_CLOEXEC);
        if (parts[i] < 0) return fail(sandbox, "open", own[i], parts[i]);
    }
    if (mount_layers(sandbox) != 0) return 1;
    long error = send_descriptors(STATUS_FD, parts, LAYERS_PARTS);
    return error < 0 ? fail(sandbox, "send layers", "", error) : 0;
}

int give_layers(struct sandbox *sandbox) {
    static char stack[STACK_BYTES] __attribute__((aligned(16)));
    int plan;
    int error = receive_descriptors(STATUS_FD, &plan, 1);
    if (error < 0) return fail(sandbox, "receive plan", "", error);
    if (read_plan(sandbox, plan) != 0) return -1;
    unsigned long flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_VM | SIGCHLD;
    long pid = start_task(flags, stack + sizeof stack, make_and_send, sandbox, 0);
    if (pid < 0) return fail(sandbox, "make user namespace", "", pid);
    sys(waitid, P_PID, pid, 0, WEXITED, 0);
    return sandbox->failed_step ? -1 : 0;
}

/* ---- borrowed by a command ---- */

/* A descriptor with the shared lock, which must be kept as long as the mount is used; negative where it must not be. */
static int share_lock(const struct sandbox *sandbox, const struct overlay *overlay) {
    struct overlay_parts parts;
    int error = open_overlay(sandbox, overlay, &parts);
    if (error == 0) error = (int)sys(flock, parts.work, LOCK_SHARED);
    if (error == 0 && !is_held_as_planned(overlay, &parts)) error = -ESTALE;
    int lock = error < 0 ? error : parts.work;
    if (error == 0) parts.work = -1;
    close_overlay(&parts);
    return lock;
}

/* What can be written at once wakes the supervisor once, whatever number it has there. */
static long ask_supervisor(const struct sandbox *sandbox, int reply) {
    int loan[LOAN] = {sandbox->lent_layers[LAYERS_OWNER], sandbox->lent_layers[LAYERS_MOUNTS], reply};
    struct epoll_event event = {.events = 4 /* EPOLLOUT */ | 1U << 30 /* EPOLLONESHOT */, .data = (uint64_t)EVENT_LAYERS};
    long error = send_descriptors(sandbox->listener_pipe[1], loan, LOAN);
    return error < 0 ? error : sys(epoll_ctl, sandbox->events, EPOLL_CTL_ADD, reply, &event);
}

void ask_for_layers(struct sandbox *sandbox) {
    int pair[2];
    uint32_t wanted = 0;
    for (uint32_t i = 0; i < sandbox->plan.overlay_count; i++)
        if (*sandbox->plan.overlays[i].lent) wanted++;
    if (!sandbox->lent_layers[LAYERS_MOUNTS] || !wanted) return;
    if (sys(socketpair, 1 /* AF_UNIX */, 5 /* SOCK_SEQPACKET */ | O_CLOEXEC, 0, pair) < 0) return;
    long error = ask_supervisor(sandbox, pair[1]);
    sys(close, pair[1]);
    if (error < 0) sys(close, pair[0]);
    else sandbox->layers_answer = pair[0];
    sandbox->wanted_layers = error < 0 ? 0 : wanted;
}

/* A tree that may be used, and the lock that goes with it; else neither is kept, so as not to stand in the way of a mount of
 * the command's own. */
static int take_tree(struct sandbox *sandbox, const struct overlay *overlay, int tree) {
    int lock = share_lock(sandbox, overlay);
    int error = lock < 0 ? lock : keep_lock(sandbox, lock);
    if (lock >= 0) sys(close, lock);
    if (error == 0) return tree;
    sys(close, tree);
    sandbox->layers |= LAYER_OUTDATED_LOAN;
    return error;
}

void borrow_layers(struct sandbox *sandbox, int trees[]) {
    static int lent[OVERLAYS_MAX];
    uint32_t next = 0;
    if (!sandbox->wanted_layers) return;
    int error = receive_descriptors(sandbox->layers_answer, lent, sandbox->wanted_layers);
    sys(close, sandbox->layers_answer);
    if (error < 0) sandbox->layers |= LAYER_OUTDATED_LOAN;
    for (uint32_t i = 0; error == 0 && i < sandbox->plan.overlay_count; i++)
        if (*sandbox->plan.overlays[i].lent) trees[i] = take_tree(sandbox, &sandbox->plan.overlays[i], lent[next++]);
}

/* ---- lent by the supervisor ---- */

static int copy_fresh(const char *name) {
    int tree = (int)sys(open_tree, AT_FDCWD, name, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
    if (tree < 0) return tree;
    int context = (int)sys(fspick, tree, "", FSPICK_CLOEXEC | FSPICK_EMPTY_PATH);
    long error = context < 0 ? context : sys(fsconfig, context, FSCONFIG_CMD_RECONFIGURE, 0, 0, 0);
    if (context >= 0) sys(close, context);
    if (error == 0) return tree;
    sys(close, tree);
    return (int)error;
}

struct errand {
    struct sandbox *sandbox;
    int loan[LOAN];
};

/* Who joins another user namespace cannot come back, so this task goes there for the supervisor. Where it does not get all, it
 * sends none, and the command sees the end of the socket. */
static int copy_and_send(void *argument) {
    const struct errand *errand = argument;
    const struct plan *plan = &errand->sandbox->plan;
    static int trees[OVERLAYS_MAX];
    uint32_t count = 0;
    long error = sys(setns, errand->loan[LAYERS_OWNER], CLONE_NEWUSER);
    if (error == 0) error = sys(setns, errand->loan[LAYERS_MOUNTS], CLONE_NEWNS);
    for (uint32_t i = 0; error == 0 && i < plan->overlay_count; i++) {
        if (!*plan->overlays[i].lent) continue;
        trees[count] = copy_fresh(plan->overlays[i].lent);
        if (trees[count] < 0) error = trees[count];
        else count++;
    }
    if (error == 0) error = send_descriptors(errand->loan[REPLY], trees, count);
    for (uint32_t i = 0; i < count; i++) sys(close, trees[i]);
    return error < 0;
}

void lend_layers(struct sandbox *sandbox) {
    static char stack[STACK_BYTES] __attribute__((aligned(16)));
    struct errand errand = {.sandbox = sandbox};
    if (receive_descriptors(sandbox->listener_pipe[0], errand.loan, LOAN) != 0) return;
    unsigned long flags = CLONE_VM | CLONE_VFORK | CLONE_FILES | SIGCHLD;
    long pid = start_task(flags, stack + sizeof stack, copy_and_send, &errand, 0);
    if (pid > 0) sys(waitid, P_PID, pid, 0, WEXITED, 0);
    for (int i = 0; i < LOAN; i++) sys(close, errand.loan[i]);
}
