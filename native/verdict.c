/* Judges places by the plan: the same facts the view was built from, so no second opinion can arise.
 *
 * A call that would have failed anyway (the name exists, the file does not, a directory is no file) is not a
 * refusal of ours: those come first. */
#include <linux/stat.h>

#include "verdict.h"

enum territory { FREE, READ_ONLY, HIDDEN_FILE, HIDDEN_DIRECTORY, NO_DEVICE };
enum { WANT_WRITE = 2, WANT_SEARCH = 1 };

/* What the private /dev has. */
static const char device_names[][12] = {"null", "zero", "full", "random", "urandom", "tty", "ptmx", "pts", "shm"};
static int is_below(const char *path, const char *above) { return path_is_at_or_below(path, above, strlen(above)); }

static enum territory device_territory(const struct plan *plan, const char *path) {
    if (!path[4]) return READ_ONLY; /* /dev itself */
    for (size_t i = 0; i < sizeof device_names / sizeof device_names[0]; i++)
        if (is_below(path + 5, device_names[i])) return FREE;
    if ((plan->flags & PLAN_TTY) && is_below(path + 5, "console")) return FREE; /* its own terminal */
    return NO_DEVICE;
}

static enum territory proc_territory(const char *path) {
    for (unsigned int i = 0; i < covered_proc_count; i++)
        if (is_below(path, covered_proc[i])) return READ_ONLY;
    return FREE;
}

static enum territory territory_of(const struct plan *plan, const char *path) {
    const struct mount_entry *entry = plan_entry_for(plan, path);
    if (!entry) {
        if (is_below(path, "/dev")) return device_territory(plan, path);
        return is_below(path, "/proc") ? proc_territory(path) : READ_ONLY;
    }
    switch ((enum mount_kind)entry->kind) {
        case MOUNT_WRITE: case MOUNT_OVERLAY: return FREE;
        case HIDE_FILE: return HIDDEN_FILE;
        case HIDE_DIRECTORY: case HIDE_WITH_OPENINGS: return HIDDEN_DIRECTORY;
        case MOUNT_READ: case MOUNT_KINDS: break;
    }
    return READ_ONLY;
}

int is_hidden(const struct plan *plan, const char *path) {
    enum territory where = territory_of(plan, path);
    return where == HIDDEN_FILE || where == HIDDEN_DIRECTORY;
}

int is_writable(const struct plan *plan, const char *path) { return territory_of(plan, path) == FREE; }

int is_read_only(const struct plan *plan, const char *path) { return territory_of(plan, path) == READ_ONLY; }

/* Some directory on the way is closed to the caller on the host as well: refused twice. */
static int closed_by_both(const struct plan *plan, const struct place *place) {
    return place->found == -EACCES && territory_of(plan, place->path) != FREE;
}

static int is_mount_point(const struct plan *plan, const char *path) {
    const struct mount_entry *entry = plan_entry_for(plan, path);
    return entry && path[entry->length] == 0;
}

int refusal_of_entry(const struct supervisor *supervisor, const struct place *place, int must_exist) {
    const struct plan *plan = &supervisor->sandbox->plan;
    if (closed_by_both(plan, place)) return EACCES;
    if (place->certainly_allowed || place->found != 0 || place->exists != must_exist) return 0;
    char parent[PATH_BYTES_MAX];
    split_parent(place->path, parent);
    switch (territory_of(plan, parent)) {
        case HIDDEN_FILE: return EACCES;
        case HIDDEN_DIRECTORY: return must_exist && !is_mount_point(plan, parent) ? ENOENT : EROFS;
        case READ_ONLY: case NO_DEVICE: return EROFS;
        case FREE: break;
    }
    return must_exist && is_mount_point(plan, place->path) ? EBUSY : 0;
}

/* Permission bits as they count inside, where nobody has capabilities. */
static int bits_allow(const struct supervisor *supervisor, const struct place *place, uint32_t wanted) {
    uint32_t bits = place->mode;
    if (place->uid == supervisor->sandbox->uid) bits >>= 6;
    else if (place->gid == supervisor->sandbox->gid) bits >>= 3;
    return (bits & wanted) == wanted;
}

static int refusal_of_special(const struct supervisor *supervisor, uint32_t type) {
    if (type == S_IFCHR || type == S_IFBLK) return EACCES; /* no devices outside /dev */
    /* A pipe can be written to on a read-only mount; the second wall does not let it be opened. */
    return type == S_IFIFO && (supervisor->sandbox->layers & LAYER_LANDLOCK) ? EACCES : 0;
}

static int refusal_of_existing(const struct supervisor *supervisor, const struct place *place, uint64_t flags) {
    uint32_t type = place->mode & S_IFMT;
    enum territory where = territory_of(&supervisor->sandbox->plan, place->path);
    if (where == FREE || type == S_IFDIR || type == S_IFLNK || type == S_IFSOCK) return 0;
    if ((flags & O_CREAT) && (flags & O_EXCL)) return 0;
    if (where == HIDDEN_FILE) return EACCES;
    if (where == NO_DEVICE || where == HIDDEN_DIRECTORY) return flags & O_CREAT ? EROFS : ENOENT;
    if (type != S_IFREG) return refusal_of_special(supervisor, type);
    if (!(flags & (O_ACCMODE | O_TRUNC))) return 0; /* it is there, and only to be read */
    return (flags & O_TRUNC) || bits_allow(supervisor, place, WANT_WRITE) ? EROFS : EACCES;
}

int refusal_of_open(const struct supervisor *supervisor, const struct place *place, uint64_t flags) {
    const struct plan *plan = &supervisor->sandbox->plan;
    if (closed_by_both(plan, place)) return EACCES;
    if (place->certainly_allowed || place->found != 0) return 0;
    if ((flags & __O_TMPFILE) == __O_TMPFILE)
        return place->exists && territory_of(plan, place->path) != FREE ? EROFS : 0;
    if (place->exists) return refusal_of_existing(supervisor, place, flags);
    return flags & O_CREAT ? refusal_of_entry(supervisor, place, 0) : 0;
}

int refusal_of_change(const struct supervisor *supervisor, const struct place *place) {
    const struct plan *plan = &supervisor->sandbox->plan;
    if (closed_by_both(plan, place)) return EACCES;
    if (place->certainly_allowed || place->found != 0 || !place->exists) return 0;
    switch (territory_of(plan, place->path)) {
        case FREE: return 0;
        case HIDDEN_FILE: return EACCES;
        case HIDDEN_DIRECTORY: case NO_DEVICE: return ENOENT;
        case READ_ONLY: break;
    }
    return EROFS;
}

static int host_lets(const char *path, int wanted) {
    return sys(faccessat2, AT_FDCWD, path, wanted, AT_EACCESS | AT_SYMLINK_NOFOLLOW) == 0;
}

int host_lets_write(const char *path) { return host_lets(path, WANT_WRITE); }

int host_lets_write_to(const struct supervisor *supervisor, const struct place *place) {
    (void)supervisor; /* as the others, of which one is chosen */
    return host_lets_write(place->path);
}

static int is_owner(const struct supervisor *supervisor, uint32_t uid) {
    return supervisor->sandbox->uid == 0 || supervisor->sandbox->uid == uid;
}

int host_lets_change_entry(const struct supervisor *supervisor, const struct place *place) {
    char parent[PATH_BYTES_MAX];
    split_parent(place->path, parent);
    if (!host_lets(parent, WANT_WRITE | WANT_SEARCH)) return 0;
    struct statx about;
    if (!place->exists || sys(statx, AT_FDCWD, parent, 0, STATX_BASIC_STATS, &about) != 0) return 1;
    /* In a sticky directory only owners remove. */
    return !(about.stx_mode & S_ISVTX) || is_owner(supervisor, about.stx_uid) || is_owner(supervisor, place->uid);
}

int host_lets_change_metadata(const struct supervisor *supervisor, const struct place *place) {
    return place->found == 0 && is_owner(supervisor, place->uid) && host_lets(place->path, 0);
}
