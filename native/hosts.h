/* Connections to granted hosts, made from outside and handed in. */
#ifndef SANDGATE_HOSTS_H
#define SANDGATE_HOSTS_H

#include <linux/poll.h>

#include "network.h"



enum { PENDING_MAX = 64 }; /* connections being made at one time; one more gets ENOBUFS */

int is_granted_host(const struct plan *plan, const struct host *endpoint);

/* Starts to connect for the task. Returns 0 when the answer is or will be given elsewhere, else the errno for it. */
int connect_on_behalf(struct supervisor *supervisor, const struct attempt *attempt, const void *address, size_t length);

/* Adds what is being waited for; returns how many. */
unsigned int hosts_watch(struct pollfd watched[PENDING_MAX]);
/* Finishes the connections that have become ready or failed. */
void hosts_settle(struct supervisor *supervisor, const struct pollfd watched[], unsigned int count);

#endif
