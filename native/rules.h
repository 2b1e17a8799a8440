/* The system calls of which more is said than whether they exist. */
#ifndef SANDGATE_RULES_H
#define SANDGATE_RULES_H

#include <asm/fcntl.h>

#include "sys.h"

enum action {
    ACT_ALLOW,
    ACT_EPERM,            /* told by the supervisor, where there is one */
    ACT_ENOSYS,
    ACT_TELL_ENOSYS,      /* the same, for what programs have another way to do */
    ACT_KILL,
    ACT_NOTIFY,           /* the supervisor looks; without one: allow */
    ACT_NOTIFY_ADDRESS,   /* sendto: only with an address */
    ACT_NOTIFY_OPEN,      /* open: flags in the second argument */
    ACT_NOTIFY_OPENAT,    /* flags in the third */
    ACT_NOTIFY_ACCESS,    /* access: whether a file may be written to, in the second argument; where calls are carried out */
    ACT_NOTIFY_ACCESSAT,  /* in the third */
    ACT_SOCKET,           /* by family and type */
    ACT_NOTIFY_TCP,       /* options of TCP, where connections are made by the supervisor */
    ACT_CLONE,            /* no new namespaces */
    ACT_IOCTL,            /* no input faked into a terminal */
    ACT_FCNTL,            /* no leases, no notification by signal */
    ACT_FLOCK,            /* taking a lock is looked at, giving it back is not */
    ACT_NOT_INIT,         /* the process in the first argument is not pid 1 */
    ACT_PTRACE,           /* nor is the one in the second */
    ACT_PRIORITY,         /* nor is the one in the second, nor all of a user, of which it is one */
    ACT_IO_PRIORITY,      /* the same, with its own word for all of a user */
    ACT_PERSONALITY,
    ACT_MKNOD,            /* mode in the second argument: no device nodes */
    ACT_MKNODAT,          /* in the third */
    ACT_MODE,             /* as ACT_NOTIFY, but no set-id bits in the mode, the second argument */
    ACT_MODE_AT,          /* in the third */
    ACT_MODE_OF_FD,       /* in the second, and nobody needs to look */
    ACTIONS,
};

/* A new file with this open flag has the mode that follows; without it that argument is whatever lies there. */
enum { CREATES = O_CREAT | (__O_TMPFILE & ~O_DIRECTORY) };

struct rule {
    int number; /* negative: this architecture has no such call */
    enum action action;
};

extern const struct rule rules[];
extern const unsigned int rule_count;

#endif
