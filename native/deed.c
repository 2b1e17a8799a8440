/* Reads all arguments of a call that was refused: openat(2), rename(2), utimensat(2), setxattr(2) and their older forms. */
#include <linux/openat2.h>
#include <linux/stat.h>

#include "deed.h"
#include "identity.h"

enum { MODE_BITS = 07777 & ~(S_ISUID | S_ISGID), RENAME_ONLY_NEW = 1 /* RENAME_NOREPLACE */ };
/* What an open file may be asked to be; the rest is not ours to give, or is taken care of here. */
enum { OPEN_FLAGS = O_ACCMODE | O_CREAT | O_EXCL | O_TRUNC | O_APPEND | O_NONBLOCK | O_SYNC | O_DIRECT | O_NOATIME };
enum { OPEN_IGNORED = O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_LARGEFILE };

long open_parent(const struct plan *plan, const char *path, const char **name) {
    static char parent[PATH_BYTES_MAX], host[PATH_BYTES_MAX];
    struct open_how how = {.flags = O_PATH | O_DIRECTORY | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};
    *name = split_parent(path, parent);
    int error = **name ? plan_host_path(plan, parent, host) : -EISDIR;
    return error < 0 ? error : sys(openat2, AT_FDCWD, host, &how, sizeof how);
}

int look_up_identity(int directory, const char *name, struct identity *identity, uint32_t *type) {
    struct statx about;
    int flags = AT_SYMLINK_NOFOLLOW | AT_STATX_DONT_SYNC | (*name ? 0 : AT_EMPTY_PATH);
    int error = (int)sys(statx, directory, name, flags, STATX_TYPE | STATX_INO | STATX_BTIME, &about);
    if (error < 0) return error;
    int64_t born = about.stx_mask & STATX_BTIME ? about.stx_btime.tv_sec : 0;
    uint32_t born_ns = about.stx_mask & STATX_BTIME ? about.stx_btime.tv_nsec : 0;
    *identity = (struct identity){about.stx_dev_major, about.stx_dev_minor, about.stx_ino, born, born_ns};
    *type = about.stx_mode & S_IFMT;
    return 0;
}

int is_same_object(const struct identity *left, const struct identity *right) {
    return left->inode == right->inode && left->major == right->major && left->minor == right->minor &&
           left->born == right->born && left->born_ns == right->born_ns;
}

static int note_parent(const struct plan *plan, struct spot *spot) {
    const char *name;
    uint32_t type;
    long parent = open_parent(plan, spot->path, &name);
    if (parent < 0) return 0;
    int error = look_up_identity((int)parent, "", &spot->parent, &type);
    sys(close, parent);
    return error == 0;
}

int note_parents(const struct plan *plan, struct deed *deed) {
    if (!deed->at.path[0]) return 1; /* a connection by address */
    return note_parent(plan, &deed->at) && (!deed->to.path[0] || note_parent(plan, &deed->to));
}

/* Its own /proc, devices, and what an overlay shows are nobody's to change from outside. */
static int is_on_host(const struct plan *plan, const char *path) {
    static const char *const own[] = {"/proc", "/dev", "/sys"};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (path_is_at_or_below(path, own[i], strlen(own[i]))) return 0;
    return path[0] == '/' && path[1] && !plan_is_overlaid(plan, path);
}

int take_spot(const struct plan *plan, const struct place *place, struct spot *spot) {
    if (place->found != 0 || place->certainly_allowed || !is_on_host(plan, place->path)) return 0;
    put_text(spot->path, place->path);
    spot->exists = place->exists;
    spot->type = place->exists ? place->mode & S_IFMT : 0;
    spot->parent.inode = 0;
    return 1;
}

static void create_with(struct deed *deed, uint64_t mode) {
    deed->mode = (uint32_t)mode & MODE_BITS;
    deed->umask = umask_of(deed->pid);
}

/* A file without a name, in the directory that the call names: as a name in it that cannot be met. */
static int read_unnamed(struct deed *deed, uint64_t flags, uint64_t mode) {
    size_t length = strlen(deed->at.path);
    if (!deed->at.exists || deed->at.type != S_IFDIR || length + sizeof "/#" > PATH_BYTES_MAX) return 0;
    put_text(deed->at.path + length, "/#");
    deed->at.exists = 0;
    deed->at.type = 0;
    deed->kind = DEED_OPEN;
    deed->flags = flags & (OPEN_FLAGS | O_CLOEXEC | __O_TMPFILE);
    create_with(deed, mode);
    return 1;
}

static int read_open(struct deed *deed, uint64_t flags, uint64_t mode) {
    if ((flags & O_TMPFILE) == O_TMPFILE && !(flags & ~(uint64_t)(OPEN_FLAGS | OPEN_IGNORED | O_TMPFILE)))
        return read_unnamed(deed, flags, mode);
    if (flags & ~(uint64_t)(OPEN_FLAGS | OPEN_IGNORED)) return 0;
    if (deed->at.exists && deed->at.type != S_IFREG) return 0;
    if (!deed->at.exists && !(flags & O_CREAT)) return 0;
    deed->kind = DEED_OPEN;
    deed->flags = flags & (OPEN_FLAGS | O_CLOEXEC);
    if (flags & O_CREAT) create_with(deed, mode);
    return 1;
}

static int read_directory(struct deed *deed, uint64_t mode) {
    deed->kind = DEED_DIRECTORY;
    create_with(deed, mode);
    return !deed->at.exists;
}

static int read_node(struct deed *deed, uint64_t mode) {
    uint32_t type = mode & S_IFMT ? (uint32_t)mode & S_IFMT : S_IFREG;
    deed->kind = DEED_NODE;
    create_with(deed, mode);
    deed->mode = (deed->mode & (uint32_t)~S_IFMT) | type;
    return !deed->at.exists && (type == S_IFREG || type == S_IFIFO || type == S_IFSOCK);
}

static int read_symlink(struct deed *deed, uint64_t address) {
    deed->kind = DEED_SYMLINK;
    long length = read_path(deed->pid, address, deed->text);
    deed->text_length = length > 0 ? (uint32_t)length : 0;
    return length > 0 && !deed->at.exists;
}

/* "/proc/self/fd/5", "/dev/fd/5": the number. */
static int number_after_folder(const char *path) {
    enum { NUMBER_MAX = 1 << 20 };
    size_t at = strlen(path);
    while (at && path[at - 1] >= '0' && path[at - 1] <= '9') at--;
    if (!path[at] || at < sizeof "/fd/" - 1 || memcmp(path + at - (sizeof "/fd/" - 1), "/fd/", sizeof "/fd/" - 1) != 0) return -1;
    int number = 0;
    for (; path[at] && number < NUMBER_MAX; at++) number = number * 10 + path[at] - '0';
    return number;
}

int described_operand(int pid, const __u64 args[]) {
    static char text[PATH_BYTES_MAX];
    if (args[4] & AT_EMPTY_PATH) return (int)(uint32_t)args[0];
    return (args[4] & AT_SYMLINK_FOLLOW) && read_path(pid, args[1], text) > 0 ? number_after_folder(text) : -1;
}

/* Whether it is one that we made is looked at when it gets its name. */
static int read_naming(struct deed *deed, int descriptor) {
    deed->kind = DEED_NAME;
    deed->descriptor = descriptor;
    return descriptor >= 0 && !deed->at.exists;
}

static int read_link(struct deed *deed, uint64_t flags) {
    deed->kind = DEED_LINK;
    return !(flags & ~(uint64_t)AT_SYMLINK_FOLLOW) && deed->to.path[0] && deed->at.exists && deed->at.type == S_IFREG && !deed->to.exists;
}

static int read_rename(struct deed *deed, uint64_t flags) {
    deed->kind = DEED_RENAME;
    deed->flags = flags;
    return !(flags & ~(uint64_t)RENAME_ONLY_NEW) && deed->to.path[0] && deed->at.exists;
}

static int read_removal(struct deed *deed, uint64_t flags) {
    deed->kind = DEED_REMOVE;
    deed->flags = flags;
    return !(flags & ~(uint64_t)AT_REMOVEDIR) && deed->at.exists;
}

static int read_bind(struct deed *deed, uint64_t descriptor) {
    deed->kind = DEED_BIND;
    deed->descriptor = (int)(uint32_t)descriptor;
    create_with(deed, 0);
    return !deed->at.exists;
}

static int read_mode(struct deed *deed, uint64_t mode, uint64_t flags) {
    deed->kind = DEED_MODE;
    deed->mode = (uint32_t)mode & MODE_BITS;
    return !flags && !(mode & (S_ISUID | S_ISGID)) && deed->at.type != S_IFLNK;
}

/* Whoever copies with everything says once more to whom it belongs. No other owner is ever given. */
static int read_owner(struct deed *deed, const struct place *place, uint64_t uid, uint64_t gid) {
    deed->kind = DEED_OWNER;
    deed->uid = (uint32_t)uid;
    deed->gid = (uint32_t)gid;
    return (deed->uid == ~0U || deed->uid == place->uid) && (deed->gid == ~0U || deed->gid == place->gid);
}

/* Two times as seconds and a fraction of `unit_ns`; none: now. */
static int read_times(struct deed *deed, uint64_t address, int64_t unit_ns) {
    enum { NOW = (1 << 30) - 1 /* UTIME_NOW */, SECOND_NS = 1000000000 };
    deed->kind = DEED_TIMES;
    for (int i = 0; i < 2; i++) deed->times[i] = (struct __kernel_timespec){0, NOW};
    if (address && read_memory(deed->pid, address, deed->times, sizeof deed->times) != sizeof deed->times) return 0;
    for (int i = 0; address && unit_ns > 1 && i < 2; i++) {
        if (deed->times[i].tv_nsec < 0 || deed->times[i].tv_nsec >= SECOND_NS / unit_ns) return 0; /* EINVAL, with or without us */
        deed->times[i].tv_nsec *= unit_ns;
    }
    return 1;
}

/* utime(2) knows whole seconds only. */
static int read_old_times(struct deed *deed, uint64_t address) {
    int64_t seconds[2];
    if (!address) return read_times(deed, 0, 1);
    if (read_memory(deed->pid, address, seconds, sizeof seconds) != sizeof seconds) return 0;
    deed->kind = DEED_TIMES;
    for (int i = 0; i < 2; i++) deed->times[i] = (struct __kernel_timespec){seconds[i], 0};
    return 1;
}

static int starts_with(const char *text, const char *start) { return memcmp(text, start, strlen(start)) == 0; }

/* Those that mean nothing to the system, and access lists, which say no more than a mode: of the others some make a program
 * run with more rights. */
static int read_attribute(struct deed *deed, uint64_t name) {
    long length = read_memory(deed->pid, name, deed->attribute, sizeof deed->attribute);
    int is_ended = 0;
    for (long i = 0; i < length; i++) is_ended |= !deed->attribute[i];
    if (!is_ended || deed->at.type == S_IFLNK) return 0;
    return starts_with(deed->attribute, "user.") || starts_with(deed->attribute, "system.posix_acl_");
}

static int read_attribute_value(struct deed *deed, const __u64 args[]) {
    deed->kind = DEED_SET_ATTRIBUTE;
    deed->flags = args[4];
    if (args[3] > sizeof deed->text || !read_attribute(deed, args[1])) return 0;
    deed->text_length = (uint32_t)args[3];
    return !args[3] || read_memory(deed->pid, args[2], deed->text, args[3]) == (long)args[3];
}

static int read_attribute_name(struct deed *deed, uint64_t name) {
    deed->kind = DEED_REMOVE_ATTRIBUTE;
    return read_attribute(deed, name);
}

static int read_truncate(struct deed *deed, uint64_t length) {
    deed->kind = DEED_TRUNCATE;
    deed->length = length;
    return deed->at.type == S_IFREG;
}

static int read_by_number(struct deed *deed, int number, const __u64 args[], const struct place *at) {
    enum { MICROSECOND_NS = 1000 };
    switch (number) {
        case __NR_openat: return read_open(deed, (uint32_t)args[2], args[3]);
        case __NR_mkdirat: return read_directory(deed, args[2]);
        case __NR_mknodat: return read_node(deed, args[2]);
        case __NR_symlinkat: return read_symlink(deed, args[0]);
        case __NR_linkat: return deed->to.path[0] ? read_link(deed, (uint32_t)args[4]) : read_naming(deed, described_operand(deed->pid, args));
        case __NR_renameat: return read_rename(deed, 0);
        case __NR_renameat2: return read_rename(deed, (uint32_t)args[4]);
        case __NR_unlinkat: return read_removal(deed, (uint32_t)args[2]);
        case __NR_truncate: return read_truncate(deed, args[1]);
        case __NR_bind: return read_bind(deed, args[0]);
        case __NR_fchmodat: return read_mode(deed, args[2], 0);
        case __NR_fchmodat2: return read_mode(deed, args[2], (uint32_t)args[3]);
        case __NR_fchownat: return read_owner(deed, at, args[2], args[3]);
        case __NR_utimensat: return read_times(deed, args[2], 1);
        case __NR_lsetxattr: case __NR_setxattr: return read_attribute_value(deed, args);
        case __NR_lremovexattr: case __NR_removexattr: return read_attribute_name(deed, args[1]);
#ifdef __x86_64__
        case __NR_open: return read_open(deed, (uint32_t)args[1], args[2]);
        case __NR_creat: return read_open(deed, O_CREAT | O_WRONLY | O_TRUNC, args[1]);
        case __NR_mkdir: return read_directory(deed, args[1]);
        case __NR_mknod: return read_node(deed, args[1]);
        case __NR_symlink: return read_symlink(deed, args[0]);
        case __NR_link: return read_link(deed, 0);
        case __NR_rename: return read_rename(deed, 0);
        case __NR_unlink: return read_removal(deed, 0);
        case __NR_rmdir: return read_removal(deed, AT_REMOVEDIR);
        case __NR_chmod: return read_mode(deed, args[1], 0);
        case __NR_chown: case __NR_lchown: return read_owner(deed, at, args[1], args[2]);
        case __NR_utime: return read_old_times(deed, args[1]);
        case __NR_utimes: return read_times(deed, args[1], MICROSECOND_NS);
        case __NR_futimesat: return read_times(deed, args[2], MICROSECOND_NS);
#endif
        default: return 0; /* inode flags and attributes by descriptor: never */
    }
}

int read_deed(const struct supervisor *supervisor, const struct wanted_call *call, struct deed *deed) {
    const struct plan *plan = &supervisor->sandbox->plan;
    deed->pid = call->pid;
    deed->to.path[0] = 0;
    deed->descriptor = -1;
    deed->flags = deed->umask = deed->text_length = 0;
    if (!take_spot(plan, call->at, &deed->at) || (call->to && !take_spot(plan, call->to, &deed->to))) return 0;
    return read_by_number(deed, call->number, call->args, call->at);
}
