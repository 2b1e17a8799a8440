/* As whom the supervisor carries a call out: the command has no capabilities, and a file mode mask of its own. */
#ifndef SANDGATE_IDENTITY_H
#define SANDGATE_IDENTITY_H

#include "sys.h"

/* The mask that the task creates files with, now. All bits when it is not to be found out. */
uint32_t umask_of(int pid);

/* Between the two nothing is done but what the command asked for. */
void act_as_command(uint32_t umask);
void act_as_ourselves(void);

#endif
