/* Overlays of a plan: what they are mounted from (layers.c), and mounts of them that a session keeps (lent_layers.c). */
#ifndef SANDGATE_LAYERS_H
#define SANDGATE_LAYERS_H

#include "sandbox.h"

enum { LOCK_ALONE = 2 | 4 /* LOCK_EX | LOCK_NB */ };

struct overlay_parts {
    int lower, upper, work; /* descriptors, or negative errnos */
};

/* Returns 0, or the first negative errno; the parts are to be closed in any case. */
int open_overlay(const struct sandbox *sandbox, const struct overlay *overlay, struct overlay_parts *parts);
void close_overlay(const struct overlay_parts *parts);

/* A new tree, which lies nowhere yet, or a negative errno. */
int mount_overlay(int lower, int upper, int work, int is_volatile);

/* Locks the work directory alone, voids what a session claims of it, and mounts: the new tree, which lies nowhere yet, or
 * a negative errno. The lock lasts as long as the descriptor and its copies. */
int mount_kept(const struct overlay_parts *parts);

/* Has the supervisor hold a lock until everything inside is gone. */
int keep_lock(struct sandbox *sandbox, int work);

/* The supervisor makes the copies while we go on; before any lock is sent to it. */
void ask_for_layers(struct sandbox *sandbox);

/* Whether they all are still what the plan means; nobody takes them away, then, until everything inside is gone. */
int may_borrow_layers(struct sandbox *sandbox);

/* Fills `trees` with copies of the mounts that the session keeps, where they may be borrowed and have come. */
void borrow_layers(struct sandbox *sandbox, int trees[]);

/* What the kernel remembers of borrowed mounts is up to date when this returns: before anything is looked up in them. -1
 * after a failure. */
int wait_for_fresh_layers(struct sandbox *sandbox);

/* The supervisor's part of that. */
void lend_layers(struct sandbox *sandbox);

/* REQUEST_LAYERS: mounts what a session shall keep and sends it to Sandgate; -1 after a failure. */
int give_layers(struct sandbox *sandbox);

#endif
