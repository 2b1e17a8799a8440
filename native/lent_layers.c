/* Overlays that outlive their first command: setns(2), open_tree(2), pivot_root(2), fspick(2) (Linux 5.2).
 *
 * Mounting one and clearing it away takes the kernel half a millisecond; a copy of a mount takes some microseconds. So a session has
 * its layers mounted once, in a mount namespace that holds nothing else and belongs to a user namespace of its own: no command
 * has a say over either. A command gets copies, made by its supervisor's errand in there. The commands of a session may use
 * one layer at the same time, as they use one mount.
 *
 * A layer that was cleared, set aside or used by another session meanwhile is noticed by the next command, which mounts its own
 * (claims.c).
 *
 * What the kernel remembers of a mount would hide what the host has changed in the real directory since: for each command it forgets
 * whatever nobody is using (reconfiguring does that). It takes its time over that, some thirty microseconds for each, while the command
 * task goes on building; that waits before it looks into one. */
#include <linux/eventpoll.h>
#include <linux/mount.h>
#include <linux/sched.h>
#include <linux/stat.h>
#include <linux/wait.h>

#include <asm/signal.h>

#include "claims.h"

enum { STACK_BYTES = 16 << 10 };
enum loan { REPLY = LAYERS_PARTS, LOAN };

/* The kernel forgets the names it knows in a mount and nobody uses. */
static long refresh(int tree) {
    int context = (int)sys(fspick, tree, "", FSPICK_CLOEXEC | FSPICK_EMPTY_PATH);
    if (context < 0) return context;
    long error = sys(fsconfig, context, FSCONFIG_CMD_RECONFIGURE, 0, 0, 0);
    sys(close, context);
    return error;
}

/* ---- made for a session ---- */

static int put_down_named(int tree, int base, const char *name) {
    long error = sys(mkdirat, base, name, 0700);
    return error < 0 ? (int)error : (int)sys(move_mount, tree, "", base, name, MOVE_MOUNT_F_EMPTY_PATH);
}

static int mount_named(struct overlay_parts *parts, int base, const char *name) {
    int tree = mount_kept(parts);
    if (tree < 0) return tree;
    long error = refresh(tree);
    if (error == 0) error = put_down_named(tree, base, name);
    sys(close, tree);
    return (int)error;
}

/* What cannot be had now, because a command uses it or for good, is left out: each command sees to it itself, then. */
static void mount_and_claim(const struct sandbox *sandbox, int base) {
    static struct overlay_parts parts[OVERLAYS_MAX];
    static struct claim claim = {.file = -1};
    const struct plan *plan = &sandbox->plan;
    for (uint32_t i = 0; i < plan->overlay_count; i++) {
        if (!*plan->overlays[i].lent) continue;
        int error = open_overlay(sandbox, &plan->overlays[i], &parts[i]);
        if (error == 0) error = mount_named(&parts[i], base, plan->overlays[i].lent);
        if (error == 0) add_to_claim(&claim, &plan->overlays[i], &parts[i]);
    }
    write_claim(&claim);
    for (uint32_t i = 0; i < plan->overlay_count; i++)
        if (*plan->overlays[i].lent) close_overlay(&parts[i]);
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
    mount_and_claim(sandbox, base);
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

/* Whether all that was lent may be used; the lock is kept, then. */
static int may_use(struct sandbox *sandbox) {
    static struct claim claim;
    const struct plan *plan = &sandbox->plan;
    uint32_t first = 0;
    while (!*plan->overlays[first].lent) first++;
    if (share_claim(&plan->overlays[first], &claim) != 0) return 0;
    int all = 1;
    for (uint32_t i = first; i < plan->overlay_count; i++)
        if (*plan->overlays[i].lent) all &= is_claimed(&claim, &plan->overlays[i]);
    if (all) all = keep_lock(sandbox, claim.file) == 0;
    sys(close, claim.file);
    return all;
}

/* All or none, so that no lock of ours is in the way of a mount of the command's own. */
int may_borrow_layers(struct sandbox *sandbox) {
    if (!sandbox->wanted_layers) return 0;
    sandbox->borrows_layers = may_use(sandbox);
    if (sandbox->borrows_layers) return 1;
    sys(close, sandbox->layers_answer);
    sandbox->layers |= LAYER_OUTDATED_LOAN;
    return 0;
}

void borrow_layers(struct sandbox *sandbox, int trees[]) {
    static int lent[OVERLAYS_MAX];
    uint32_t next = 0;
    if (!sandbox->borrows_layers) return;
    int error = receive_descriptors(sandbox->layers_answer, lent, sandbox->wanted_layers);
    sys(close, sandbox->layers_answer);
    sandbox->borrows_layers = error == 0;
    if (error < 0) sandbox->layers |= LAYER_OUTDATED_LOAN;
    for (uint32_t i = 0; error == 0 && i < sandbox->plan.overlay_count; i++)
        if (*sandbox->plan.overlays[i].lent) trees[i] = lent[next++];
}

int wait_for_fresh_layers(struct sandbox *sandbox) {
    if (!sandbox->borrows_layers) return 0;
    wait_at_gate(&sandbox->layers_settled);
    return sandbox->layers_error < 0 ? fail(sandbox, "refresh layers", "", sandbox->layers_error) : 0;
}

/* ---- lent by the supervisor ---- */

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
        trees[count] = (int)sys(open_tree, AT_FDCWD, plan->overlays[i].lent, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
        if (trees[count] < 0) error = trees[count];
        else count++;
    }
    if (error == 0) error = send_descriptors(errand->loan[REPLY], trees, count);
    for (uint32_t i = 0; error >= 0 && i < count; i++) error = refresh(trees[i]);
    for (uint32_t i = 0; i < count; i++) sys(close, trees[i]);
    errand->sandbox->layers_error = error < 0 ? (int)error : 0;
    return error < 0;
}

void lend_layers(struct sandbox *sandbox) {
    static char stack[STACK_BYTES] __attribute__((aligned(16)));
    struct errand errand = {.sandbox = sandbox};
    if (receive_descriptors(sandbox->listener_pipe[0], errand.loan, LOAN) != 0) return;
    unsigned long flags = CLONE_VM | CLONE_VFORK | CLONE_FILES | SIGCHLD;
    long pid = start_task(flags, stack + sizeof stack, copy_and_send, &errand, 0);
    if (pid > 0) sys(waitid, P_PID, pid, 0, WEXITED, 0);
    open_gate(&sandbox->layers_settled);
    for (int i = 0; i < LOAN; i++) sys(close, errand.loan[i]);
}
