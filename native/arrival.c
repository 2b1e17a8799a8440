/* The plan and the command's streams, which arrive when everything else is built: unix(7), SCM_RIGHTS; memfd_create(2).
 *
 * The command task waits for them itself, since the streams must come to its own table of descriptors. Whatever else
 * arrives with them ends there as well: it closes all but the streams before it executes the program. */
#include <linux/eventpoll.h>
#include <linux/mman.h>
#include <linux/mount.h>
#include <linux/stat.h>

#include "sandbox.h"

enum { PLAN, FIRST_STREAM, ARRIVING = FIRST_STREAM + STREAMS };

/* Requests that follow are the supervisor's. It registered the socket under the same number, so we may change that. */
static int let_supervisor_listen(struct sandbox *sandbox) {
    struct epoll_event event = {.events = 1 /* EPOLLIN */, .data = (uint64_t)EVENT_STATUS};
    long error = sys(epoll_ctl, sandbox->events, EPOLL_CTL_MOD, STATUS_FD, &event);
    return error < 0 ? fail(sandbox, "watch", "", error) : 0;
}

/* The same file through a mount that is read-only for good, or a negative errno. Its descriptor keeps the host's mount
 * otherwise, through which /proc/self/fd/0 opens for writing and fchmod works. */
static int open_read_only(int fd, const struct statx *about) {
    char link[32], path[PATH_BYTES_MAX];
    put_number(put_text(link, "/proc/thread-self/fd/"), (unsigned long)fd);
    long length = sys(readlinkat, AT_FDCWD, link, path, sizeof path - 1);
    if (length < 0) return (int)length;
    path[length] = 0;
    int place = open_plain(path, 0);
    if (place < 0) return place;
    struct statx found;
    struct mount_attr read_only = {.attr_set = MOUNT_ATTR_RDONLY};
    int tree = -ESTALE, made = -ESTALE;
    long error = sys(statx, place, "", AT_EMPTY_PATH, STATX_INO, &found);
    int same = error == 0 && found.stx_ino == about->stx_ino && found.stx_dev_major == about->stx_dev_major &&
               found.stx_dev_minor == about->stx_dev_minor;
    if (same) tree = clone_tree(place, "", 1);
    if (tree >= 0) error = sys(mount_setattr, tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &read_only, sizeof read_only);
    if (tree >= 0 && error == 0) {
        put_number(put_text(link, "/proc/thread-self/fd/"), (unsigned long)tree);
        made = (int)sys(openat, AT_FDCWD, link, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    }
    if (tree >= 0) sys(close, tree);
    sys(close, place);
    return error < 0 ? (int)error : tree < 0 ? tree : made;
}

static int is_reopened(int fd, struct statx *about) {
    long flags = sys(fcntl, fd, F_GETFL, 0);
    if (flags < 0 || flags & O_PATH || (flags & O_ACCMODE) != O_RDONLY) return 0;
    if (sys(statx, fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, about) != 0) return 0;
    uint32_t type = about->stx_mode & S_IFMT;
    /* Without a name it is nobody's but its openers'. */
    return (type == S_IFREG || type == S_IFDIR || type == S_IFBLK) && about->stx_nlink > 0;
}

static int is_foreign_file(const struct sandbox *sandbox, int fd, const struct statx *about) {
    char link[32];
    put_number(put_text(link, "/proc/thread-self/fd/"), (unsigned long)fd);
    int may_write = sys(faccessat, AT_FDCWD, link, 2 /* W_OK */) == 0;
    return (about->stx_mode & S_IFMT) == S_IFREG && about->stx_uid != sandbox->uid && !may_write;
}

/* A stream that is only read becomes a descriptor that can only be read, at the same offset. */
static int restrict_stream(struct sandbox *sandbox, int fd) {
    struct statx about;
    if (!is_reopened(fd, &about)) return 0;
    int made = open_read_only(fd, &about);
    /* Handed to us by somebody who may more: then it cannot be opened for writing by us either. */
    if (made < 0 && is_foreign_file(sandbox, fd, &about)) return 0;
    if (made < 0) return fail(sandbox, "reopen stream read-only", "", made);
    long offset = sys(lseek, fd, 0, 1 /* SEEK_CUR */);
    if (offset > 0) sys(lseek, made, offset, 0 /* SEEK_SET */);
    long error = sys(dup3, made, fd, 0);
    sys(close, made);
    return error < 0 ? fail(sandbox, "reopen stream read-only", "", error) : 0;
}

static int place_streams(struct sandbox *sandbox, const int streams[]) {
    for (int fd = 0; fd < STREAMS; fd++) {
        long error = sys(dup3, streams[fd], fd, 0);
        if (error < 0) return fail(sandbox, "place streams", "", error);
        if (restrict_stream(sandbox, fd) != 0) return -1;
    }
    return 0;
}

int read_plan(struct sandbox *sandbox, int fd) {
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
    int is_plan = request[0] == REQUEST_PLAN && !(request[1] & ~(uint32_t)(PLAN_WAITS | PLAN_LENT_LAYERS));
    if (error == 0 && !is_plan) error = -EBADMSG;
    if (error < 0) return fail(sandbox, "receive plan", "", error);
    sandbox->plan_waits = request[1] & PLAN_WAITS;
    if (request[1] & PLAN_LENT_LAYERS) error = receive_descriptors(STATUS_FD, sandbox->lent_layers, LAYERS_PARTS);
    if (error < 0) return fail(sandbox, "receive layers", "", error);
    if (!sandbox->plan_waits && let_supervisor_listen(sandbox) != 0) return -1;
    if (place_streams(sandbox, arrived + FIRST_STREAM) != 0) return -1;
    if (read_plan(sandbox, arrived[PLAN]) != 0) return -1;
    /* Never more network than the plan allows, whatever was prepared. */
    int fits = plan_wants_empty_network(&sandbox->plan) == (int)sandbox->empty_network;
    return fits ? 0 : fail(sandbox, "match network", "", -EBADMSG);
}

/* The sandbox is built, and what its plan rests on has been looked at since that was made. Whoever finds that it does not
 * hold hangs up, which is the end of everything here. */
int wait_to_begin(struct sandbox *sandbox) {
    uint32_t request[2] = {0, 0};
    if (!sandbox->plan_waits) return 0;
    long length = sys(read, STATUS_FD, request, sizeof request);
    if (length < 0) return fail(sandbox, "wait to begin", "", length);
    if (length != sizeof request || request[0] != REQUEST_BEGIN) return fail(sandbox, "wait to begin", "", -ECONNRESET);
    return let_supervisor_listen(sandbox);
}
