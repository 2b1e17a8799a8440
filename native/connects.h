/* Connecting a task's own socket in its stead: nothing in its memory is read twice, so nothing can be exchanged. */
#ifndef SANDGATE_CONNECTS_H
#define SANDGATE_CONNECTS_H

#include <linux/poll.h>

#include "borrowed.h"
#include "endpoints.h"
#include "network.h"

enum { CONNECTS_MAX = 64 }; /* held calls that wait for a connection; one more gets ENOBUFS */
enum { CONNECT_RETRY_MS = 10 };

/* Connects `socket` to an address of ours; takes over `socket` and `target` (-1: none), which stays open as long as
 * the address may be needed. Returns ANSWERED, or the errno to answer with (0 is not used). */
int connect_in_place(struct supervisor *supervisor, const struct attempt *attempt, int socket, int target,
                     const void *address, size_t length);

unsigned int connects_watch(struct pollfd watched[CONNECTS_MAX]);
/* True when something has to be tried again soon, which no event will tell. */
int connects_retry(void);
void connects_settle(struct supervisor *supervisor, const struct pollfd watched[], unsigned int count);

#endif
