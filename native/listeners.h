/* Who listens where, as the kernel lists it for a network namespace. `pid` 0 means the host's. */
#ifndef SANDGATE_LISTENERS_H
#define SANDGATE_LISTENERS_H

#include "sys.h"

int listens_on_port(int pid, uint16_t port);
/* `name` starts with '@'. */
int has_unix_name(int pid, const char *name);

#endif
