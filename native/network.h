/* Calls that want to reach a socket. */
#ifndef SANDGATE_NETWORK_H
#define SANDGATE_NETWORK_H

#include "verdict.h"

struct attempt {
    const char *syscall;
    uint64_t id; /* of the held call */
    int pid, fd;
    uint64_t address, length; /* of the socket address, in the task's memory */
    uint64_t text, text_length; /* of what is sent, for sendto */
    /* Of one that is made on the word of an answer: who is connected to, null for any other; its number, and the grant. */
    const char *said;
    uint32_t number;
    int grant;
};

static inline int is_send(const struct attempt *attempt) { return same_text(attempt->syscall, "sendto"); }

/* Each returns the errno to answer with, 0 to let the call continue, or ANSWERED. */
enum { ANSWERED = -1 }; /* granted and carried out by us: the answer was given or will be */
int judge_bind(struct supervisor *supervisor, const struct attempt *attempt);
int judge_connect(struct supervisor *supervisor, const struct attempt *attempt); /* never 0 */
int judge_send(struct supervisor *supervisor, const struct attempt *attempt);
/* True when the connection lies within the grants: its answer was or will be given. */
int connect_within_grants(struct supervisor *supervisor, struct attempt *attempt, const struct deed *deed);
/* A server is about to listen. */
void note_listen(struct supervisor *supervisor, const struct attempt *attempt);

#endif
