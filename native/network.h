/* Calls that want to reach a socket. */
#ifndef SANDGATE_NETWORK_H
#define SANDGATE_NETWORK_H

#include "verdict.h"

struct attempt {
    const char *syscall;
    int pid, fd;
    uint64_t address, length; /* of the socket address, in the task's memory */
};

/* Set when a call is granted and being carried out: its answer comes later. */
struct verdict_on_socket {
    int postponed;
};

/* Each returns the errno to answer with, 0 to let the call continue. */
int judge_bind(struct supervisor *supervisor, const struct attempt *attempt);
int judge_connect(struct supervisor *supervisor, const struct attempt *attempt, struct verdict_on_socket *verdict);

#endif
