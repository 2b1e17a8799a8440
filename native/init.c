/* Pid 1 of the sandbox (pid_namespaces(7)): builds the view, then reaps, forwards signals, and ends with the command.
 *
 * When it exits the kernel kills whatever is left inside, so no daemon outlives the command. All signals stay
 * blocked: an init task only receives what it waits for. */
#include <linux/futex.h>
#include <linux/poll.h>
#include <linux/prctl.h>
#include <linux/resource.h>
#include <linux/sched.h>
#include <linux/wait.h>

#include <asm/signal.h>
#include <asm/siginfo.h>

#include "sandbox.h"

enum { COMMAND_STACK_BYTES = 64 << 10 };
static char command_stack[COMMAND_STACK_BYTES] __attribute__((aligned(16)));

static int supervisor_has_gone(struct sandbox *sandbox) {
    struct pollfd watched = {.fd = sandbox->supervisor, .events = POLLIN};
    struct __kernel_timespec now = {0, 0};
    return sys(ppoll, &watched, 1, &now, 0, 8) != 0;
}

static void wake_command(struct sandbox *sandbox) {
    sandbox->view = VIEW_READY;
    sys(futex, &sandbox->view, FUTEX_WAKE, 1, 0, 0, 0);
}

/* Reaps everything that has ended; true when the command is among it. */
static int reap(struct sandbox *sandbox, long command) {
    int status;
    for (;;) {
        long pid = sys(wait4, -1, &status, WNOHANG | __WALL, 0);
        if (pid <= 0) return 0;
        if (pid != command) continue;
        sandbox->command_status = status;
        sandbox->command_ended = 1;
        return 1;
    }
}

static void forward(long command, int number) {
    if (number <= 0 || number > 64) return;
    /* Its own group; before it has made one, itself. */
    if (sys(kill, -command, number) == -ESRCH) sys(kill, command, number);
}

static void wait_for_command(struct sandbox *sandbox, long command) {
    unsigned long every_signal = ~0UL;
    siginfo_t info;
    while (!reap(sandbox, command)) {
        long number = sys(rt_sigtimedwait, &every_signal, &info, 0, sizeof every_signal);
        if (number == FORWARD_SIGNAL && info.si_code == SI_QUEUE) forward(command, info.si_value.sival_int);
    }
}

int init_task(void *argument) {
    struct sandbox *sandbox = argument;
    sys(prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    /* The supervisor may have died before the line above. */
    if (supervisor_has_gone(sandbox)) return 1;
    sandbox->original_umask = (int)sys(umask, 0);
    if (map_identity(sandbox) != 0) return 1;

    long command = start_task(CLONE_VM | SIGCHLD, command_stack + sizeof command_stack, command_task, sandbox, 0);
    if (command < 0) return fail(sandbox, "start command task", "", command);
    if (build_view(sandbox) != 0) return 1;
    wake_command(sandbox);

    int error = drop_privileges();
    if (error < 0) return fail(sandbox, "drop privileges", "of init", error);
    /* Shared with the supervisor, and wanted there as well: nobody reads or traces either of them. */
    sys(prctl, PR_SET_DUMPABLE, 0, 0, 0, 0);
    sys(close_range, 0, ~0U, 0);
    wait_for_command(sandbox, command);
    return 0;
}
