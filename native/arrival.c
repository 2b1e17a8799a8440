/* The plan and the command's streams, which arrive when everything else is built: unix(7), SCM_RIGHTS; memfd_create(2).
 *
 * The command task waits for them itself, since the streams must come to its own table of descriptors. Whatever else
 * arrives with them ends there as well: it closes all but the streams before it executes the program. */
#include <linux/eventpoll.h>
#include <linux/mman.h>
#include <linux/stat.h>

#include "sandbox.h"

enum { PLAN, FIRST_STREAM, ARRIVING = FIRST_STREAM + STREAMS };

/* Requests that follow are the supervisor's. It registered the socket under the same number, so we may change that. */
static int let_supervisor_listen(struct sandbox *sandbox) {
    struct epoll_event event = {.events = 1 /* EPOLLIN */, .data = (uint64_t)EVENT_STATUS};
    long error = sys(epoll_ctl, sandbox->events, EPOLL_CTL_MOD, STATUS_FD, &event);
    return error < 0 ? fail(sandbox, "watch", "", error) : 0;
}

static int place_streams(struct sandbox *sandbox, const int streams[]) {
    for (int fd = 0; fd < STREAMS; fd++) {
        long error = sys(dup3, streams[fd], fd, 0);
        if (error < 0) return fail(sandbox, "place streams", "", error);
    }
    return 0;
}

static int read_plan(struct sandbox *sandbox, int fd) {
    struct statx about;
    long error = sys(statx, fd, "", AT_EMPTY_PATH, STATX_SIZE, &about);
    if (error < 0) return fail(sandbox, "read plan", "", error);
    if (about.stx_size == 0 || about.stx_size > PLAN_BYTES_MAX) return fail(sandbox, "parse plan", "", -EBADMSG);
    long bytes = sys(mmap, 0, about.stx_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
    if (bytes < 0 && bytes > -4096) return fail(sandbox, "map plan", "", bytes);
    error = plan_parse(&sandbox->plan, (const unsigned char *)bytes, about.stx_size);
    return error < 0 ? fail(sandbox, "parse plan", "", error) : 0;
}

int receive_plan(struct sandbox *sandbox) {
    uint32_t request[2];
    int arrived[ARRIVING];
    long error = receive_message(STATUS_FD, request, sizeof request, arrived, ARRIVING);
    if (error == 0 && request[0] != REQUEST_PLAN) error = -EBADMSG;
    if (error < 0) return fail(sandbox, "receive plan", "", error);
    if (let_supervisor_listen(sandbox) != 0 || place_streams(sandbox, arrived + FIRST_STREAM) != 0) return -1;
    if (read_plan(sandbox, arrived[PLAN]) != 0) return -1;
    /* Never more network than the plan allows, whatever was prepared. */
    int fits = plan_wants_empty_network(&sandbox->plan) == (int)sandbox->empty_network;
    return fits ? 0 : fail(sandbox, "match network", "", -EBADMSG);
}
