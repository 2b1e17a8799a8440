/* What the supervisor itself has made for the command: the command's own, whatever else lies there. */
#ifndef SANDGATE_OWN_NAMES_H
#define SANDGATE_OWN_NAMES_H

#include "deed.h"

enum { OWN_NAMES_MAX = 1024 /* at one time, beside those in directories of our making; one more is not made */ };
enum { UNNAMED_MAX = 256 /* files without a name that can still get one; of more the oldest cannot */ };

struct own_name {
    struct identity identity;
    int grant;   /* within which it was made */
    int is_made; /* false: what was there, moved aside */
    int is_passing; /* to be gone with the command, unless it got another name */
    int tree;    /* O_PATH, of a directory: everything below it is the command's own; -1: none */
};

/* The entry for exactly this path, or for the nearest directory above it; null when there is none. What lies there now is
 * still to be compared. */
const struct own_name *own_name_at(const char *path);
const struct own_name *own_tree_above(const char *path, size_t *length);

/* Files that we made without a name: until they have one nothing else tells whose they are. */
void remember_unnamed(const struct identity *identity);
int is_own_unnamed(const struct identity *identity);

int has_room_for_own(void);
/* Its `tree` becomes ours. */
void remember_own_name(const char *path, const struct own_name *own);
/* Follows a rename, for the name and for all below it. `to` null: it is gone. */
void move_own_name(const char *from, const char *to);
/* The command is over. */
void remove_passing_names(const struct plan *plan);

#endif
