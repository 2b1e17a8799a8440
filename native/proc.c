/* A procfs of the sandbox's own processes (proc(5)), with everything global in it read-only or hidden.
 *
 * Identity-mapped root owns every 0644 file of /proc/sys, and writing a pipe into core_pattern runs a program on
 * the host: the cover is a condition for root, not a decoration. */
#include <linux/mount.h>

#include "sandbox.h"

const char covered_proc[][24] = {
    "/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs", "/proc/acpi", "/proc/scsi", "/proc/tty",
    "/proc/1", /* init shares its memory with the supervisor outside, and oom_score_adj counts for a whole memory */
};
static const char TASKS_MAX[] = "4096"; /* in one sandbox at a time, threads included */
static const char hidden_files[][24] = {"/proc/kcore", "/proc/keys", "/proc/timer_list"};
static const char hidden_directories[][24] = {"/sys/kernel/debug", "/sys/kernel/tracing", "/sys/fs/bpf", "/sys/fs/cgroup"};
enum { COVERED = sizeof covered_proc / sizeof covered_proc[0] };
const unsigned int covered_proc_count = COVERED;

static int hide(struct sandbox *sandbox, const char *path, int empty) {
    /* Look first: throwing an unused clone away makes the kernel wait for every reader of the mount tree. */
    int target = (int)sys(openat, AT_FDCWD, path, O_PATH | O_CLOEXEC | O_NOFOLLOW);
    if (target == -ENOENT) return 0;
    int tree = target < 0 ? target : clone_tree(empty, "", 0);
    int error = tree < 0 ? tree : attach(tree, target);
    return error < 0 ? fail(sandbox, "hide", path, error) : 0; /* init closes all descriptors at once */
}

/* Each is mounted on itself, so that it stays read-only with all other mounts when the rest is made writable. */
static int cover(struct sandbox *sandbox) {
    for (int i = 0; i < COVERED; i++) {
        int tree = clone_tree(AT_FDCWD, covered_proc[i], 0);
        if (tree == -ENOENT) continue;
        int error = tree < 0 ? tree : attach_at(tree, covered_proc[i]);
        if (error < 0) return fail(sandbox, "cover", covered_proc[i], error);
    }
    return 0;
}

/* With a limit of none the sandbox cannot make user namespaces, in which it would be root again. */
static int forbid_user_namespaces(struct sandbox *sandbox) {
    long fd = sys(openat, AT_FDCWD, "/proc/sys/user/max_user_namespaces", O_WRONLY | O_CLOEXEC);
    if (fd == -ENOENT) return 0; /* a kernel without them */
    long written = fd < 0 ? fd : sys(write, fd, "0", 1);
    if (fd >= 0) sys(close, fd);
    return written < 0 ? fail(sandbox, "limit", "user namespaces", written) : 0;
}

/* "6.18.44-…" → 6018: enough to tell kernels apart. */
static unsigned int kernel_version(void) {
    static struct { char sysname[65], nodename[65], release[65], version[65], machine[65], domain[65]; } name;
    if (sys(uname, &name) < 0) return 0;
    unsigned int parts[2] = {0, 0};
    const char *at = name.release;
    for (int part = 0; part < 2; part++, at++)
        for (; *at >= '0' && *at <= '9'; at++) parts[part] = parts[part] * 10 + (unsigned int)(*at - '0');
    return parts[0] * 1000 + parts[1];
}

/* A pid namespace has a highest pid of its own since Linux 6.14, so a fork bomb ends at that many tasks, also as root,
 * whom RLIMIT_NPROC does not bind. Before, the file is the whole machine's, and root could change it: look first. */
static int limit_tasks(struct sandbox *sandbox) {
    if (kernel_version() < 6014) return 0;
    long fd = sys(openat, AT_FDCWD, "/proc/sys/kernel/pid_max", O_WRONLY | O_CLOEXEC);
    long written = fd < 0 ? fd : sys(write, fd, TASKS_MAX, sizeof TASKS_MAX - 1);
    if (fd >= 0) sys(close, fd);
    return written < 0 ? fail(sandbox, "limit", "tasks", written) : 0;
}

int mount_proc(struct sandbox *sandbox) {
    long error = sys(mount, "proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, 0);
    if (error == -EPERM) {
        /* A container hides parts of its /proc, so the kernel refuses a fresh one. The outer one will be read-only,
         * which covers /proc/sys; what is lost is that foreign command lines stay visible. */
        sandbox->layers |= LAYER_WEAK_PROC;
        return 0;
    }
    if (error < 0) return fail(sandbox, "mount", "/proc", error);
    return forbid_user_namespaces(sandbox) != 0 ? -1 : limit_tasks(sandbox);
}

/* Nothing of it depends on the plan, so it is done before there is one. */
int cover_proc(struct sandbox *sandbox) {
    return sandbox->layers & LAYER_WEAK_PROC ? 0 : cover(sandbox);
}

/* The same, where copies of the empty file can be made as early. */
int hide_in_proc(struct sandbox *sandbox, int empty_file) {
    for (size_t i = 0; i < sizeof hidden_files / sizeof hidden_files[0]; i++)
        if (hide(sandbox, hidden_files[i], empty_file) != 0) return -1;
    return 0;
}

/* When everything is read-only: our own /proc is writable again, less what `cover_proc` covered. */
int open_proc(struct sandbox *sandbox, int empty_directory) {
    struct mount_attr writable = {.attr_clr = MOUNT_ATTR_RDONLY};
    long error = sandbox->layers & LAYER_WEAK_PROC
                     ? 0 : sys(mount_setattr, AT_FDCWD, "/proc", 0, &writable, sizeof writable);
    if (error < 0) return fail(sandbox, "make writable", "/proc", error);
    for (size_t i = 0; i < sizeof hidden_directories / sizeof hidden_directories[0]; i++)
        if (hide(sandbox, hidden_directories[i], empty_directory) != 0) return -1;
    return 0;
}
