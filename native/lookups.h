/* Names that a command looks up while the network is off. */
#ifndef SANDGATE_LOOKUPS_H
#define SANDGATE_LOOKUPS_H

#include "connects.h"
#include "dns.h"
#include "plan.h"

enum { LOOKUPS_MAX = 64 /* sockets asked by at one time; one more is refused by its address */ };
enum { LOOKUP_WAITS_MAX = 64 /* connections that wait for what is asked about; one more is made at once */ };

/* The question of a packet in the task's memory. */
int read_question_of(int pid, uint64_t address, uint64_t length, struct question *question);

/* Lets the task ask us instead of the server: its socket becomes one end of a pair. Returns ANSWERED, or 0 when this
 * cannot be done. */
int listen_to_lookup(struct supervisor *supervisor, const struct attempt *attempt, const char *server);
/* The same for a connection over which questions come; one of a process that waits for an answer waits as well. */
int listen_to_stream(struct supervisor *supervisor, const struct attempt *attempt, const char *server);

unsigned int lookups_watch(struct pollfd watched[LOOKUPS_MAX]);
/* Something waits for what is decided elsewhere. */
int lookups_wait(void);
/* Tells what was asked for, and replies as far as that was decided. */
void lookups_settle(struct supervisor *supervisor);

#endif
