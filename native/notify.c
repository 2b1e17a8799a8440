/* Answers the calls the filter holds: seccomp_unotify(2), Linux 5.0; continuing a call: 5.5.
 *
 * The view is the boundary, this is not. Whatever is not refused here continues, and the kernel refuses it with its
 * own errno if the view forbids it; the record tells what that will be. Arguments may be rewritten after they were
 * read, so nothing is ever let through because of what was read. */
#include <linux/ioctl.h>
#include <linux/seccomp.h>
#include <linux/stat.h>

#include "connects.h"
#include "foregone.h"
#include "held.h"
#include "hosts.h"
#include "refusals.h"
#include "verdict.h"

enum kind { OPEN, CREAT, MAKE, LINK, RENAME, REMOVE, CHANGE, TRUNCATE, CONNECT, BIND, SEND_TO, LISTEN, LOCK, ACCESS, OPTION };
enum { NONE = -1, RENAME_ONLY_NEW = 1 /* RENAME_NOREPLACE */, RENAME_EXCHANGE = 2 };

/* What a call's arguments mean, by their index. */
struct call {
    short number;
    char name[14];
    unsigned char kind;
    signed char directory, path; /* directory NONE: relative to the working directory */
    signed char flags;           /* NONE: there are none */
    unsigned char follows;       /* a link at the end, unless AT_SYMLINK_NOFOLLOW says otherwise */
};

static const struct call calls[] = {
    {__NR_openat, "openat", OPEN, 0, 1, 2, 1},
    {__NR_mkdirat, "mkdirat", MAKE, 0, 1, NONE, 0},
    {__NR_mknodat, "mknodat", MAKE, 0, 1, NONE, 0},
    {__NR_symlinkat, "symlinkat", MAKE, 1, 2, NONE, 0},
    {__NR_linkat, "linkat", LINK, 2, 3, NONE, 0},
    {__NR_renameat, "renameat", RENAME, 0, 1, NONE, 0},
    {__NR_renameat2, "renameat2", RENAME, 0, 1, NONE, 0},
    {__NR_unlinkat, "unlinkat", REMOVE, 0, 1, 2, 0},
    {__NR_truncate, "truncate", TRUNCATE, NONE, 0, NONE, 1},
    {__NR_fchmodat, "fchmodat", CHANGE, 0, 1, NONE, 1},
    {__NR_fchmodat2, "fchmodat2", CHANGE, 0, 1, 3, 1},
    {__NR_fchownat, "fchownat", CHANGE, 0, 1, 4, 1},
    {__NR_utimensat, "utimensat", CHANGE, 0, 1, 3, 1},
    {__NR_setxattr, "setxattr", CHANGE, NONE, 0, NONE, 1},
    {__NR_lsetxattr, "lsetxattr", CHANGE, NONE, 0, NONE, 0},
    {__NR_removexattr, "removexattr", CHANGE, NONE, 0, NONE, 1},
    {__NR_lremovexattr, "lremovexattr", CHANGE, NONE, 0, NONE, 0},
    {__NR_setxattrat, "setxattrat", CHANGE, 0, 1, 2, 1},
    {__NR_removexattrat, "removexattrat", CHANGE, 0, 1, 2, 1},
    {__NR_file_setattr, "file_setattr", CHANGE, 0, 1, 4, 1},
    {__NR_connect, "connect", CONNECT, NONE, 1, NONE, 1},
    {__NR_bind, "bind", BIND, NONE, 1, NONE, 1},
    {__NR_sendto, "sendto", SEND_TO, NONE, 4, NONE, 1},
    {__NR_listen, "listen", LISTEN, NONE, 1, NONE, 1}, /* no address: not read */
    {__NR_flock, "flock", LOCK, 0, NONE, NONE, 1},
    {__NR_setsockopt, "setsockopt", OPTION, NONE, 1, NONE, 1},
    {__NR_faccessat, "faccessat", ACCESS, 0, 1, NONE, 1},
    {__NR_faccessat2, "faccessat2", ACCESS, 0, 1, 3, 1},
#ifdef __x86_64__
    {__NR_access, "access", ACCESS, NONE, 0, NONE, 1},
    {__NR_open, "open", OPEN, NONE, 0, 1, 1},
    {__NR_creat, "creat", CREAT, NONE, 0, NONE, 1},
    {__NR_mkdir, "mkdir", MAKE, NONE, 0, NONE, 0},
    {__NR_mknod, "mknod", MAKE, NONE, 0, NONE, 0},
    {__NR_symlink, "symlink", MAKE, NONE, 1, NONE, 0},
    {__NR_link, "link", LINK, NONE, 1, NONE, 0},
    {__NR_rename, "rename", RENAME, NONE, 0, NONE, 0},
    {__NR_unlink, "unlink", REMOVE, NONE, 0, NONE, 0},
    {__NR_rmdir, "rmdir", REMOVE, NONE, 0, NONE, 0},
    {__NR_chmod, "chmod", CHANGE, NONE, 0, NONE, 1},
    {__NR_chown, "chown", CHANGE, NONE, 0, NONE, 1},
    {__NR_lchown, "lchown", CHANGE, NONE, 0, NONE, 0},
    {__NR_utime, "utime", CHANGE, NONE, 0, NONE, 1},
    {__NR_utimes, "utimes", CHANGE, NONE, 0, NONE, 1},
    {__NR_futimesat, "futimesat", CHANGE, 0, 1, NONE, 1},
#endif
};

struct held {
    struct supervisor *supervisor;
    const struct call *call;
    const __u64 *args;
    int pid;
    uint64_t id;
};

/* Why and how a call is refused. */
struct finding {
    enum operation operation;
    enum refusing_layer layer;
    int error;
    int (*host_allows)(const struct supervisor *supervisor, const struct place *place);
};

static int directory_of(const struct held *held, int index) {
    return index == NONE ? AT_FDCWD : (int)(uint32_t)held->args[index];
}

static uint64_t flags_of(const struct held *held) {
    return held->call->flags == NONE ? 0 : held->args[(int)held->call->flags];
}

static int manner_of(const struct held *held) {
    return held->call->kind == OPEN && (flags_of(held) & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL) ? EXCLUSIVE : 0;
}

static void tell(const struct held *held, const struct finding *finding, const struct place *place) {
    int host_allows = finding->host_allows ? finding->host_allows(held->supervisor, place) : 1;
    struct refusal refusal = {finding->operation, finding->layer, finding->error, held->pid, host_allows, manner_of(held), held->call->name, place->path, ""};
    report_refusal(&held->supervisor->tally, &refusal);
}

/* Unless it is carried out or waits for an answer, the refusal is told, of `told`; then the call gets `otherwise`: 0 lets
 * the kernel refuse it. */
static int refuse(const struct held *held, const struct finding *finding, const struct place *at, const struct place *to, int otherwise) {
    struct refused_call call = {
        held->id,
        {held->call->number, held->pid, held->args, at, to},
        {finding->operation, finding->layer, finding->error, held->pid, 1, manner_of(held), held->call->name, at->path, ""},
        finding->host_allows,
        0,
    };
    if (take_over(held->supervisor, &call)) return ANSWERED;
    tell(held, finding, to && held->call->kind == LINK ? to : at);
    return otherwise;
}

/* A new name: refused here when it is a protected one, otherwise recorded when the view refuses it. `old`: what gets it,
 * in a link. */
static int judge_new_name(const struct held *held, const struct place *old, const struct place *place, enum operation operation) {
    const struct supervisor *supervisor = held->supervisor;
    const struct place *at = old ? old : place, *to = old ? place : 0;
    if (place->certainly_allowed) return 0;
    struct finding finding = {operation, BY_SECCOMP, EACCES, host_lets_change_entry};
    if (place->found == 0 && !place->exists && is_guarded_name(&supervisor->sandbox->plan, place->path))
        return refuse(held, &finding, at, to, EACCES);
    finding.layer = BY_MOUNT;
    finding.error = refusal_of_entry(supervisor, place, 0);
    if (finding.error) return refuse(held, &finding, at, to, is_unresolved(place) ? EACCES : 0);
    return is_unresolved(place) ? EACCES : 0;
}

/* A protected name that came to exist since the plan was made, by somebody else: it has no bind. */
static int is_late(const struct held *held, const struct place *place) {
    return place->found == 0 && place->exists && !place->certainly_allowed && (place->mode & S_IFMT) == S_IFREG &&
           is_absent_name(&held->supervisor->sandbox->plan, place->path);
}

/* Nobody can say yes to a file that has no name yet. Where file systems know no such files programs take one that has
 * a name, which can be asked about: so that is what they hear. */
static int open_unnamed(const struct held *held, const struct finding *finding, const struct place *directory) {
    struct refused_call call = {held->id, {held->call->number, held->pid, held->args, directory, 0}, {.operation = finding->operation}, 0, 0};
    return carry_out_within_grants(held->supervisor, &call) ? ANSWERED : EOPNOTSUPP;
}

static int judge_open(const struct held *held, uint64_t flags) {
    static struct place place;
    const struct supervisor *supervisor = held->supervisor;
    int follow = !(flags & O_NOFOLLOW) && !((flags & O_CREAT) && (flags & O_EXCL));
    if (flags & O_PATH) return 0;
    resolve(supervisor, held->pid, directory_of(held, held->call->directory), held->args[(int)held->call->path], follow,
            0, &place);
    if (!place.exists && (flags & O_CREAT) && (place.found == 0 || is_unresolved(&place)))
        return judge_new_name(held, 0, &place, OP_CREATE);
    struct finding finding = {OP_WRITE, BY_SECCOMP, EACCES, host_lets_write_to};
    if ((flags & (O_ACCMODE | O_TRUNC)) && is_late(held, &place)) return refuse(held, &finding, &place, 0, EACCES);
    finding.error = refusal_of_open(supervisor, &place, flags);
    if (!finding.error) return 0;
    finding.layer = place.exists && (place.mode & S_IFMT) == S_IFIFO ? BY_LANDLOCK : BY_MOUNT;
    int is_temporary = (flags & __O_TMPFILE) == __O_TMPFILE;
    if (is_temporary || !place.exists) finding.operation = OP_CREATE;
    if (is_temporary && held->supervisor->holds_calls) return open_unnamed(held, &finding, &place);
    return refuse(held, &finding, &place, 0, 0);
}

static void resolve_operand(const struct held *held, int directory, int path, int follow, int names_entry,
                            struct place *place) {
    resolve(held->supervisor, held->pid, directory_of(held, directory), held->args[path], follow, names_entry, place);
}

/* What is moved or linked here could bring along a name that must not come to exist. */
static int refuse_bringing(const struct held *held, const struct place *place, enum operation operation) {
    tell(held, &(struct finding){operation, BY_SECCOMP, EACCES, host_lets_change_entry}, place);
    return EACCES;
}

static int could_bring_guarded(const struct held *held, const struct place *place) {
    const struct plan *plan = &held->supervisor->sandbox->plan;
    if (place->found != 0 || place->exists) return 0;
    return (!place->certainly_allowed && is_above_absent(plan, place->path)) || is_above_pointer(plan, place->path);
}

static int judge_make(const struct held *held, const struct place *old) {
    static struct place place;
    resolve_operand(held, held->call->directory, held->call->path, 0, 1, &place);
    /* From a place of its own to one that is another mount to it: whoever hears that makes a copy. */
    if (old && is_writable(&held->supervisor->sandbox->plan, old->path) && is_granted_name(held->supervisor, &place)) return EXDEV;
    int is_link = same_text(held->call->name, "symlink") || same_text(held->call->name, "symlinkat");
    if (is_link && could_bring_guarded(held, &place))
        return refuse_bringing(held, &place, OP_CREATE);
    return judge_new_name(held, old, &place, OP_CREATE);
}

static int judge_remove(const struct held *held) {
    static struct place place;
    resolve_operand(held, held->call->directory, held->call->path, 0, 1, &place);
    int wants_directory = same_text(held->call->name, "rmdir") || (flags_of(held) & AT_REMOVEDIR);
    int is_directory = (place.mode & S_IFMT) == S_IFDIR;
    int foregone = takes_calls_over(held->supervisor) ? foregone_removal(held->supervisor, &place, wants_directory) : 0;
    if (foregone) return foregone;
    if (place.exists && wants_directory != is_directory) return 0; /* ENOTDIR or EISDIR, with or without us */
    int error = refusal_of_entry(held->supervisor, &place, 1);
    /* What an overlay lies on has something in it, and would stay without us; git tries that with its own directory. */
    if (error == EBUSY && wants_directory && plan_is_overlaid(&held->supervisor->sandbox->plan, place.path)) return 0;
    struct finding finding = {OP_DELETE, BY_MOUNT, error, host_lets_change_entry};
    return error ? refuse(held, &finding, &place, 0, 0) : 0;
}

/* Where somebody may answer, whoever moves a file from one tree to another is heard when it makes the copy. */
static int is_crossing(const struct held *held, const struct place *from, const struct place *to) {
    static char left[PATH_BYTES_MAX], right[PATH_BYTES_MAX];
    const struct plan *plan = &held->supervisor->sandbox->plan;
    if (!takes_calls_over(held->supervisor) || from->found != 0 || to->found != 0) return 0;
    split_parent(from->path, left);
    split_parent(to->path, right);
    return is_writable(plan, left) != is_writable(plan, right);
}

/* Both ends can be refused; the first that is goes on record, as the kernel stops there. Crossing from one tree to
 * another is EXDEV, which every tool answers by copying: no refusal. */
static int judge_rename(const struct held *held) {
    static struct place from, to;
    int plain = same_text(held->call->name, "rename");
    resolve_operand(held, plain ? NONE : 0, plain ? 0 : 1, 0, 1, &from);
    resolve_operand(held, plain ? NONE : 2, plain ? 1 : 3, 0, 1, &to);
    /* Whatever we think of the old name, it may be another by the time the kernel looks. */
    if (to.found == 0 && !to.exists && is_guarded_name(&held->supervisor->sandbox->plan, to.path))
        return judge_new_name(held, 0, &to, OP_RENAME);
    int only_new = same_text(held->call->name, "renameat2") && (held->args[4] & RENAME_ONLY_NEW);
    if (to.found == 0 && !to.certainly_allowed && is_above_absent(&held->supervisor->sandbox->plan, to.path))
        return to.exists && only_new ? EEXIST : refuse_bringing(held, &to, OP_RENAME);
    if (could_bring_guarded(held, &to)) return refuse_bringing(held, &to, OP_RENAME);
    if (is_late(held, &to)) return refuse_bringing(held, &to, OP_RENAME);
    int exchanges = same_text(held->call->name, "renameat2") && (held->args[4] & RENAME_EXCHANGE);
    if (exchanges && from.found == 0 && !from.certainly_allowed && is_above_absent(&held->supervisor->sandbox->plan, from.path))
        return refuse_bringing(held, &from, OP_RENAME);
    int foregone = takes_calls_over(held->supervisor) && !exchanges ? foregone_rename(held->supervisor, &from, &to, only_new) : 0;
    if (foregone) return foregone;
    if (!from.certainly_allowed && !from.exists && from.found == 0) return 0; /* ENOENT */
    struct finding finding = {OP_RENAME, BY_MOUNT, refusal_of_entry(held->supervisor, &from, 1), host_lets_change_entry};
    if (is_crossing(held, &from, &to)) return 0;
    if (finding.error) return refuse(held, &finding, &from, &to, 0);
    if (!to.exists) return judge_new_name(held, 0, &to, OP_RENAME);
    finding.error = refusal_of_entry(held->supervisor, &to, 1);
    if (finding.error) tell(held, &finding, &to);
    return 0;
}

/* Then its mount is no read-only one, whatever lies at its path: it was handed in. */
static int is_open_for_writing(int pid, int fd) { return (descriptor_flags(pid, fd) & O_ACCMODE) != O_RDONLY; }

static int judge_change(const struct held *held) {
    static struct place place;
    uint64_t flags = flags_of(held), address = held->args[(int)held->call->path];
    char first = 0;
    int directory = directory_of(held, held->call->directory);
    /* utimensat without a path, or an empty one with AT_EMPTY_PATH: the descriptor itself is meant. */
    int on_descriptor = address == 0 || ((flags & AT_EMPTY_PATH) && read_memory(held->pid, address, &first, 1) == 1 && !first);
    if (on_descriptor) resolve_descriptor(held->supervisor, held->pid, directory, &place);
    else resolve(held->supervisor, held->pid, directory, address, held->call->follows && !(flags & AT_SYMLINK_NOFOLLOW), 0, &place);
    struct finding finding = {OP_METADATA, BY_MOUNT, refusal_of_change(held->supervisor, &place), host_lets_change_metadata};
    if (!finding.error || (on_descriptor && is_open_for_writing(held->pid, directory))) return 0;
    return refuse(held, &finding, &place, 0, 0);
}

static int judge_truncate(const struct held *held) {
    static struct place place;
    resolve_operand(held, NONE, 0, 1, 0, &place);
    if (place.exists && (place.mode & S_IFMT) != S_IFREG) return 0;
    struct finding finding = {OP_WRITE, BY_MOUNT, refusal_of_change(held->supervisor, &place), host_lets_write_to};
    return finding.error ? refuse(held, &finding, &place, 0, 0) : 0;
}

/* Behind a descriptor, and nowhere else. */
static int is_unnamed(const struct held *held, const struct place *old) {
    static const char gone[] = " (deleted)";
    size_t length = strlen(old->path), size = sizeof gone - 1;
    if (described_operand(held->pid, held->args) < 0) return 0;
    return old->found != 0 || (length > size && same_text(old->path + length - size, gone));
}

/* By a second name a late one would be changed all the same. */
static int judge_link(const struct held *held) {
    static struct place old;
    int plain = same_text(held->call->name, "link");
    uint64_t flags = plain ? 0 : held->args[4];
    resolve_operand(held, plain ? NONE : 0, plain ? 0 : 1, (flags & AT_SYMLINK_FOLLOW) != 0, 0, &old);
    if (is_late(held, &old)) return refuse_bringing(held, &old, OP_CREATE);
    if (flags & AT_EMPTY_PATH) {
        resolve_descriptor(held->supervisor, held->pid, directory_of(held, 0), &old);
        if (is_late(held, &old)) return refuse_bringing(held, &old, OP_CREATE);
    }
    if (takes_calls_over(held->supervisor) && !plain && is_unnamed(held, &old)) return judge_make(held, 0);
    /* The kernel looks for it first, too. Elsewhere, as in /dev/shm, the command may have what the host has not. */
    if (old.found == 0 && !old.exists && is_read_only(&held->supervisor->sandbox->plan, old.path)) return ENOENT;
    return judge_make(held, old.found == 0 && (old.exists || old.certainly_allowed) ? &old : 0);
}

/* Readable is enough for a lock, and whoever waits for it outside waits for the command: not refused, as package managers
 * and compilers lock what they read, but told. */
static int judge_lock(const struct held *held) {
    enum { SHARED_OR_EXCLUSIVE = 3 /* LOCK_SH | LOCK_EX of flock(2) */ };
    static struct place place;
    if (!(held->args[1] & SHARED_OR_EXCLUSIVE)) return 0;
    resolve_descriptor(held->supervisor, held->pid, directory_of(held, held->call->directory), &place);
    uint32_t type = place.mode & S_IFMT;
    if (place.found != 0 || !place.exists || (type != S_IFREG && type != S_IFDIR)) return 0;
    if (!is_writable(&held->supervisor->sandbox->plan, place.path)) tell(held, &(struct finding){OP_LOCK, BY_SECCOMP, 0, 0}, &place);
    return 0;
}

/* Whoever asks first whether a file may be written to gets the answer that the write would get. Nobody is asked for it. */
static int judge_access(const struct held *held) {
    static struct place place;
    uint64_t flags = flags_of(held);
    int path = held->call->path;
    resolve_operand(held, held->call->directory, path, !(flags & AT_SYMLINK_NOFOLLOW), 0, &place);
    if (flags & ~(uint64_t)(AT_EACCESS | AT_SYMLINK_NOFOLLOW)) return 0;
    long error = granted_access(held->supervisor, &place, (int)held->args[path + 1]);
    if (error == NOT_WITHIN) return 0;
    if (error) return (int)-error;
    answer_call(held->supervisor, held->id, 0);
    return ANSWERED;
}

static int judge_mode(const struct held *held) {
    static struct place place;
    int is_new = held->call->kind == MAKE;
    resolve_operand(held, held->call->directory, held->call->path, !is_new, is_new, &place);
    return refuse_mode(held->supervisor, held->pid, held->call->name, &place);
}

static int judge(const struct held *held) {
    if (has_refused_mode(held->call->number, held->args)) return judge_mode(held);
    switch ((enum kind)held->call->kind) {
        case OPEN: return judge_open(held, flags_of(held));
        case CREAT: return judge_open(held, O_CREAT | O_WRONLY | O_TRUNC);
        case MAKE: return judge_make(held, 0);
        case LINK: return judge_link(held);
        case RENAME: return judge_rename(held);
        case REMOVE: return judge_remove(held);
        case CHANGE: return judge_change(held);
        case TRUNCATE: return judge_truncate(held);
        case LOCK: return judge_lock(held);
        case ACCESS: return judge_access(held);
        case OPTION: return judge_option(held->supervisor, held->id, held->pid, (int)(uint32_t)held->args[0], (int)(uint32_t)held->args[2]);
        case CONNECT: case BIND: case SEND_TO: case LISTEN: break;
    }
    struct attempt attempt = {
        .syscall = held->call->name,
        .id = held->id,
        .pid = held->pid,
        .fd = (int)(uint32_t)held->args[0],
        .address = held->args[(int)held->call->path],
        .length = held->args[held->call->kind == SEND_TO ? 5 : 2],
        .text = held->args[1],
        .text_length = held->args[2],
    };
    if (held->call->kind == BIND) return judge_bind(held->supervisor, &attempt);
    if (held->call->kind == SEND_TO) return judge_send(held->supervisor, &attempt);
    if (held->call->kind == CONNECT) return judge_connect(held->supervisor, &attempt);
    note_listen(held->supervisor, &attempt);
    return 0;
}

static const struct call *find_call(int number) {
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        if (calls[i].number == number) return &calls[i];
    return 0;
}

int notify_answer_one(struct supervisor *supervisor) {
    union {
        struct seccomp_notif notification;
        char room[512]; /* the kernel may know a longer one than the headers do */
    } request;
    memset(&request, 0, sizeof request);
    struct seccomp_notif *notification = &request.notification;
    long error = sys(ioctl, supervisor->listener, SECCOMP_IOCTL_NOTIF_RECV, notification);
    if (error < 0) return error == -ENOENT || error == -EINTR ? 0 : (int)error; /* its task was killed meanwhile */
    struct held held = {supervisor, find_call(notification->data.nr), notification->data.args, (int)notification->pid, notification->id};
    int refused = held.call ? judge(&held)
                            : refuse_call(supervisor, held.pid, notification->data.nr, held.args);
    if (refused == ANSWERED) return 0;
    struct seccomp_notif_resp answer = {.id = notification->id};
    if (refused) answer.error = -refused;
    else answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    sys(ioctl, supervisor->listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
    return 0;
}
