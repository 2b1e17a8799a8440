/* Finds what a path of a held call means: process_vm_readv(2), openat2(2), proc(5).
 *
 * Argument memory may change under our eyes, and so may the directories: an answer here is good for a record and for
 * a refusal, never for letting something through that the view would refuse. */
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <linux/stat.h>
#include <linux/uio.h>

#include "processes.h"
#include "resolve.h"

enum { PAGE_BYTES = 4096, LINKS_MAX = 40 };

long read_memory(int pid, uint64_t address, void *to, size_t count) {
    /* Cut at page boundaries: an unmapped next page then costs only what lies on it. */
    size_t first = PAGE_BYTES - (size_t)(address % PAGE_BYTES);
    if (first > count) first = count;
    struct iovec local = {to, count};
    struct iovec remote[2] = {
        {(void *)(uintptr_t)address, first},
        {(void *)(uintptr_t)(address + first), count - first},
    };
    return sys(process_vm_readv, pid, &local, 1, remote, count > first ? 2 : 1, 0);
}

long read_path(int pid, uint64_t address, char text[PATH_BYTES_MAX]) {
    long length = read_memory(pid, address, text, PATH_BYTES_MAX);
    if (length < 0) return length;
    for (long i = 0; i < length; i++)
        if (text[i] == 0) return i;
    return -ENAMETOOLONG;
}

static int link_text(const char *link, char text[PATH_BYTES_MAX]) {
    long length = sys(readlinkat, AT_FDCWD, link, text, PATH_BYTES_MAX - 1);
    if (length < 0) return (int)length;
    text[length] = 0;
    return text[0] == '/' ? 0 : -ENOENT; /* a pipe, a socket: nowhere in the tree */
}

static int descriptor_path(const char *task, int fd, const char *what, char text[PATH_BYTES_MAX]) {
    char link[64], *end = put_text(put_text(link, "/proc/"), task);
    end = put_text(end, what);
    if (fd >= 0) put_number(end, (unsigned long)fd);
    return link_text(link, text);
}

static int task_path(int pid, int directory, char text[PATH_BYTES_MAX]) {
    char task[24];
    put_number(task, (unsigned long)pid);
    if (directory == AT_FDCWD) return descriptor_path(task, -1, "/cwd", text);
    return directory < 0 ? -EBADF : descriptor_path(task, directory, "/fd/", text);
}

/* Opens what the command sees at plain `path`. */
static long open_at(const struct plan *plan, const char *path, uint64_t flags, uint64_t resolve) {
    static char host[PATH_BYTES_MAX];
    struct open_how how = {.flags = O_PATH | O_CLOEXEC | flags, .resolve = resolve};
    int error = plan_host_path(plan, path, host);
    return error < 0 ? error : sys(openat2, AT_FDCWD, host, &how, sizeof how);
}

const char *split_parent(const char *path, char parent[PATH_BYTES_MAX]) {
    size_t length = strlen(path), cut = length;
    while (cut > 0 && path[cut - 1] != '/') cut--;
    size_t keep = cut > 1 ? cut - 1 : 1;
    memcpy(parent, path, keep);
    parent[keep] = 0;
    return path + cut;
}

static char lower(char letter) { return letter >= 'A' && letter <= 'Z' ? (char)(letter + 32) : letter; }

static int same_name(const char *left, const char *right, int ignore_case) {
    while (*left && (*left == *right || (ignore_case && lower(*left) == lower(*right)))) left++, right++;
    return *left == *right;
}

static const char *last_component(const char *path) {
    const char *last = path;
    for (; *path; path++)
        if (*path == '/') last = path + 1;
    return last;
}

/* "*.ending" stands for every name that ends so. */
static int matches(const char *pattern, const char *name, int ignore_case) {
    if (pattern[0] != '*') return same_name(pattern, name, ignore_case);
    size_t ending = strlen(pattern + 1), length = strlen(name);
    return length >= ending && same_name(pattern + 1, name + length - ending, ignore_case);
}

int is_absent_name(const struct plan *plan, const char *path) {
    int ignore_case = (plan->flags & PLAN_CASE_INSENSITIVE) != 0;
    const char *name = last_component(path);
    size_t above = (size_t)(name - path);
    for (uint32_t i = 0; i < plan->absent.count; i++) {
        const char *item = plan->absent.items[i], *last = plan->absent.last[i];
        if ((size_t)(last - item) != above || !matches(last, name, ignore_case)) continue;
        size_t at = 0;
        while (at < above && (item[at] == path[at] || (ignore_case && lower(item[at]) == lower(path[at])))) at++;
        if (at == above) return 1;
    }
    return 0;
}

int is_above_absent(const struct plan *plan, const char *path) {
    int ignore_case = (plan->flags & PLAN_CASE_INSENSITIVE) != 0;
    size_t length = strlen(path);
    for (uint32_t i = 0; i < plan->absent.count; i++) {
        const char *item = plan->absent.items[i];
        size_t at = 0;
        while (at < length && (item[at] == path[at] || (ignore_case && item[at] && lower(item[at]) == lower(path[at])))) at++;
        if (at == length && item[at] == '/') return 1;
    }
    return 0;
}

int is_above_pointer(const struct plan *plan, const char *path) {
    size_t length = strlen(path);
    for (uint32_t i = 0; i < plan->mount_count; i++) {
        const struct mount_entry *entry = &plan->mounts[i];
        if (entry->kind == MOUNT_READ && entry->length > length && path_is_at_or_below(entry->path, path, length) &&
            same_text(last_component(entry->path), ".git")) return 1;
    }
    return 0;
}

int is_guarded_name(const struct plan *plan, const char *path) {
    if (is_absent_name(plan, path)) return 1;
    /* Its bind goes when somebody outside removes it; then it must not come back from inside. */
    const struct mount_entry *entry = plan_entry_for(plan, path);
    return entry && entry->kind == MOUNT_READ && path[entry->length] == 0;
}

int is_unresolved(const struct place *place) {
    return place->found != 0 && place->found != -ENOENT && place->found != -ENOTDIR;
}

/* Whether a careful look is due: the name, in any spelling and directory, is or lies above one that must not be. */
static int may_be_absent_name(const struct plan *plan, const char *path) {
    const char *name = last_component(path);
    for (uint32_t i = 0; i < plan->absent.count; i++)
        if (matches(plan->absent.last[i], name, 1)) return 1;
    return is_above_absent(plan, path);
}

/* No empty, "." or ".." component. */
static int is_plain(const char *path) {
    for (; *path == '/'; ) {
        const char *name = ++path;
        while (*path && *path != '/') path++;
        size_t length = (size_t)(path - name);
        if (length == 0 || (name[0] == '.' && (length == 1 || (length == 2 && name[1] == '.')))) return 0;
    }
    return 1;
}

/* Opens what the command sees at plain `path`, also where only its own mounts have it. */
static long open_inside(int pid, const char *path, uint64_t flags, uint64_t resolve) {
    char root[48];
    put_text(put_number(put_text(root, "/proc/"), (unsigned long)pid), "/root");
    struct open_how how = {.flags = O_PATH | O_CLOEXEC | flags, .resolve = resolve | RESOLVE_IN_ROOT};
    int directory = (int)sys(openat, AT_FDCWD, root, O_PATH | O_CLOEXEC | O_DIRECTORY);
    if (directory < 0) return directory;
    long fd = sys(openat2, directory, path, &how, sizeof how);
    sys(close, directory);
    return fd;
}

/* The common case, decided with one system call: a plain path in a writable tree without any link in it. */
static int certainly_allowed(const struct plan *plan, int pid, const char *path, int names_entry) {
    if (!is_plain(path)) return 0;
    const struct mount_entry *entry = plan_entry_for(plan, path);
    if (!entry || (entry->kind != MOUNT_WRITE && entry->kind != MOUNT_OVERLAY)) return 0;
    if (names_entry && path[entry->length] == 0) return 0;
    if (may_be_absent_name(plan, path)) return 0;
    long fd = entry->kind == MOUNT_OVERLAY ? open_inside(pid, path, O_NOFOLLOW, RESOLVE_NO_SYMLINKS)
                                         : open_at(plan, path, O_NOFOLLOW, RESOLVE_NO_SYMLINKS);
    if (fd < 0) return fd == -ENOENT; /* new, or a directory on the way is missing: no link was met either way */
    struct statx about;
    long error = sys(statx, fd, "", AT_EMPTY_PATH, STATX_TYPE, &about);
    sys(close, fd);
    return error == 0 && (about.stx_mode & S_IFMT) != S_IFLNK;
}

static void describe(struct place *place, const struct statx *about) {
    place->exists = 1;
    place->mode = about->stx_mode;
    place->uid = about->stx_uid;
    place->gid = about->stx_gid;
}

static int own_descriptor_path(const struct plan *plan, int fd, char path[PATH_BYTES_MAX]) {
    int error = descriptor_path("self", fd, "/fd/", path);
    return error == 0 ? plan_seen_path(plan, path) : error;
}

/* A path that ends in "/", "/." or "/..": a directory, found as a whole. */
static int find_whole(const struct plan *plan, const char *path, struct place *place) {
    struct statx about;
    long fd = open_at(plan, path, 0, RESOLVE_NO_MAGICLINKS);
    if (fd < 0) return (int)fd;
    int error = own_descriptor_path(plan, (int)fd, place->path);
    if (error == 0) error = (int)sys(statx, fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &about);
    if (error == 0) describe(place, &about);
    sys(close, fd);
    return error;
}

static int append(char path[PATH_BYTES_MAX], const char *name) {
    size_t length = strlen(path), size = strlen(name) + 1;
    if (length + 1 + size > PATH_BYTES_MAX) return -ENAMETOOLONG;
    if (length > 1) path[length++] = '/';
    memcpy(path + length, name, size);
    return 0;
}

/* One step: finds the last component in its parent. Returns 1 when it is a link whose text now stands in `path`. */
static int find_last(const struct plan *plan, char path[PATH_BYTES_MAX], int follow, struct place *place) {
    char parent[PATH_BYTES_MAX];
    const char *name = split_parent(path, parent);
    if (!*name || same_text(name, ".") || same_text(name, "..")) return find_whole(plan, path, place);
    /* A link may lead through an overlay, where the host does not have what the command sees. */
    uint64_t no_links = plan->overlay_count ? RESOLVE_NO_SYMLINKS : 0;
    long directory = open_at(plan, parent, O_DIRECTORY, RESOLVE_NO_MAGICLINKS | no_links);
    if (directory < 0) return (int)directory;
    struct statx about;
    int error = own_descriptor_path(plan, (int)directory, place->path);
    long missing = sys(statx, directory, name, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, &about);
    if (error == 0 && missing == 0 && follow && (about.stx_mode & S_IFMT) == S_IFLNK) {
        long length = sys(readlinkat, directory, name, parent, sizeof parent - 1);
        sys(close, directory);
        if (length < 0) return (int)length;
        parent[length] = 0;
        if (parent[0] != '/') {
            if ((error = append(place->path, parent)) != 0) return error;
            put_text(path, place->path);
        } else {
            put_text(path, parent);
        }
        return 1;
    }
    sys(close, directory);
    if (error == 0) error = append(place->path, name);
    if (error != 0) return error;
    if (missing == 0) describe(place, &about);
    return missing == 0 || missing == -ENOENT ? 0 : (int)missing;
}

/* What "self" and "thread-self" of the command's own /proc say to the caller. */
static void own_proc_text(const struct supervisor *supervisor, int pid, int thread, char text[PATH_BYTES_MAX]) {
    /* A /proc of the host's that had to be kept counts as the host does. */
    int last = !(supervisor->sandbox->layers & LAYER_WEAK_PROC);
    char *end = put_number(text, status_number(pid, "NStgid:", last));
    if (thread) put_number(put_text(end, "/task/"), status_number(pid, "NSpid:", last));
}

/* Where we see what the command sees as `path`: the same place, but for its own /proc, its overlays and its private
 * directories. */
static int seen_path(const struct plan *plan, int pid, const char *path, char seen[PATH_BYTES_MAX]) {
    char *end = seen;
    if (plan_moves(plan, path)) return plan_host_path(plan, path, seen);
    if (path_is_at_or_below(path, "/proc", 5) || plan_is_overlaid(plan, path)) end = put_text(put_number(put_text(seen, "/proc/"), (unsigned long)pid), "/root");
    if ((size_t)(end - seen) + strlen(path) >= PATH_BYTES_MAX) return -ENAMETOOLONG;
    put_text(end, path);
    return 0;
}

/* A link of /proc/<task>: it leads to an open object, and its text is no more than a name of that. */
static int is_magic(const char *path) {
    return path_is_at_or_below(path, "/proc", 5) && path[5] == '/' && path[6] >= '0' && path[6] <= '9';
}

/* A walk that ended with "." or "..": at a directory that is there. */
static void describe_end(const struct plan *plan, int pid, struct place *place) {
    char seen[PATH_BYTES_MAX];
    struct statx about;
    if (seen_path(plan, pid, place->path, seen) != 0) return;
    if (sys(statx, AT_FDCWD, seen, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, &about) == 0) describe(place, &about);
}

/* A walk through a path with what the walk has found so far. */
struct walk {
    const struct supervisor *supervisor;
    int pid, links, is_last;
    char rest[PATH_BYTES_MAX]; /* still to go */
};

static int put_in_front(struct walk *walk, const char *text) {
    char rest[PATH_BYTES_MAX];
    put_text(rest, walk->rest);
    if (strlen(text) + 1 + strlen(rest) >= PATH_BYTES_MAX) return -ENAMETOOLONG;
    put_text(put_text(put_text(walk->rest, text), "/"), rest);
    return 0;
}

static int follow_link(struct walk *walk, const char *link, const char *seen, struct place *place) {
    char text[PATH_BYTES_MAX];
    int thread = same_text(link, "/proc/thread-self");
    if (++walk->links > LINKS_MAX) return -ELOOP;
    if (thread || same_text(link, "/proc/self")) {
        own_proc_text(walk->supervisor, walk->pid, thread, text);
        return put_in_front(walk, text);
    }
    long length = sys(readlinkat, AT_FDCWD, seen, text, sizeof text - 1);
    if (length < 0) return (int)length;
    text[length] = 0;
    if (!is_magic(link)) {
        if (text[0] == '/') put_text(place->path, "/");
        return walk->is_last ? (put_text(walk->rest, text), 0) : put_in_front(walk, text);
    }
    struct statx about;
    int error = (int)sys(statx, AT_FDCWD, seen, 0, STATX_BASIC_STATS, &about);
    if (error < 0) return error;
    /* A pipe, a socket: it is there, and nowhere in the tree. */
    if (text[0] != '/') return walk->is_last ? (place->certainly_allowed = 1, 0) : -ENOTDIR;
    put_text(place->path, text);
    if (walk->is_last) describe(place, &about);
    return 0;
}

/* Takes the next component off; returns 0 when there is none. */
static int next_component(struct walk *walk, char name[PATH_BYTES_MAX]) {
    const char *from = walk->rest;
    size_t length = 0;
    while (*from == '/') from++;
    while (from[length] && from[length] != '/') length++;
    memcpy(name, from, length);
    name[length] = 0;
    from += length;
    walk->is_last = !*from;
    for (char *to = walk->rest; (*to++ = *from) != 0;) from++;
    return length > 0;
}

static int step(struct walk *walk, const char *name, int follow, struct place *place) {
    char link[PATH_BYTES_MAX], seen[PATH_BYTES_MAX];
    struct statx about;
    if (same_text(name, ".")) return 0;
    if (same_text(name, "..")) {
        put_text(link, place->path);
        split_parent(link, place->path);
        return 0;
    }
    put_text(link, place->path);
    int error = append(link, name);
    if (error == 0) error = seen_path(&walk->supervisor->sandbox->plan, walk->pid, link, seen);
    if (error != 0) return error;
    int own = same_text(link, "/proc/self") || same_text(link, "/proc/thread-self"); /* to us they say nothing */
    error = own ? 0 : (int)sys(statx, AT_FDCWD, seen, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, &about);
    int is_link = own || (error == 0 && (about.stx_mode & S_IFMT) == S_IFLNK);
    if (is_link && (follow || !walk->is_last)) return follow_link(walk, link, seen, place);
    if (error != 0 && (error != -ENOENT || !walk->is_last)) return error;
    put_text(place->path, link);
    if (error == 0 && walk->is_last && !own) describe(place, &about);
    return 0;
}

/* The slow way, one component a step: for paths that lead through the command's own /proc, which is not ours, and for
 * all that the quick way fails on. Links of /proc to directories are taken for the places they name. */
static void walk_through(const struct supervisor *supervisor, int pid, const char *path, int follow, struct place *place) {
    static struct walk walk;
    static char name[PATH_BYTES_MAX];
    walk.supervisor = supervisor;
    walk.pid = pid;
    walk.links = 0;
    place->exists = 0;
    put_text(walk.rest, path);
    put_text(place->path, "/");
    place->found = 0;
    while (place->found == 0 && next_component(&walk, name)) {
        place->exists = 0;
        place->found = step(&walk, name, follow, place);
    }
    if (place->found < 0) put_text(place->path, path);
    else if (!place->exists && !place->certainly_allowed) describe_end(&supervisor->sandbox->plan, pid, place);
}

static void find(const struct supervisor *supervisor, int pid, char path[PATH_BYTES_MAX], int follow,
                 struct place *place) {
    const struct plan *plan = &supervisor->sandbox->plan;
    static char given[PATH_BYTES_MAX];
    for (int links = 0; links < LINKS_MAX; links++) {
        size_t length = strlen(path);
        while (length > 1 && path[length - 1] == '/') path[--length] = 0; /* "mkdir name/" means the name */
        put_text(given, path);
        int slowly = path_is_at_or_below(path, "/proc", 5) || plan_is_overlaid(plan, path) ||
                     ((plan->overlay_count || plan_moves(plan, path)) && !is_plain(path));
        place->found = slowly ? -ELOOP : find_last(plan, path, follow, place);
        /* Whatever leads into /proc met ours there, not the command's; and into an overlay, what lies below it. */
        if (place->found < 0 || path_is_at_or_below(place->path, "/proc", 5) || plan_is_overlaid(plan, place->path)) {
            walk_through(supervisor, pid, given, follow, place);
            return;
        }
        if (place->found == 0) return;
    }
    place->found = -ELOOP;
}

void resolve_text(const struct supervisor *supervisor, int pid, int directory, const char *text, int follow,
                  int names_entry, struct place *place) {
    static char path[PATH_BYTES_MAX];
    place->exists = place->certainly_allowed = 0;
    place->path[0] = path[0] = 0;
    if (text[0] != '/' && (place->found = task_path(pid, directory, path)) != 0) return;
    if (text[0] != '/') place->found = append(path, text);
    else put_text(path, text), place->found = 0;
    if (place->found != 0) return;
    place->certainly_allowed = certainly_allowed(&supervisor->sandbox->plan, pid, path, names_entry);
    if (place->certainly_allowed) put_text(place->path, path);
    else find(supervisor, pid, path, follow, place);
}

void resolve(const struct supervisor *supervisor, int pid, int directory, uint64_t address, int follow, int names_entry,
             struct place *place) {
    static char text[PATH_BYTES_MAX];
    place->exists = place->certainly_allowed = 0;
    place->path[0] = 0;
    long length = read_path(pid, address, text);
    place->found = length < 0 ? (int)length : length == 0 ? -ENOENT : 0;
    if (place->found == 0) resolve_text(supervisor, pid, directory, text, follow, names_entry, place);
}

void resolve_descriptor(const struct supervisor *supervisor, int pid, int fd, struct place *place) {
    static char host[PATH_BYTES_MAX];
    struct statx about;
    place->exists = place->certainly_allowed = 0;
    place->path[0] = 0;
    place->found = task_path(pid, fd, place->path);
    if (place->found != 0) return;
    place->found = seen_path(&supervisor->sandbox->plan, pid, place->path, host);
    if (place->found != 0) return;
    place->found = (int)sys(statx, AT_FDCWD, host, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, &about);
    if (place->found == 0) describe(place, &about);
}
