/* The view while it is built: what the files that build it share. */
#ifndef SANDGATE_VIEW_H
#define SANDGATE_VIEW_H

#include "sandbox.h"

enum { NO_TREE = -1, DEV_LENGTH = 4 /* of "/dev" */ };
#define SCRATCH "scratch" /* on the private tmpfs */

struct view {
    struct sandbox *sandbox;
    int base;            /* the private tmpfs */
    int sealed;          /* a copy of it that can only be read, as copies of it then are; negative: not to be had */
    int empty_directory; /* on it: mode 111: what is looked for in it by name is not there, listing it is refused */
    int empty_file;      /* on it: mode 000 */
    int nodes[DEVICE_NODES]; /* clones of the host's */
    int trees[MOUNTS_MAX]; /* clones taken early, or NO_TREE */
    int covers[COVERS][PREPARE_COVERS_MAX]; /* clones of the empty things, made before there was a plan */
    uint32_t cover_count[COVERS];
};

extern struct view view;

/* beside.c: of several entries in one directory, each by its name in it */
void leave_directory(void);
int clone_beside(const struct mount_entry *entry);
int attach_beside(const struct mount_entry *entry, int tree);

/* points.c: what is mounted on */
int make_points(void);
int make_dev_points(void);
int make_hiding_directory(uint32_t index);

/* hiding.c */
void make_covers(void);
int put_covers_away(void);
int make_content(uint32_t index);
int is_hidden_kind(uint32_t kind);
int lies_in(uint32_t index, enum mount_kind kind);
int lies_in_overlay(uint32_t index);
int hide_entry(uint32_t index);

static inline int below_dev(const struct mount_entry *entry) { return path_is_at_or_below(entry->path, "/dev", DEV_LENGTH); }

#endif
