/* Who listens where, as the kernel lists it for a network namespace. */
#ifndef SANDGATE_LISTENERS_H
#define SANDGATE_LISTENERS_H

#include "sys.h"

/* In the network of `pid`, now: a look that takes milliseconds. */
int listens_on_port(int pid, uint16_t port);
int takes_datagrams(int pid, uint16_t port);
/* On the host, as of some time ago: at most HOST_PORTS_KEPT_MS. */
int host_listens_on_port(uint16_t port);
int host_takes_datagrams(uint16_t port);
/* `pid` 0 means the host's; `name` starts with '@'. */
int has_unix_name(int pid, const char *name);

#endif
