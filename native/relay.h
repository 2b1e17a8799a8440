/* Bytes carried between a task's socket pair and a connection in the host's network. */
#ifndef SANDGATE_RELAY_H
#define SANDGATE_RELAY_H

#include "sys.h"

enum { LANE_BYTES = 32 << 10 /* held for one direction of one connection */ };

/* One direction. */
struct lane {
    uint32_t start, end;
    uint32_t skip; /* bytes to throw away first */
    int ended;     /* nothing more to read */
    int over;      /* the end was passed on, or the reader is gone */
    char bytes[LANE_BYTES];
};

void lane_reset(struct lane *lane, uint32_t skip);
static inline int lane_wants_read(const struct lane *lane) { return !lane->over && !lane->ended && lane->start == lane->end; }
static inline int lane_wants_write(const struct lane *lane) { return !lane->over && lane->start != lane->end; }
/* Moves what can be moved without waiting: at most one buffer. */
void lane_pump(struct lane *lane, int from, int to);

#endif
