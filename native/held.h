/* Refused calls that wait for an answer, and those that need none any more. */
#ifndef SANDGATE_HELD_H
#define SANDGATE_HELD_H

#include "network.h"
#include "perform.h"

enum { HELD_MAX = 1024 /* calls at one time; one more is refused at once */ };
enum { HELD_LOOK_MS = 100 /* how long a task may be gone before we notice */ };

struct refused_call {
    uint64_t id;
    struct wanted_call wanted;
    struct refusal refusal;
    int (*host_allows)(const struct supervisor *supervisor, const struct place *place);
    int otherwise; /* what it gets when the answer is no, where that is not the errno of the refusal */
};

int takes_calls_over(const struct supervisor *supervisor);
/* True when it lay within the grants, and has its answer. */
int carry_out_within_grants(struct supervisor *supervisor, const struct refused_call *call);
/* True when the call was carried out, or is held: its answer was or will be given. The refusal is not told then. */
int take_over(struct supervisor *supervisor, struct refused_call *call);

/* Whether a new name would be made for the command, where it may make none itself. */
int is_granted_name(const struct supervisor *supervisor, const struct place *place);
/* What access(2) says where only a grant gives it: 0, a negative errno, or NOT_WITHIN. */
long granted_access(const struct supervisor *supervisor, const struct place *place, int wanted);

/* The same for a connection: `address` is where it would go, `path` the socket's file, if it has one. */
int take_connection_over(struct supervisor *supervisor, const struct attempt *attempt, const struct socket_address *address,
                         const char *path, const struct refusal *refusal, int otherwise);
/* Of whatever waits, one number after the other. */
uint32_t next_held_number(void);
/* It was made, or could not be: told once for each grant, and for each held call. */
void tell_connected(struct supervisor *supervisor, uint32_t number, int grant, const char *said, int error);

/* Something is to be looked at again soon; what was not told yet wants to be. */
int held_look_soon(void);
int held_wants_to_tell(void);
/* Tells what is to be told, and drops calls whose tasks are gone: when it is time, or `now`. */
void held_look(struct supervisor *supervisor, int now);

/* Carries out whatever is within the grants by now; then refuses call `number`, if it still waits. */
void held_answer(struct supervisor *supervisor, uint32_t number);
void held_refuse_all(struct supervisor *supervisor);

#endif
