/* Pid 1 of the sandbox (pid_namespaces(7)): makes the network, then reaps, forwards signals, and ends with the command.
 *
 * When it exits the kernel kills whatever is left inside, so no daemon outlives the command. All signals stay
 * blocked: an init task only receives what it waits for. */
#include <linux/poll.h>
#include <linux/prctl.h>
#include <linux/ptrace.h>
#include <linux/resource.h>
#include <linux/sched.h>
#include <linux/wait.h>

#include <asm/signal.h>
#include <asm/siginfo.h>

#include "report.h"

enum { COMMAND_STACK_BYTES = 64 << 10, STOPPED = 0x7f };
static char command_stack[COMMAND_STACK_BYTES] __attribute__((aligned(16)));

static int supervisor_has_gone(struct sandbox *sandbox) {
    struct pollfd watched = {.fd = sandbox->supervisor, .events = POLLIN};
    struct __kernel_timespec now = {0, 0};
    return sys(ppoll, &watched, 1, &now, 0, 8) != 0;
}

/* Who asks to be traced by its parent is traced by us when that has gone, or was us: nobody would ever let it go on. */
static void let_go(long pid, int status) {
    int stopped_by = status >> 8 & 0xff;
    sys(ptrace, PTRACE_DETACH, pid, 0, stopped_by == SIGTRAP ? 0 : stopped_by);
}

/* Reaps everything that has ended; true when the command is among it. */
static int reap(struct sandbox *sandbox, long command) {
    int status;
    for (;;) {
        long pid = sys(wait4, -1, &status, WNOHANG | __WALL, 0);
        if (pid <= 0) return 0;
        if ((status & 0xff) == STOPPED) {
            let_go(pid, status);
            continue;
        }
        if (pid != command) continue;
        sandbox->command_status = status;
        sandbox->command_ended = 1;
        return 1;
    }
}

static void forward(long command, uint64_t wanted) {
    for (int number = 1; number <= SIGNALS; number++) {
        if (!(wanted & BIT_OF(number))) continue;
        /* Its own group; before it has made one, itself. */
        if (sys(kill, -command, number) == -ESRCH) sys(kill, command, number);
    }
}

static void wait_for_command(struct sandbox *sandbox, long command) {
    unsigned long every_signal = ~0UL;
    siginfo_t info;
    while (!reap(sandbox, command)) {
        sys(rt_sigtimedwait, &every_signal, &info, 0, sizeof every_signal);
        /* Whoever is inside may send any signal and say anything with it, but cannot write here. */
        forward(command, __atomic_exchange_n(&sandbox->wanted_signals, 0, __ATOMIC_ACQ_REL));
    }
}

/* When the command was the last of them and nobody answered a call, all has been seen from here, and the supervisor
 * need not be waited for: it would find out only after our own end. */
static void tell_early(struct sandbox *sandbox) {
    static const struct tally nothing;
    int status;
    if (sys(wait4, -1, &status, WNOHANG | __WALL, 0) == -ECHILD && !sandbox->serving) report_end(sandbox, &nothing);
}

/* With nothing to do but to wait for the command task, we make room for it where we are. Left to itself the scheduler
 * likes to put it where Sandgate is about to go on, and there it waits. */
static void stay_here(struct sandbox *sandbox) {
    unsigned char here[sizeof sandbox->processors] = {0};
    unsigned int processor = 0;
    long size = sys(sched_getaffinity, 0, sizeof sandbox->processors, sandbox->processors);
    if (size <= 0 || sys(getcpu, &processor, 0, 0) != 0 || processor >= (unsigned int)size * 8) return;
    here[processor / 8] = (unsigned char)(1 << processor % 8);
    if (sys(sched_setaffinity, 0, size, here) == 0) sandbox->processors_bytes = size;
}

int init_task(void *argument) {
    struct sandbox *sandbox = argument;
    sys(prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    /* The supervisor may have died before the line above. */
    if (supervisor_has_gone(sandbox)) return 1;
    if (sandbox->born_in_network) stay_here(sandbox);
    long command = start_task(CLONE_VM | SIGCHLD, command_stack + sizeof command_stack, command_task, sandbox, 0);
    if (command < 0) return fail(sandbox, "start command task", "", command);
    go_anywhere(sandbox);
    if (sandbox->empty_network && !sandbox->born_in_network && make_empty_network(sandbox) != 0) return 1;
    wait_at_gate(&sandbox->namespaces_made);
    if (join_command(sandbox, command) != 0) return 1;
    open_gate(&sandbox->init_ready);

    int error = drop_privileges();
    if (error < 0) return fail(sandbox, "drop privileges", "of init", error);
    sys(close_range, 0, STATUS_FD - 1, 0);
    sys(close_range, STATUS_FD + 1, ~0U, 0);
    wait_for_command(sandbox, command);
    tell_early(sandbox);
    return 0;
}
