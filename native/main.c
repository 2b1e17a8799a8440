/* sandgate-exec: runs one command in namespaces of its own, as it is told through the status socket.
 *
 * Building namespaces takes as long as making a plan, so this program is started before there is one: only whether
 * the network is to be empty is known from the start. The command task builds what it can, then waits for the plan.
 * This process stays outside as the supervisor: it starts init, watches it, obeys Sandgate, answers held calls,
 * and says at last how it went. It never has the command's streams, so it keeps no pipe open. */
#include <linux/eventpoll.h>
#include <linux/mman.h>
#include <linux/ioctl.h>
#include <linux/poll.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <linux/stat.h>
#include <linux/wait.h>

#include <asm/siginfo.h>
#include <asm/signal.h>

#include "datagrams.h"
#include "hosts.h"
#include "layers.h"
#include "lookups.h"
#include "names.h"
#include "orders.h"
#include "serve.h"

enum { INIT_STACK_BYTES = 64 << 10, GO_BETWEEN_STACK_BYTES = 16 << 10 };
enum { EPOLL_IN = 1 };

static char init_stack[INIT_STACK_BYTES] __attribute__((aligned(16)));
static struct sandbox the_sandbox;

/* Sent before we were started, so there is nothing to wait for. */
static int read_order(struct sandbox *sandbox) {
    uint32_t request[2] = {0, 0};
    long length = sys(read, STATUS_FD, request, sizeof request);
    if (length != sizeof request) return fail(sandbox, "read order", "", -EBADMSG);
    if (request[0] == REQUEST_NETWORK || request[0] == REQUEST_LAYERS) return (int)request[0];
    if (request[0] == REQUEST_SERVE) {
        sandbox->served_port = (uint16_t)request[1];
        return REQUEST_SERVE;
    }
    if (request[0] != REQUEST_PREPARE) return fail(sandbox, "read order", "", -EBADMSG);
    uint32_t directories = request[1] >> PREPARE_DIRECTORIES_SHIFT & 0xff, files = request[1] >> PREPARE_FILES_SHIFT;
    uint32_t known = PREPARE_EMPTY_NETWORK | PREPARE_LENT_NETWORK | PREPARE_TEST_OLD_KERNEL;
    uint32_t others = request[1] & 0xff & ~known;
    if (others || directories > PREPARE_COVERS_MAX || files > PREPARE_COVERS_MAX)
        return fail(sandbox, "read order", "", -EBADMSG);
    sandbox->test_old_kernel = request[1] & PREPARE_TEST_OLD_KERNEL;
    sandbox->covers[COVER_DIRECTORY] = directories;
    sandbox->covers[COVER_FILE] = files;
    sandbox->empty_network = request[1] & PREPARE_EMPTY_NETWORK;
    if (!(request[1] & PREPARE_LENT_NETWORK)) return 0;
    int error = receive_descriptors(STATUS_FD, sandbox->lent, NETWORK_PARTS);
    return error < 0 ? fail(sandbox, "receive network", "", error) : 0;
}

/* Whoever started Sandgate may ignore signals; programs expect the defaults. posix_spawn(3) has put back the others: the
 * C library keeps these two for itself (nptl(7)). */
static void default_signals(void) {
    struct {
        unsigned long handler, flags, restorer, mask;
    } action = {0, 0, 0, 0};
    for (int number = 32; number <= 33; number++) sys(rt_sigaction, number, &action, 0, sizeof action.mask);
}

static int watch(struct sandbox *sandbox, int fd, uint32_t events, enum event_source source) {
    struct epoll_event event = {.events = events, .data = (uint64_t)source};
    long error = sys(epoll_ctl, sandbox->events, EPOLL_CTL_ADD, fd, &event);
    return error < 0 ? fail(sandbox, "watch", "", error) : 0;
}

/* Everything of our own that init and the command will need to find. */
static int open_channels(struct sandbox *sandbox) {
    long pid = sys(getpid);
    sandbox->supervisor = (int)sys(pidfd_open, pid, 0);
    if (sandbox->supervisor < 0) return fail(sandbox, "pidfd_open", "", sandbox->supervisor);
    sandbox->events = (int)sys(epoll_create1, O_CLOEXEC);
    if (sandbox->events < 0) return fail(sandbox, "epoll_create", "", sandbox->events);
    /* A hang-up is told in any case. The next message is for the command task, which then lets us hear the others. */
    if (watch(sandbox, STATUS_FD, 0, EVENT_STATUS) != 0) return -1;
    long error = sys(socketpair, 1 /* AF_UNIX */, 5 /* SOCK_SEQPACKET */ | O_CLOEXEC, 0, sandbox->listener_pipe);
    return error < 0 ? fail(sandbox, "socketpair", "", error) : 0;
}

static long clone_init(struct supervisor *supervisor, unsigned long more) {
    unsigned long flags = first_namespaces | CLONE_VM | CLONE_PIDFD | SIGCHLD | more;
    return start_task(flags, init_stack + sizeof init_stack, init_task, supervisor->sandbox, &supervisor->init);
}

/* We stay in the host's namespaces, and who joins another user namespace cannot come back: so this task goes into the
 * lent network for us, starts init there as a child of ours, and is gone. */
static int start_in_network(void *argument) {
    struct supervisor *supervisor = argument;
    if (enter_network(supervisor->sandbox) != 0) return 1;
    supervisor->sandbox->born_in_network = 1;
    if (clone_init(supervisor, CLONE_PARENT) > 0) return 0;
    supervisor->sandbox->born_in_network = 0;
    return 1;
}

/* A network that cannot be used costs nothing but the time to make another one. */
static int start_in_lent_network(struct supervisor *supervisor) {
    static char stack[GO_BETWEEN_STACK_BYTES] __attribute__((aligned(16)));
    if (!supervisor->sandbox->empty_network || !supervisor->sandbox->lent[NETWORK_ITSELF]) return -1;
    unsigned long flags = CLONE_VM | CLONE_VFORK | CLONE_FILES | SIGCHLD;
    long pid = start_task(flags, stack + sizeof stack, start_in_network, supervisor, 0);
    if (pid < 0) return -1;
    sys(waitid, P_PID, pid, 0, WEXITED, 0);
    return supervisor->sandbox->born_in_network ? 0 : -1;
}

static int start_init(struct supervisor *supervisor) {
    struct sandbox *sandbox = supervisor->sandbox;
    long pid = start_in_lent_network(supervisor);
    if (pid < 0) pid = clone_init(supervisor, 0);
    if (pid < 0) return fail(sandbox, "make user namespace", "", pid);
    sys(close, sandbox->listener_pipe[1]);
    return watch(sandbox, supervisor->init, EPOLL_IN, EVENT_INIT);
}

static void kill_everything(struct supervisor *supervisor) {
    sys(pidfd_send_signal, supervisor->init, SIGKILL, 0, 0);
}

/* Several may be asked for before init wakes. Stopping and continuing take each other back, as in the kernel. */
static void forward_signal(struct supervisor *supervisor, unsigned int number) {
    if (number < 1 || number > SIGNALS) return;
    static const uint64_t stops = BIT_OF(SIGSTOP) | BIT_OF(SIGTSTP) | BIT_OF(SIGTTIN) | BIT_OF(SIGTTOU);
    uint64_t *wanted = &supervisor->sandbox->wanted_signals, asked = BIT_OF(number);
    if (asked & stops) __atomic_and_fetch(wanted, ~BIT_OF(SIGCONT), __ATOMIC_ACQ_REL);
    if (number == SIGCONT) __atomic_and_fetch(wanted, ~stops, __ATOMIC_ACQ_REL);
    __atomic_or_fetch(wanted, asked, __ATOMIC_ACQ_REL);
    sys(pidfd_send_signal, supervisor->init, FORWARD_SIGNAL, 0, 0);
}

/* A request, or the hang-up of a Sandgate that has died: then nobody wants the command any more.
 * Returns non-zero when nothing more will come. */
static int obey(struct supervisor *supervisor) {
    static union {
        uint32_t words[2];
        unsigned char bytes[ORDER_BYTES_MAX];
    } request;
    long length = sys(read, STATUS_FD, &request, sizeof request);
    if (length == -EINTR || length == -EAGAIN) return 0;
    if (length == sizeof request.words && request.words[0] == REQUEST_SIGNAL) {
        forward_signal(supervisor, request.words[1]);
        return 0;
    }
    if (length > 0 && obey_order(supervisor, request.bytes, (size_t)length)) return 0;
    kill_everything(supervisor);
    if (length > 0) return 0;
    sys(epoll_ctl, supervisor->sandbox->events, EPOLL_CTL_DEL, STATUS_FD, 0);
    return 1;
}

static int fetch_listener(struct supervisor *supervisor) {
    int listener, lock;
    /* Held until we end, which is after everything inside. */
    for (; supervisor->sandbox->locks; supervisor->sandbox->locks--)
        if (receive_descriptors(supervisor->sandbox->listener_pipe[0], &lock, 1) != 0) return -1;
    if (receive_descriptors(supervisor->sandbox->listener_pipe[0], &listener, 1) != 0) return -1;
    supervisor->listener = listener;
    supervisor->sandbox->serving = 1;
    take_plan_grants(supervisor);
    /* The caller sleeps while we answer, so both may as well take turns on one processor (Linux 6.6). */
    sys(ioctl, listener, SECCOMP_IOCTL_NOTIF_SET_FLAGS, SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP);
    return 0;
}

/* Sleeps until init has ended or the first call is held. The registration of the listener was made by the command
 * task under a descriptor number of its own and cannot be changed from here, so it fires once and never again. */
static int wait_for_first_call(struct supervisor *supervisor) {
    enum { EVENTS = 4 };
    struct epoll_event events[EVENTS];
    for (;;) {
        long count = sys(epoll_pwait, supervisor->sandbox->events, events, EVENTS, -1, 0, 8);
        int held = 0;
        for (long i = 0; i < count; i++) {
            if (events[i].data == EVENT_INIT) return 0;
            if (events[i].data == EVENT_STATUS) obey(supervisor);
            if (events[i].data == EVENT_LAYERS) lend_layers(supervisor->sandbox);
            if (events[i].data == EVENT_LISTENER) held = (events[i].events & EPOLL_IN) != 0;
        }
        if (held && fetch_listener(supervisor) == 0) return 1;
    }
}

static int any_ready(const struct pollfd watched[], unsigned int count) {
    for (unsigned int i = 0; i < count; i++)
        if (watched[i].revents) return 1;
    return 0;
}

/* One held call a turn, so that a kill is never behind a queue of them. */
static void serve_calls(struct supervisor *supervisor) {
    enum { STATUS, INIT, LISTENER, WATCHED };
    static struct pollfd watched[WATCHED + CONNECTS_MAX + RELAY_POLLS_MAX + LOOKUPS_MAX + DATAGRAM_POLLS_MAX];
    watched[STATUS] = (struct pollfd){.fd = STATUS_FD, .events = POLLIN};
    watched[INIT] = (struct pollfd){.fd = supervisor->init, .events = POLLIN};
    watched[LISTENER] = (struct pollfd){.fd = supervisor->listener, .events = POLLIN};
    for (;;) {
        unsigned int connects = connects_watch(watched + WATCHED);
        struct pollfd *relayed = watched + WATCHED + connects;
        unsigned int relays = hosts_watch(relayed);
        struct pollfd *asking = relayed + relays;
        unsigned int lookups = lookups_watch(asking);
        struct pollfd *carried = asking + lookups;
        unsigned int datagrams = datagrams_watch(carried);
        struct __kernel_timespec soon = {0, CONNECT_RETRY_MS * 1000000}, later = {0, HELD_LOOK_MS * 1000000};
        struct __kernel_timespec *limit = connects_retry() ? &soon : held_look_soon() || names_look_soon() ? &later : 0;
        watched[STATUS].events = held_wants_to_tell() || names_want_to_tell() ? POLLIN | POLLOUT : POLLIN;
        sys(ppoll, watched, WATCHED + connects + relays + lookups + datagrams, limit, 0, 8);
        if (watched[INIT].revents) return;
        if (held_look_soon()) held_look(supervisor, (watched[STATUS].revents & POLLOUT) != 0);
        if (names_look_soon() || names_want_to_tell()) names_look(supervisor);
        if ((watched[STATUS].revents & ~POLLOUT) && obey(supervisor) != 0) watched[STATUS].fd = -1;
        connects_settle(supervisor, watched + WATCHED, connects);
        if (any_ready(relayed, relays)) hosts_settle(supervisor);
        if (any_ready(asking, lookups) || lookups_wait()) lookups_settle(supervisor);
        if (any_ready(carried, datagrams)) datagrams_settle();
        if (!watched[LISTENER].revents) continue;
        /* Every task behind the filter may be gone: then there is nothing to listen to any more. */
        if (!(watched[LISTENER].revents & POLLIN) || notify_answer_one(supervisor) != 0) watched[LISTENER].fd = -1;
    }
}

int main(void) {
    static struct supervisor supervisor = {.sandbox = &the_sandbox, .listener = -1, .connect_within_grants = connect_within_grants};
    unsigned long every_signal = ~0UL;
    sys(rt_sigprocmask, 0 /* SIG_BLOCK */, &every_signal, 0, sizeof every_signal);
    default_signals();
    sys(close_range, STATUS_FD + 1, ~0U, 0);
    the_sandbox.failed_path = "";
    the_sandbox.uid = (uint32_t)sys(geteuid);
    the_sandbox.gid = (uint32_t)sys(getegid);
    int order = read_order(&the_sandbox);
    if (order == REQUEST_NETWORK && give_network(&the_sandbox) == 0) return 0;
    if (order == REQUEST_LAYERS && give_layers(&the_sandbox) == 0) return 0;
    if (order == REQUEST_SERVE && serve_port(&the_sandbox, the_sandbox.served_port) == 0) return 0;
    if (order == 0 && open_channels(&the_sandbox) == 0 && start_init(&supervisor) == 0) {
        if (wait_for_first_call(&supervisor)) {
            serve_calls(&supervisor);
            lookups_settle(&supervisor);
            datagrams_flush();
            hosts_flush(&supervisor);
        }
        sys(waitid, P_PIDFD, supervisor.init, 0, WEXITED | __WALL, 0);
    }
    remove_passing_names(&the_sandbox.plan);
    report_end(&the_sandbox, &supervisor.tally);
    return 0;
}
