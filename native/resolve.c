/* Finds what a path of a held call means: process_vm_readv(2), openat2(2), proc(5).
 *
 * Argument memory may change under our eyes, and so may the directories: an answer here is good for a record and for
 * a refusal, never for letting something through that the view would refuse. */
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <linux/stat.h>
#include <linux/uio.h>

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

static long open_at(const char *path, uint64_t flags, uint64_t resolve) {
    struct open_how how = {.flags = O_PATH | O_CLOEXEC | flags, .resolve = resolve};
    return sys(openat2, AT_FDCWD, path, &how, sizeof how);
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

int is_absent_name(const struct plan *plan, const char *path) {
    int ignore_case = (plan->flags & PLAN_CASE_INSENSITIVE) != 0;
    for (uint32_t i = 0; i < plan->absent.count; i++)
        if (same_name(plan->absent.items[i], path, ignore_case)) return 1;
    return 0;
}

static int may_be_absent_name(const struct plan *plan, const char *path) {
    const char *name = last_component(path);
    for (uint32_t i = 0; i < plan->absent.count; i++)
        if (same_name(last_component(plan->absent.items[i]), name, 1)) return 1;
    return 0;
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

/* The common case, decided with one system call: a plain path in a writable tree without any link in it. */
static int certainly_allowed(const struct plan *plan, const char *path, int names_entry) {
    if (!is_plain(path)) return 0;
    const struct mount_entry *entry = plan_entry_for(plan, path);
    if (!entry || entry->kind != MOUNT_WRITE) return 0;
    if (names_entry && path[entry->length] == 0) return 0;
    if (may_be_absent_name(plan, path)) return 0;
    long fd = open_at(path, O_NOFOLLOW, RESOLVE_NO_SYMLINKS);
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

static int own_descriptor_path(int fd, char path[PATH_BYTES_MAX]) { return descriptor_path("self", fd, "/fd/", path); }

/* A path that ends in "/", "/." or "/..": a directory, found as a whole. */
static int find_whole(const char *path, struct place *place) {
    struct statx about;
    long fd = open_at(path, 0, RESOLVE_NO_MAGICLINKS);
    if (fd < 0) return (int)fd;
    int error = own_descriptor_path((int)fd, place->path);
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
static int find_last(char path[PATH_BYTES_MAX], int follow, struct place *place) {
    char parent[PATH_BYTES_MAX];
    const char *name = split_parent(path, parent);
    if (!*name || same_text(name, ".") || same_text(name, "..")) return find_whole(path, place);
    long directory = open_at(parent, O_DIRECTORY, RESOLVE_NO_MAGICLINKS);
    if (directory < 0) return (int)directory;
    struct statx about;
    int error = own_descriptor_path((int)directory, place->path);
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

/* Per-task links in /proc would lead to ourselves. What lies there is the command's own business. */
static int is_own_proc(const char *path) {
    return path_is_at_or_below(path, "/proc/self", 10) || path_is_at_or_below(path, "/proc/thread-self", 17);
}

static void find(char path[PATH_BYTES_MAX], int follow, struct place *place) {
    for (int links = 0; links < LINKS_MAX; links++) {
        size_t length = strlen(path);
        while (length > 1 && path[length - 1] == '/') path[--length] = 0; /* "mkdir name/" means the name */
        if (is_own_proc(path)) {
            place->certainly_allowed = 1;
            return;
        }
        place->found = find_last(path, follow, place);
        if (place->found <= 0) {
            if (place->found < 0) put_text(place->path, path);
            return;
        }
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
    place->certainly_allowed = certainly_allowed(&supervisor->sandbox->plan, path, names_entry);
    if (!place->certainly_allowed) find(path, follow, place);
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

void resolve_descriptor(int pid, int fd, struct place *place) {
    struct statx about;
    place->exists = place->certainly_allowed = 0;
    place->path[0] = 0;
    place->found = task_path(pid, fd, place->path);
    if (place->found != 0) return;
    place->found = (int)sys(statx, AT_FDCWD, place->path, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, &about);
    if (place->found == 0) describe(place, &about);
}
