/* Names that a command looks up while the network is off. */
#ifndef SANDGATE_LOOKUPS_H
#define SANDGATE_LOOKUPS_H

#include "connects.h"
#include "dns.h"
#include "plan.h"

enum { LOOKUPS_MAX = 64 /* sockets asked by at one time; one more is refused by its address */ };
enum { LOOKUP_WAITS_MAX = 64 /* calls that wait for what is asked about; one more gets ENOBUFS */ };

/* Lets the task ask us instead of the server: its socket becomes one end of a pair. Returns ANSWERED, or 0 when this
 * cannot be done. `address`: the server's, as the task has it; `server`: the same in words. */
int listen_to_lookup(struct supervisor *supervisor, const struct attempt *attempt, int original,
                     const struct socket_address *address, const char *server);
/* The same for a connection over which questions come; it waits while its process waits for an answer. */
int listen_to_stream(struct supervisor *supervisor, const struct attempt *attempt, const struct socket_address *address, const char *server);
/* The same for what a socket sends by address. Returns ANSWERED, or 0 for what is no question. */
int listen_to_sender(struct supervisor *supervisor, const struct attempt *attempt, const struct socket_address *address, const char *server);

unsigned int lookups_watch(struct pollfd watched[LOOKUPS_MAX]);
/* Something waits for what is decided elsewhere. */
int lookups_wait(void);
/* Tells what was asked for, and replies as far as that was decided. */
void lookups_settle(struct supervisor *supervisor);

#endif
