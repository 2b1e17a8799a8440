/* The task that becomes the command: gives up what it may not keep, then executes the program (execve(2)).
 *
 * It mounts what every view has while init makes the network, and joins that; waits for the plan, finishes the view by
 * it, builds the walls, and drops every privilege last. The filter comes late: it refuses the calls that build. */
#include <linux/eventpoll.h>
#include <linux/prctl.h>
#include <linux/resource.h>
#include <linux/stat.h>

#include <asm/ioctls.h>
#include <asm/signal.h>

#include "layers.h"

static int limit_resources(struct sandbox *sandbox) {
    struct plan *plan = &sandbox->plan;
    for (uint32_t i = 0; i < plan->limit_count; i++) {
        struct rlimit64 limit;
        long error = sys(prlimit64, 0, plan->limits[i].resource, 0, &limit);
        if (error == 0) {
            /* Only ever lower the hard limit: raising it would need a privilege. */
            if (plan->limits[i].value < limit.rlim_max) limit.rlim_max = plan->limits[i].value;
            limit.rlim_cur = limit.rlim_max;
            error = sys(prlimit64, 0, plan->limits[i].resource, &limit, 0);
        }
        if (error < 0) return fail(sandbox, "limit resources", "", error);
    }
    return 0;
}

static int own_session(struct sandbox *sandbox) {
    long error = sys(setsid);
    return error < 0 ? fail(sandbox, "setsid", "", error) : 0;
}

static int take_terminal(struct sandbox *sandbox) {
    if (!(sandbox->plan.flags & PLAN_TTY)) return 0;
    long error = sys(ioctl, 0, TIOCSCTTY, 0);
    return error < 0 ? fail(sandbox, "take terminal", "", error) : 0;
}

/* The listener travels ahead of its first event: the supervisor fetches it when the epoll set reports one, and is
 * not woken for it before. */
static int hand_over_listener(struct sandbox *sandbox, int listener) {
    long error = send_descriptors(sandbox->listener_pipe[1], &listener, 1);
    if (error < 0) return fail(sandbox, "send listener", "", error);
    struct epoll_event event = {.events = 1 /* EPOLLIN */ | 1U << 30 /* EPOLLONESHOT */, .data = (uint64_t)EVENT_LISTENER};
    error = sys(epoll_ctl, sandbox->events, EPOLL_CTL_ADD, listener, &event);
    if (error < 0) return fail(sandbox, "watch listener", "", error);
    sandbox->layers |= LAYER_NOTIFY;
    return 0;
}

static int install_filter(struct sandbox *sandbox) {
    if (sandbox->plan.flags & PLAN_TEST_NO_SECCOMP) return 0;
    int wants_listener = (sandbox->plan.flags & PLAN_REPORT) && !(sandbox->plan.flags & PLAN_TEST_NO_NOTIFY);
    int listener = filter_install(sandbox, wants_listener);
    /* No listeners in this kernel (EINVAL), or somebody outside us has one already (EBUSY): go on unreported. */
    if (wants_listener && (listener == -EINVAL || listener == -EBUSY)) listener = filter_install(sandbox, 0);
    if (listener < 0 && listener != NO_LISTENER) return fail(sandbox, "seccomp", "", listener);
    sandbox->layers |= LAYER_SECCOMP;
    return listener == NO_LISTENER ? 0 : hand_over_listener(sandbox, listener);
}

static const char *search_path(struct plan *plan) {
    for (uint32_t i = 0; i < plan->env_count; i++)
        if (memcmp(plan->env[i], "PATH=", 5) == 0) return plan->env[i] + 5;
    return "/usr/local/bin:/usr/bin:/bin";
}

/* Whether what is open, or lies at `path` below it, is what somebody was shown when he approved it. */
static int is_expected(const struct expected *expected, int fd, const char *path) {
    struct statx found;
    if (sys(statx, fd, path, *path ? 0 : AT_EMPTY_PATH, STATX_INO | STATX_CTIME, &found) != 0) return 0;
    uint64_t changed_ns = (uint64_t)found.stx_ctime.tv_sec * 1000000000U + found.stx_ctime.tv_nsec;
    return found.stx_ino == expected->inode && found.stx_dev_major == expected->device_major &&
           found.stx_dev_minor == expected->device_minor &&
           (!expected->changed_ns || expected->changed_ns == changed_ns);
}

static const struct expected *expected_program(const struct plan *plan) {
    for (uint32_t i = 0; i < plan->expected_count; i++)
        if (plan->expected[i].kind == EXPECT_PROGRAM || plan->expected[i].kind == EXPECT_PROGRAM_BY_DESCRIPTOR)
            return &plan->expected[i];
    return 0;
}

/* Executes the very file that was compared. A script cannot be: its interpreter opens it again, by its name. */
static long execute_compared(struct plan *plan, const struct expected *expected, const char *file) {
    int fd = (int)sys(openat, AT_FDCWD, file, O_PATH | O_CLOEXEC);
    if (fd < 0) return fd;
    if (!is_expected(expected, fd, "")) return -ESTALE;
    if (expected->kind == EXPECT_PROGRAM) return 0;
    long error = sys(execveat, fd, "", plan->argv, plan->env, AT_EMPTY_PATH);
    return error == -ENOENT || error == -ENOEXEC ? 0 : error;
}

/* A script without an interpreter line is given to the shell, as execvp(3) does. */
static long execute(struct plan *plan, const char *file) {
    const struct expected *expected = expected_program(plan);
    long error = expected ? execute_compared(plan, expected, file) : 0;
    if (error < 0) return error;
    error = sys(execve, file, plan->argv, plan->env);
    if (error != -ENOEXEC || plan->argv_count + 1 > STRINGS_MAX) return error;
    for (uint32_t i = plan->argv_count; i >= 1; i--) plan->argv[i + 1] = plan->argv[i];
    plan->argv[0] = "sh";
    plan->argv[1] = file;
    return sys(execve, "/bin/sh", plan->argv, plan->env);
}

static long execute_on_path(struct plan *plan) {
    const char *name = plan->argv[0], *at = search_path(plan);
    size_t name_length = strlen(name);
    int refused = 0;
    for (;;) {
        size_t length = 0;
        while (at[length] && at[length] != ':') length++;
        char file[PATH_BYTES_MAX];
        if (length + name_length + 2 <= sizeof file) {
            memcpy(file, at, length); /* an empty element is the current directory */
            file[length] = '/';
            put_text(file + (length ? length + 1 : 0), name);
            long error = execute(plan, file);
            if (error == -EACCES) refused = 1;
            else if (error != -ENOENT && error != -ENOTDIR) return error;
        }
        if (!at[length]) return refused ? -EACCES : -ENOENT;
        at += length + 1;
    }
}

static int start_program(struct sandbox *sandbox) {
    struct plan *plan = &sandbox->plan;
    for (uint32_t i = 0; i < plan->expected_count; i++) {
        if (plan->expected[i].kind != EXPECT_FILE || is_expected(&plan->expected[i], AT_FDCWD, plan->expected[i].path))
            continue;
        sandbox->exec_errno = ESTALE;
        sandbox->exec_part = EXEC_PROGRAM;
        return 127;
    }
    int has_slash = 0;
    for (const char *at = plan->argv[0]; *at; at++) has_slash |= *at == '/';
    sandbox->exec_errno = (int)-(has_slash ? execute(plan, plan->argv[0]) : execute_on_path(plan));
    sandbox->exec_part = EXEC_PROGRAM;
    return 127;
}

/* Everything that is the same for every plan. */
static int begin(struct sandbox *sandbox) {
    if (map_identity(sandbox) != 0 || make_namespaces(sandbox) != 0) return -1;
    open_gate(&sandbox->namespaces_made);
    if (begin_view(sandbox) != 0) return -1;
    /* A new session is a new scheduling group, which on a busy machine waits for its turn: better while init works. */
    if (own_session(sandbox) != 0) return -1;
    filter_prepare(sandbox);
    int error = drop_bounding_set();
    return error < 0 ? fail(sandbox, "drop bounding set", "", error) : 0;
}

/* As late as can be: the filter forbids it, and the network may take as long as all the rest. */
static int meet_init(struct sandbox *sandbox) {
    wait_at_gate(&sandbox->init_ready);
    if (sandbox->empty_network && !sandbox->born_in_network && join_network(sandbox) != 0) return -1;
    if (sandbox->empty_network) sandbox->layers |= LAYER_NET;
    /* For the memory all three tasks share: from here on nobody reads or traces the two that stay. Not earlier, as
     * joining each other's namespaces counts as reading. */
    sys(prctl, PR_SET_DUMPABLE, 0, 0, 0, 0);
    return 0;
}

static int enter_directory(struct sandbox *sandbox) {
    const struct plan *plan = &sandbox->plan;
    long entered = sys(chdir, plan->cwd);
    for (uint32_t i = 0; entered == 0 && i < plan->expected_count; i++)
        if (plan->expected[i].kind == EXPECT_DIRECTORY && !is_expected(&plan->expected[i], AT_FDCWD, "."))
            entered = -ESTALE;
    if (entered == 0) return 0;
    sandbox->exec_errno = (int)-entered;
    sandbox->exec_part = EXEC_DIRECTORY;
    return -1;
}

static int prepare(struct sandbox *sandbox) {
    int umask_of_caller = (int)sys(umask, 0);
    if (begin(sandbox) != 0) return -1;
    if (receive_plan(sandbox) != 0 || finish_view(sandbox) != 0 || meet_init(sandbox) != 0) return -1;
    if (wait_to_begin(sandbox) != 0 || wait_for_fresh_layers(sandbox) != 0) return -1;
    sys(umask, umask_of_caller);
    if (take_terminal(sandbox) != 0) return -1;
    /* Nothing after the filter may be a watched call: each would wake the supervisor. */
    if (landlock_prepare(sandbox) != 0 || install_filter(sandbox) != 0) return -1;
    if (enter_directory(sandbox) != 0 || landlock_confine(sandbox) != 0) return -1;
    int error = drop_privileges();
    if (error < 0) return fail(sandbox, "drop privileges", "", error);
    /* Limits come late, as they would hit our own descriptors as well. */
    return limit_resources(sandbox);
}

int command_task(void *argument) {
    struct sandbox *sandbox = argument;
    go_anywhere(sandbox);
    if (prepare(sandbox) != 0) {
        open_gate(&sandbox->namespaces_made); /* init must not wait for us any more */
        return 127;
    }
    sys(close_range, 3, ~0U, 0);
    unsigned long no_signal = 0;
    sys(rt_sigprocmask, 2 /* SIG_SETMASK */, &no_signal, 0, sizeof no_signal);
    return start_program(sandbox);
}
