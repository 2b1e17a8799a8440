/* Answers for the host: unlink(2), rmdir(2), rename(2), getdents64(2).
 *
 * These calls ask for the mount before they look for the name: EROFS for what is not even there, where programs that
 * clear the way expect ENOENT. Only of places that the command sees; nothing continues because of what is said here. */
#include <linux/openat2.h>
#include <linux/stat.h>

#include "foregone.h"

enum { ENTRIES_BYTES = 1024 };

/* As linux_dirent64 of getdents64(2) has it. */
struct directory_entry {
    uint64_t inode;
    int64_t offset;
    uint16_t size;
    uint8_t type;
    char name[];
};

static int is_closed_to_writing(const struct plan *plan, const struct place *place) {
    char parent[PATH_BYTES_MAX];
    if (place->found != 0 || place->certainly_allowed || !is_read_only(plan, place->path)) return 0;
    split_parent(place->path, parent);
    return is_read_only(plan, parent);
}

static int is_directory(const struct place *place) { return (place->mode & S_IFMT) == S_IFDIR; }

static int names_something(const char *entries, long length) {
    for (long at = 0; at < length;) {
        const struct directory_entry *entry = (const struct directory_entry *)(entries + at);
        if (!same_text(entry->name, ".") && !same_text(entry->name, "..")) return 1;
        at += entry->size;
    }
    return 0;
}

static int has_entries(const struct plan *plan, const char *path) {
    char host[PATH_BYTES_MAX];
    char entries[ENTRIES_BYTES] __attribute__((aligned(8)));
    struct open_how how = {.flags = O_DIRECTORY | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};
    if (plan_host_path(plan, path, host) < 0) return 0;
    long directory = sys(openat2, AT_FDCWD, host, &how, sizeof how), length;
    if (directory < 0) return 0;
    int found = 0;
    while (!found && (length = sys(getdents64, directory, entries, sizeof entries)) > 0) found = names_something(entries, length);
    sys(close, directory);
    return found;
}

int foregone_removal(const struct supervisor *supervisor, const struct place *place, int wants_directory) {
    const struct plan *plan = &supervisor->sandbox->plan;
    if (!is_closed_to_writing(plan, place)) return 0;
    if (!place->exists) return ENOENT;
    if (!host_lets_change_entry(supervisor, place)) return 0;
    if (wants_directory != is_directory(place)) return wants_directory ? ENOTDIR : EISDIR;
    return wants_directory && has_entries(plan, place->path) ? ENOTEMPTY : 0;
}

int foregone_rename(const struct supervisor *supervisor, const struct place *from, const struct place *to, int only_new) {
    const struct plan *plan = &supervisor->sandbox->plan;
    if (!is_closed_to_writing(plan, from) || !is_closed_to_writing(plan, to)) return 0;
    if (!from->exists) return ENOENT;
    if (!to->exists) return 0;
    if (only_new) return EEXIST;
    if (!host_lets_change_entry(supervisor, from) || !host_lets_change_entry(supervisor, to)) return 0;
    if (is_directory(from) != is_directory(to)) return is_directory(to) ? EISDIR : ENOTDIR;
    return is_directory(to) && !same_text(from->path, to->path) && has_entries(plan, to->path) ? ENOTEMPTY : 0;
}
