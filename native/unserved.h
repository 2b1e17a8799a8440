/* Connections to the sandbox's own loopback that met nobody. */
#ifndef SANDGATE_UNSERVED_H
#define SANDGATE_UNSERVED_H

#include "network.h"

/* `socket` was told to connect, with this result (0 or a positive errno): tells what a refusal means, if it is
 * one. True when the call waits for an answer, or has one. */
int note_connected(struct supervisor *supervisor, const struct attempt *attempt, int socket, int error, const void *address,
                    size_t length);

#endif
