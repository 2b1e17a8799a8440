/* What a session says of the layers it keeps mounted (claims.c). */
#ifndef SANDGATE_CLAIMS_H
#define SANDGATE_CLAIMS_H

#include "layers.h"

#define CLAIM "claim" /* in each work directory, where the kernel touches only what it made */
enum { IDENTITY_BYTES_MAX = 3 * 21 /* a space and 64 bits, in decimal */ };

struct claim {
    int file; /* negative: none yet */
    int first_work;
    size_t length;
    char text[OVERLAYS_MAX * (LENT_NAME_MAX + 2 * IDENTITY_BYTES_MAX + 1) + 1];
};

/* Takes a kept directory away from the session that has it mounted, with all that this has. The work directory must be locked alone.
 * Returns 0, or a negative errno: EAGAIN while a command of that session runs. */
int void_claim(int work);

/* Adds a mount that was just made, whose work directory is locked alone; what cannot be added is not claimed. */
void add_to_claim(struct claim *claim, const struct overlay *overlay, const struct overlay_parts *parts);
/* Makes it count, while all these locks are held. */
void write_claim(struct claim *claim);

/* Reads the claim that names this overlay. Returns 0, or a negative errno; the shared lock lasts as long as `file` and its copies. */
int share_claim(const struct overlay *overlay, struct claim *claim);
/* Whether the mount that the plan means was made of what lies in these places now. */
int is_claimed(const struct claim *claim, const struct overlay *overlay);

#endif
