/* What the helper tells Sandgate over the status socket: one packet a fact. Read by kernel/plan_codec.py. */
#ifndef SANDGATE_REPORT_H
#define SANDGATE_REPORT_H

#include "sandbox.h"

enum packet { PACKET_ENDED = 1, PACKET_REFUSED, PACKET_SETUP_FAILED, PACKET_EXEC_FAILED, PACKET_SERVING, PACKET_HELD, PACKET_LET_GO, PACKET_PERFORMED };

enum operation { OP_WRITE, OP_CREATE, OP_DELETE, OP_RENAME, OP_METADATA, OP_CONNECT, OP_BIND, OP_LOCK, OP_OTHER, OP_UNSERVED, OP_LISTENS };
enum manner { EXCLUSIVE = 1 /* only a name that does not exist would do: O_CREAT | O_EXCL */, BY_DATAGRAMS = 2 /* UDP */ };
enum refusing_layer { BY_MOUNT, BY_LANDLOCK, BY_SECCOMP, BY_NETWORK };

struct refusal {
    enum operation operation;
    enum refusing_layer layer;
    int error; /* positive errno; 0: it was not refused and is told all the same */
    int pid;   /* host numbering */
    int host_allows;
    int manner; /* of enum manner, what the operation alone does not say */
    const char *syscall;
    const char *path;    /* "" when there is none */
    const char *address; /* "" when there is none */
};

/* The supervisor's tally of refusals: what has been told, and how many were not. */
struct tally {
    uint32_t told;
    uint32_t omitted;
    uint32_t performed_omitted; /* carried out within a grant, and not told */
};

/* A call that was carried out by us. */
struct performed {
    uint32_t number; /* of the held call; 0: nobody was asked for it */
    enum operation operation;
    int error; /* positive errno */
    const char *path, *other_path; /* "" when there is none */
};

void report_refusal(struct tally *tally, const struct refusal *refusal);
/* These three return false when the packet did not go out, and may then be repeated. */
int report_held(uint32_t number, const struct refusal *refusal, const char *other_path);
int report_let_go(uint32_t number);
int report_performed(const struct performed *performed);
void report_end(struct sandbox *sandbox, const struct tally *tally);

#endif
