/* Whether the sandbox is what refuses a call, and whether the host alone would have let it pass. */
#ifndef SANDGATE_VERDICT_H
#define SANDGATE_VERDICT_H

#include "resolve.h"

/* Each returns the errno the command gets because of the sandbox, 0 when the sandbox does not refuse. */
int refusal_of_entry(const struct supervisor *supervisor, const struct place *place, int must_exist);
int refusal_of_open(const struct supervisor *supervisor, const struct place *place, uint64_t flags);
int refusal_of_change(const struct supervisor *supervisor, const struct place *place);

/* Hidden from the sandbox, though the host has it. */
int is_hidden(const struct plan *plan, const char *path);
int is_writable(const struct plan *plan, const char *path);
/* Shown as the host has it, and not to be written to. */
int is_read_only(const struct plan *plan, const char *path);

/* Permission bits, mounts and capabilities of the caller, outside the sandbox. */
int host_lets_write(const char *path);
int host_lets_write_to(const struct supervisor *supervisor, const struct place *place);
int host_lets_change_entry(const struct supervisor *supervisor, const struct place *place);
int host_lets_change_metadata(const struct supervisor *supervisor, const struct place *place);

#endif
