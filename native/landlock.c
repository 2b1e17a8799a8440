/* A second wall behind the mount view: landlock(7), Linux 5.13; absent when not enabled at boot.
 *
 * It repeats what the view already says (read everywhere, write in the writable trees) and must never refuse what
 * the view allows. From ABI 6 on its scopes also close abstract sockets and signals to the outside. */
#include <linux/landlock.h>

#include "sandbox.h"

#ifndef LANDLOCK_ACCESS_FS_REFER
#define LANDLOCK_ACCESS_FS_REFER (1ULL << 13) /* ABI 2 */
#endif
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14) /* ABI 3 */
#endif
#ifndef LANDLOCK_ACCESS_FS_IOCTL_DEV
#define LANDLOCK_ACCESS_FS_IOCTL_DEV (1ULL << 15) /* ABI 5 */
#endif

struct ruleset {
    uint64_t handled_fs, handled_net, scoped; /* scoped: ABI 6 */
};
enum { SCOPE_ABSTRACT_SOCKET = 1 << 0, SCOPE_SIGNAL = 1 << 1 };

static const uint64_t READ = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;

static uint64_t everything(int abi) {
    uint64_t rights = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1; /* all of ABI 1 */
    if (abi >= 2) rights |= LANDLOCK_ACCESS_FS_REFER;
    if (abi >= 3) rights |= LANDLOCK_ACCESS_FS_TRUNCATE;
    if (abi >= 5) rights |= LANDLOCK_ACCESS_FS_IOCTL_DEV;
    return rights;
}

static int allow_fd(int ruleset, int fd, uint64_t rights) {
    struct landlock_path_beneath_attr rule = {.allowed_access = rights, .parent_fd = fd};
    return (int)sys(landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
}

static int allow(struct sandbox *sandbox, int ruleset, const char *path, uint64_t rights, uint64_t file_rights) {
    int fd = open_plain(path, 0);
    if (fd == -ENOENT || fd == -EACCES) return 0; /* gone, or closed to us: nothing is allowed there */
    if (fd < 0) return fail(sandbox, "landlock open", path, fd);
    int error = allow_fd(ruleset, fd, rights);
    /* Rights that only directories can have are refused on a file. */
    if (error == -EINVAL) error = allow_fd(ruleset, fd, rights & file_rights);
    sys(close, fd);
    return error < 0 ? fail(sandbox, "landlock allow", path, error) : 0;
}

/* What was opened for reading only must not be opened for more. */
static uint64_t stream_rights(int fd) {
    const uint64_t reading = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE;
    long flags = sys(fcntl, fd, F_GETFL, 0);
    if (flags < 0) return 0;
    return (flags & O_ACCMODE) == O_RDONLY ? reading : (flags & O_ACCMODE) == O_WRONLY ? ~reading : ~0ULL;
}

static int allow_view(struct sandbox *sandbox, int ruleset, uint64_t all) {
    const uint64_t on_files = all & (LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE |
                                     LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_TRUNCATE |
                                     LANDLOCK_ACCESS_FS_IOCTL_DEV);
    if (allow(sandbox, ruleset, "/", READ, on_files) != 0) return -1;
    if (allow(sandbox, ruleset, "/dev", READ | on_files, on_files) != 0) return -1;
    if (allow(sandbox, ruleset, "/proc", READ | on_files, on_files) != 0) return -1;
    if (allow(sandbox, ruleset, "/dev/shm", all, on_files) != 0) return -1;
    /* What stdio leads to lies in the host's mounts; /dev/stderr must open. Pipes need no rule and are refused one. */
    for (int fd = 0; fd < STREAMS; fd++) allow_fd(ruleset, fd, on_files & stream_rights(fd));
    for (uint32_t i = 0; i < sandbox->plan.mount_count; i++) {
        struct mount_entry *entry = &sandbox->plan.mounts[i];
        int is_open = entry->kind == MOUNT_WRITE || entry->kind == MOUNT_OVERLAY;
        /* One that lies in its place as a whole is open already. */
        if (is_overlaid(&sandbox->plan, entry) && allow_fd(ruleset, take_overlaid(sandbox, entry), all) == 0) continue;
        if (is_open && allow(sandbox, ruleset, entry->path, all, on_files) != 0) return -1;
    }
    return 0;
}

int landlock_prepare(struct sandbox *sandbox) {
    sandbox->ruleset = -1;
    if (sandbox->plan.flags & PLAN_TEST_NO_LANDLOCK) return 0;
    long abi = sys(landlock_create_ruleset, 0, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (abi < 1) return 0; /* the view stands alone, and the layers say so */
    uint64_t all = everything((int)abi);
    struct ruleset wanted = {.handled_fs = all, .scoped = abi >= 6 ? SCOPE_ABSTRACT_SOCKET | SCOPE_SIGNAL : 0};
    size_t size = abi >= 6 ? sizeof wanted : abi >= 4 ? offsetof(struct ruleset, scoped) : offsetof(struct ruleset, handled_net);
    int ruleset = (int)sys(landlock_create_ruleset, &wanted, size, 0);
    if (ruleset < 0) return fail(sandbox, "landlock create", "", ruleset);
    sandbox->ruleset = ruleset;
    return allow_view(sandbox, ruleset, all);
}

int landlock_confine(struct sandbox *sandbox) {
    if (sandbox->ruleset < 0) return 0;
    long error = sys(landlock_restrict_self, sandbox->ruleset, 0);
    if (error < 0) return fail(sandbox, "landlock restrict", "", error);
    sandbox->layers |= LAYER_LANDLOCK;
    return 0;
}
