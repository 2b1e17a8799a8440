/* Calls that the filter hands over only to have it told that they are refused. */
#ifndef SANDGATE_REFUSALS_H
#define SANDGATE_REFUSALS_H

#include "verdict.h"

/* A mode no file may get: set-id bits, or a device. */
int has_refused_mode(int number, const __u64 args[]);

/* Each tells it and returns the errno to answer with, never 0. */
int refuse_call(struct supervisor *supervisor, int pid, int number, const __u64 args[]);
int refuse_mode(struct supervisor *supervisor, int pid, const char *name, const struct place *place);

#endif
