/* Where a held call points to, as the host knows the place. */
#ifndef SANDGATE_RESOLVE_H
#define SANDGATE_RESOLVE_H

#include "supervisor.h"

struct seccomp_notif;

/* One path a call names, as the command sees it. Places are found in the host's view, where nothing is hidden; the
 * plan then says what the sandbox makes of them. The binds of the view keep every place at its own path, so both views
 * agree on names, but for directories that stand for others: those are looked up where they really lie. */
struct place {
    char path[PATH_BYTES_MAX]; /* canonical; a missing last component is appended to its canonical parent */
    int found;                 /* 0, or a negative errno: some directory on the way is missing or closed to us */
    int exists;
    uint32_t mode, uid, gid; /* of what exists */
    int certainly_allowed;   /* plainly inside a writable tree: nobody needs to look closer */
};

/* Reads memory of the calling task; returns the number of bytes, or a negative errno. */
long read_memory(int pid, uint64_t address, void *to, size_t count);
/* Reads a text; returns its length, or a negative errno. */
long read_path(int pid, uint64_t address, char text[PATH_BYTES_MAX]);

/* `directory` is a descriptor of the calling task or AT_FDCWD; `follow` says whether a final link is followed;
 * `names_entry` that the call works on the directory entry (so a mount point counts for its parent). */
void resolve(const struct supervisor *supervisor, int pid, int directory, uint64_t address, int follow, int names_entry,
             struct place *place);
/* The object open as descriptor `fd` of the task. */
void resolve_descriptor(const struct supervisor *supervisor, int pid, int fd, struct place *place);
/* A text that is known already, made absolute. */
void resolve_text(const struct supervisor *supervisor, int pid, int directory, const char *text, int follow,
                  int names_entry, struct place *place);

/* Cuts the last component off; returns it. "/" stays the parent of what lies in it. */
const char *split_parent(const char *path, char parent[PATH_BYTES_MAX]);

/* True when `path` is a protected name that must not come to exist. */
int is_absent_name(const struct plan *plan, const char *path);
/* True when such a name lies below `path`: whatever is moved or linked there could bring it along. */
int is_above_absent(const struct plan *plan, const char *path);
/* True when a `.git` that was there when the plan was made lies below `path`. Its bind goes, and so does what holds its
 * directory, when somebody outside removes it. */
int is_above_pointer(const struct plan *plan, const char *path);
/* The same, or a protected name that existed when the plan was made: once gone, it must not be made anew. */
int is_guarded_name(const struct plan *plan, const char *path);

/* We could not find out what the path names though the kernel might: nothing may be made through it. */
int is_unresolved(const struct place *place);

#endif
