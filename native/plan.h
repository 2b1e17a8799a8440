/* What Sandgate asks the helper to do, as it came in a sealed memory file. Written by kernel/plan_codec.py. */
#ifndef SANDGATE_PLAN_H
#define SANDGATE_PLAN_H

#include "sys.h"

enum { PLAN_BYTES_MAX = 16 << 20, STRINGS_MAX = 65536, MOUNTS_MAX = 65536, PATHS_MAX = 16384, HOSTS_MAX = 256 };
enum { LIMITS_MAX = 16, EXPECTED_MAX = 256, OVERLAYS_MAX = 32, LENT_NAME_MAX = 63 /* bytes */, PLAN_GRANTS_MAX = 256 };
enum { CONTENT_BYTES_MAX = 64 << 10 }; /* shown in place of one hidden file */
enum { PATH_BYTES_MAX = 4096 }; /* the kernel's PATH_MAX, the zero byte included */

enum mount_kind { MOUNT_WRITE, MOUNT_READ, HIDE_DIRECTORY, HIDE_WITH_OPENINGS, HIDE_FILE, MOUNT_OVERLAY, MOUNT_KINDS };

enum plan_flag {
    PLAN_NETWORK_OFF = 1 << 0,
    PLAN_REPORT = 1 << 1,
    PLAN_TTY = 1 << 2,
    PLAN_CASE_INSENSITIVE = 1 << 3,
    PLAN_HOLDS_CALLS = 1 << 4, /* somebody answers what is refused, while the call waits */
    /* Only the tests that prove each layer alone use these. */
    PLAN_TEST_NO_SECCOMP = 1 << 8,
    PLAN_TEST_NO_NETNS = 1 << 9,
    PLAN_TEST_NO_LANDLOCK = 1 << 10,
    PLAN_TEST_NO_NOTIFY = 1 << 11,
    PLAN_FLAGS_KNOWN = 0xf1f,
};

struct mount_entry {
    const char *path; /* absolute, no "." or ".." component, no slash at the end */
    const char *source; /* another directory of the host's that lies there inside, or IN_MEMORY; null: its own */
    const unsigned char *content; /* of HIDE_FILE: what can be read there instead; null: nothing can */
    uint32_t content_length;
    uint32_t length;
    uint32_t kind;
};

/* Writes below `lower` go to `upper`, which the kernel works on through the empty directory `work`. Entries of the kind
 * MOUNT_OVERLAY at or below `lower` show it; one whose overlay cannot be made becomes MOUNT_READ. */
struct overlay {
    const char *lower, *upper, *work;
    const char *lent; /* the name of the mount of it that the session keeps; "": none */
    uint32_t lower_length;
};

#define IN_MEMORY "memory" /* an empty directory of this command's own */

struct host {
    uint16_t family; /* AF_INET or AF_INET6 */
    uint16_t port;   /* host byte order */
    uint8_t address[16];
};

struct limit {
    uint32_t resource;
    uint64_t value;
};

/* What must be where the plan says, or nothing runs. */
enum expected_kind { EXPECT_DIRECTORY, EXPECT_PROGRAM, EXPECT_PROGRAM_BY_DESCRIPTOR, EXPECT_FILE, EXPECTED_KINDS };

struct expected {
    uint32_t kind;
    uint32_t device_major, device_minor;
    uint64_t inode;
    uint64_t changed_ns; /* its last change since the epoch; 0: it may have changed */
    const char *path;    /* of a file; the directory and the program are those the plan names otherwise */
};

/* What the supervisor may carry out beyond the view: grants.c says what each gives. */
enum grant_kind { GRANT_WRITE_PATH, GRANT_WRITE_ROOT, GRANT_NEW_ENTRY, GRANT_REMOVE, GRANT_METADATA, GRANT_HOST, GRANT_SOCKET, GRANT_NAME /* with its addresses: names.h */, GRANT_KINDS };

struct plan_grant {
    enum grant_kind kind;
    const char *path; /* as in a mount_entry */
};

struct path_list {
    const char *items[PATHS_MAX];
    const char *last[PATHS_MAX]; /* the last component of each */
    uint32_t count;
};

struct plan {
    uint32_t flags;
    const char *cwd;
    const char *argv[STRINGS_MAX + 1]; /* ends with a null pointer */
    uint32_t argv_count;
    const char *env[STRINGS_MAX + 1];
    uint32_t env_count;
    struct mount_entry mounts[MOUNTS_MAX];
    uint32_t mount_count;
    struct overlay overlays[OVERLAYS_MAX];
    uint32_t overlay_count;
    struct path_list absent;  /* protected names that must not come to exist */
    struct path_list sockets; /* host unix sockets that stay reachable */
    struct host hosts[HOSTS_MAX];
    uint32_t host_count;
    struct limit limits[LIMITS_MAX];
    uint32_t limit_count;
    struct expected expected[EXPECTED_MAX];
    uint32_t expected_count;
    struct plan_grant grants[PLAN_GRANTS_MAX];
    uint32_t grant_count;
};

/* Fills a zeroed plan with pointers into `bytes`. Returns 0, or -EBADMSG when anything at all is wrong. */
int plan_parse(struct plan *plan, const unsigned char *bytes, size_t length);

/* The entry that decides about `path`: the last one at or above it, as later entries lie on top of earlier
 * ones; null for the read-only root. */
const struct mount_entry *plan_entry_for(const struct plan *plan, const char *path);

/* True when what the command sees at `path` is what an overlay shows there. */
int plan_is_overlaid(const struct plan *plan, const char *path);

/* The overlay that `path` would be written in, or OVERLAYS_MAX. */
uint32_t plan_overlay_of(const struct plan *plan, const char *path);

/* Where the host has what the command sees at plain `path`, and the other way round. Return 0 or -ENAMETOOLONG. */
int plan_host_path(const struct plan *plan, const char *path, char host[PATH_BYTES_MAX]);
int plan_seen_path(const struct plan *plan, char path[PATH_BYTES_MAX]);

/* Whether the host's own `path` is not what the command sees there. */
int plan_moves(const struct plan *plan, const char *path);

static inline int plan_wants_empty_network(const struct plan *plan) {
    return (plan->flags & (PLAN_NETWORK_OFF | PLAN_TEST_NO_NETNS)) == PLAN_NETWORK_OFF;
}

/* True when `path` is `above` or lies below it. */
int path_is_at_or_below(const char *path, const char *above, size_t above_length);

#endif
