/* See relay.h. A lane never reads more before its buffer is empty, so a slow reader slows its writer. */
#include "relay.h"

enum { DONT_WAIT = 0x40 /* MSG_DONTWAIT */, NO_SIGNAL = 0x4000 /* MSG_NOSIGNAL */ };
enum { NO_MORE_READING = 0 /* SHUT_RD */, NO_MORE_WRITING = 1 /* SHUT_WR */ };

void lane_reset(struct lane *lane, uint32_t skip) {
    lane->start = lane->end = 0;
    lane->ended = lane->over = 0;
    lane->skip = skip;
}

static void fill(struct lane *lane, int from) {
    /* Descriptors sent along are dropped by the kernel, as we do not ask for them. */
    long length = sys(recvfrom, from, lane->bytes, LANE_BYTES, DONT_WAIT, 0, 0);
    if (length == -EAGAIN || length == -EINTR) return;
    lane->ended = length <= 0;
    lane->start = 0;
    lane->end = length > 0 ? (uint32_t)length : 0;
    uint32_t skipped = lane->skip < lane->end ? lane->skip : lane->end;
    lane->skip -= skipped;
    lane->start = skipped;
}

static void drain(struct lane *lane, int from, int to) {
    long length = sys(sendto, to, lane->bytes + lane->start, lane->end - lane->start, DONT_WAIT | NO_SIGNAL, 0, 0);
    if (length == -EAGAIN || length == -EINTR) return;
    if (length > 0) {
        lane->start += (uint32_t)length;
        return;
    }
    lane->over = 1;
    lane->start = lane->end;
    sys(shutdown, from, NO_MORE_READING); /* so that the writer learns it */
}

void lane_pump(struct lane *lane, int from, int to) {
    if (lane_wants_read(lane)) fill(lane, from);
    if (lane_wants_write(lane)) drain(lane, from, to);
    if (!lane->ended || lane->over || lane->start != lane->end) return;
    lane->over = 1;
    sys(shutdown, to, NO_MORE_WRITING);
}
