/* The supervisor's side of a running sandbox. */
#ifndef SANDGATE_SUPERVISOR_H
#define SANDGATE_SUPERVISOR_H

#include "report.h"

struct attempt;
struct deed;

struct supervisor {
    struct sandbox *sandbox;
    struct tally tally;
    int init;     /* pidfd of the init task */
    int listener; /* of the filter, -1 until its first event */
    int holds_calls; /* somebody answers them */
    /* network.c: makes a connection that was held. True when it has, or will have, its answer. */
    int (*connect_within_grants)(struct supervisor *supervisor, struct attempt *attempt, const struct deed *deed);
};

/* notify.c: answers one held call. Returns 0, or negative when the listener has no one left behind it. */
int notify_answer_one(struct supervisor *supervisor);

#endif
