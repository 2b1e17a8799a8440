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
};

/* Each returns the errno to answer with, 0 to let the call continue, or ANSWERED. */
enum { ANSWERED = -1 }; /* granted and carried out by us: the answer was given or will be */
int judge_bind(struct supervisor *supervisor, const struct attempt *attempt);
int judge_connect(struct supervisor *supervisor, const struct attempt *attempt); /* never 0 */
int judge_send(struct supervisor *supervisor, const struct attempt *attempt);
/* A server is about to listen. */
void note_listen(struct supervisor *supervisor, const struct attempt *attempt);

#endif
