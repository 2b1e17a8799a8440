/* Carries out what a command may not do itself, on the objects that it was allowed for. */
#ifndef SANDGATE_PERFORM_H
#define SANDGATE_PERFORM_H

#include "grants.h"

enum { NOT_WITHIN = -4096 }; /* below every errno: no grant covers it, and nothing was done */

/* Returns a descriptor for an open, else 0; a negative errno when it failed, or NOT_WITHIN. `grant` becomes the number of
 * the grant that covers it. */
long perform_within_grants(const struct plan *plan, struct deed *deed, int *grant);
/* The object that was shown, as a place, or a negative errno. */
long open_as_shown(const struct plan *plan, const struct spot *spot);
/* Whether the command may write to what is there, `wanted` as in access(2): 0, an errno, or NOT_WITHIN. */
long access_within_grants(const struct plan *plan, const struct spot *spot, int wanted);

#endif
