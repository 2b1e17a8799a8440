/* A port of a sandbox's network, shown on the host's loopback. */
#ifndef SANDGATE_SERVE_H
#define SANDGATE_SERVE_H

#include "sandbox.h"

enum { SERVED_MAX = 64 /* connections to one port at one time; more wait in the listener's queue */ };
enum serving { SERVING_READY, SERVING_NOBODY /* once: who was accepted met nobody inside */ };

/* Returns when Sandgate has gone away, or -1 after a failure. The descriptors come in a message of their own. */
int serve_port(struct sandbox *sandbox, uint16_t port);

#endif
