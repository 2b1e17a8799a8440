/* What a call gets on the host in any case, where a read-only mount would answer before anybody looks. */
#ifndef SANDGATE_FOREGONE_H
#define SANDGATE_FOREGONE_H

#include "verdict.h"

/* Each returns the host's errno, 0 when the call might succeed there, or is not ours to answer. */
int foregone_removal(const struct supervisor *supervisor, const struct place *place, int wants_directory);
int foregone_rename(const struct supervisor *supervisor, const struct place *from, const struct place *to, int only_new);

#endif
