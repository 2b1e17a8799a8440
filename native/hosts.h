/* Connections to granted hosts, made from outside and relayed. */
#ifndef SANDGATE_HOSTS_H
#define SANDGATE_HOSTS_H

#include "connects.h"

enum { RELAYS_MAX = 128 }; /* connections at one time; one more gets ENOBUFS */
enum { RELAY_POLLS_MAX = 2 * RELAYS_MAX };

int is_granted_host(const struct plan *plan, const struct host *endpoint);

/* Starts to connect for the task; `original` is its socket, which stays the caller's. Returns ANSWERED when the answer
 * is or will be given elsewhere, else the errno for it. */
int connect_on_behalf(struct supervisor *supervisor, const struct attempt *attempt, int original, const void *address,
                      size_t length);

/* An option of TCP is set on a socket of the task. Returns ANSWERED for one that has our end of a pair in its place. */
int judge_option(struct supervisor *supervisor, uint64_t id, int pid, int fd, int option);

/* Adds what is being waited for; returns how many. */
unsigned int hosts_watch(struct pollfd watched[RELAY_POLLS_MAX]);
/* Finishes the connections that have become ready or failed, and carries bytes. */
void hosts_settle(struct supervisor *supervisor);
/* The command is over: what it wrote still goes out, for a bounded time. */
void hosts_flush(struct supervisor *supervisor);

#endif
