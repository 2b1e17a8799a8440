/* What somebody allowed this command beyond its view, to be carried out by the supervisor. */
#ifndef SANDGATE_GRANTS_H
#define SANDGATE_GRANTS_H

#include "own_names.h"
#include "verdict.h"

enum { GRANTS_MAX = 2048 /* of one command, those of its plan included; one more is not given */ };
enum wish { WISH_CREATE, WISH_TEMPORARY /* a new file or link, and no other: O_EXCL */, WISH_UNNAMED /* a file that has no name yet */, WISH_WRITE, WISH_REMOVE, WISH_METADATA };

/* Why a wish is granted, and what is still to be compared when it is carried out. */
struct permit {
    int grant;      /* its number; -1: nothing grants it */
    int is_own;     /* the object must be this one */
    int becomes_own; /* what is made is to be remembered */
    int is_passing;  /* and to be gone with the command */
    struct identity identity;
    int tree;         /* descriptor of a directory of our making, -1: none */
    const char *below; /* then the path from there */
};

/* False when there is no room or it cannot be kept. The same one again is no second one. */
int add_grant(enum grant_kind kind, const char *path);
int grants_count(void);
/* The number of the grant for exactly this host or socket, or -1. */
int grant_named(enum grant_kind kind, const char *value);

/* Whether `wish` may be carried out at the canonical `path`. */
struct permit permit_for(const struct plan *plan, enum wish wish, const struct spot *spot);
/* Whether `from` may become the new name `to`, beside it: then it is the command's own. */
struct permit permit_for_setting_aside(const struct plan *plan, const struct spot *from, const struct spot *to);
/* False for what no grant makes right: another place would show what is hidden, or lose what is protected. */
int may_be_moved(const struct plan *plan, const struct spot *from, const struct spot *to);
int may_be_opened(const struct plan *plan, const struct spot *spot, uint64_t flags);
/* Whether what is found there was not there before; a further name makes nothing. */
int is_made_by_us(const struct spot *spot);

#endif
