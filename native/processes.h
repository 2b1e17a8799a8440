/* What /proc tells of tasks and the processes they belong to. */
#ifndef SANDGATE_PROCESSES_H
#define SANDGATE_PROCESSES_H

#include "sys.h"

/* A number as it stands in /proc/<tid>/status after `label`: the first, or the last of its line. 0: there is none. */
unsigned long status_number(int pid, const char *label, int last);
/* The process of a task, 0 when it is gone. */
int process_of(int pid);
int is_alive(int process);

#endif
