/* A network that outlives its first command: setns(2), network_namespaces(7).
 *
 * The commands of a session share it, so that one reaches a server that another has started; and making one costs more
 * than all the rest of a sandbox. It belongs to a user namespace above that of every sandbox: whoever is root inside has
 * no say over it. Of a command that is over nothing is left in it: its processes are dead, their sockets with them, and
 * none of those are kept waiting. */
#include <linux/sched.h>
#include <linux/wait.h>

#include <asm/signal.h>

#include "sandbox.h"

enum { STACK_BYTES = 16 << 10 };

static int make_and_send(void *argument) {
    struct sandbox *sandbox = argument;
    static const char *const own[NETWORK_PARTS] = {"/proc/self/ns/user", "/proc/self/ns/net"};
    int parts[NETWORK_PARTS];
    if (map_identity(sandbox) != 0 || make_empty_network(sandbox) != 0) return 1;
    long error = forget_closed_connections();
    if (error < 0) return fail(sandbox, "forget closed connections", "", error);
    for (int i = 0; i < NETWORK_PARTS; i++) {
        parts[i] = (int)sys(openat, AT_FDCWD, own[i], O_RDONLY | O_CLOEXEC);
        if (parts[i] < 0) return fail(sandbox, "open", own[i], parts[i]);
    }
    error = send_descriptors(STATUS_FD, parts, NETWORK_PARTS);
    return error < 0 ? fail(sandbox, "send network", "", error) : 0;
}

/* Makes one and sends it to Sandgate; -1 after a failure. */
int give_network(struct sandbox *sandbox) {
    static char stack[STACK_BYTES] __attribute__((aligned(16)));
    long pid = start_task(CLONE_NEWUSER | CLONE_VM | SIGCHLD, stack + sizeof stack, make_and_send, sandbox, 0);
    if (pid < 0) return fail(sandbox, "make user namespace", "", pid);
    sys(waitid, P_PID, pid, 0, WEXITED, 0);
    return sandbox->failed_step ? -1 : 0;
}

/* Joins a lent one. Needs a task that shares neither its directory nor its threads with another. */
int enter_network(const struct sandbox *sandbox) {
    long error = sys(setns, sandbox->lent[NETWORK_OWNER], CLONE_NEWUSER);
    if (error == 0) error = sys(setns, sandbox->lent[NETWORK_ITSELF], CLONE_NEWNET);
    return (int)error;
}
