/* What a refused call asks for, copied whole: nothing of it is read again once somebody has decided. */
#ifndef SANDGATE_DEED_H
#define SANDGATE_DEED_H

#include <linux/time_types.h>

#include "endpoints.h"
#include "resolve.h"

enum deed_kind { DEED_OPEN, DEED_DIRECTORY, DEED_NODE, DEED_SYMLINK, DEED_LINK, DEED_RENAME, DEED_REMOVE, DEED_TRUNCATE, DEED_MODE, DEED_OWNER, DEED_TIMES, DEED_SET_ATTRIBUTE, DEED_REMOVE_ATTRIBUTE, DEED_NAME /* what had none */, DEED_BIND, DEED_CONNECT };
enum { ATTRIBUTE_NAME_BYTES = 256 /* XATTR_NAME_MAX, the zero byte included */, DEED_TEXT_BYTES = PATH_BYTES_MAX };

/* An object on disk: its number may come back for another one, its birth does not. */
struct identity {
    uint32_t major, minor;
    uint64_t inode;
    int64_t born;
    uint32_t born_ns;
};

/* One name that the call works on, and the directory it was in when the call was read. */
struct spot {
    char path[PATH_BYTES_MAX]; /* canonical, as the command sees it; its last component is never followed */
    int exists;
    uint32_t type; /* S_IFMT of what exists: it must still be that when the call is carried out */
    struct identity parent; /* inode 0: not compared, as nobody was shown anything */
};

struct deed {
    enum deed_kind kind;
    int pid;
    uint64_t flags; /* of open, unlink, rename and setxattr, those we know */
    uint64_t length; /* of truncate */
    uint32_t mode, umask;
    uint32_t uid, gid; /* ~0: as it is */
    struct __kernel_timespec times[2];
    struct spot at, to; /* `to`: the new name of a link or a rename */
    int descriptor;     /* of the task, which is named, bound or connected; -1: none */
    int borrowed;       /* the same file as a descriptor of ours, while it is carried out */
    uint64_t socket_inode;      /* what it was: the number may be another socket's by now */
    int sends;                  /* a datagram, by address, and is not connected */
    struct socket_address peer; /* of a connection; of one by path `at` is meant */
    uint32_t text_length;
    char text[DEED_TEXT_BYTES]; /* of a link, the value of an attribute, or who is connected to, in words */
    char attribute[ATTRIBUTE_NAME_BYTES];
};

struct wanted_call {
    int number, pid;
    const __u64 *args;
    const struct place *at, *to;
};

/* Whether linkat(2) with these arguments names what lies behind a descriptor; then which, else -1. */
int described_operand(int pid, const __u64 args[]);
/* False for what only the command has. */
int take_spot(const struct plan *plan, const struct place *place, struct spot *spot);

/* False for what is never carried out by us: another class, flags we do not know, a place that only the command has. */
int read_deed(const struct supervisor *supervisor, const struct wanted_call *call, struct deed *deed);

/* Remembers where the names lie now, to be compared later. False when that cannot be found out. */
int note_parents(const struct plan *plan, struct deed *deed);

/* Opens the directory that plain `path` lies in, no link followed; the last component goes to `name`. */
long open_parent(const struct plan *plan, const char *path, const char **name);
/* Of `name` in `directory`, not followed, or of the descriptor itself when `name` is empty. Fills in `type` too. */
int look_up_identity(int directory, const char *name, struct identity *identity, uint32_t *type);
int is_same_object(const struct identity *left, const struct identity *right);

#endif
