/* Which namespaces the sandbox has, and who is who in them: namespaces(7), user_namespaces(7).
 *
 * All but the network namespace are made by the one clone that starts init. The network namespace is the
 * dearest of them and is made by the command task while init mounts: two processors then share the work. */
#include <linux/if.h>
#include <linux/in.h>
#include <linux/sched.h>
#include <linux/sockios.h>

#include "sandbox.h"

unsigned long namespace_flags(const struct plan *plan) {
    (void)plan;
    return CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
}

static int write_file(struct sandbox *sandbox, const char *path, const char *text) {
    long fd = sys(openat, AT_FDCWD, path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return fail(sandbox, "open", path, fd);
    long written = sys(write, fd, text, strlen(text));
    sys(close, fd);
    return written < 0 ? fail(sandbox, "write", path, written) : 0;
}

static int map_one(struct sandbox *sandbox, const char *path, uint32_t id) {
    char line[64], *end = put_number(line, id);
    end = put_text(end, " ");
    end = put_number(end, id);
    put_text(end, " 1\n");
    return write_file(sandbox, path, line);
}

/* The caller keeps its one uid and gid; everybody else is nobody. Run by init itself: no hand-over to wait for. */
int map_identity(struct sandbox *sandbox) {
    if (write_file(sandbox, "/proc/self/setgroups", "deny") != 0) return -1;
    if (map_one(sandbox, "/proc/self/gid_map", sandbox->gid) != 0) return -1;
    return map_one(sandbox, "/proc/self/uid_map", sandbox->uid);
}

/* A network of its own with nothing but a loopback that is up: servers and clients inside can still talk. */
int enter_empty_network(struct sandbox *sandbox) {
    long error = sys(unshare, CLONE_NEWNET);
    if (error < 0) return fail(sandbox, "unshare network", "", error);
    long fd = sys(socket, 2 /* AF_INET */, 2 /* SOCK_DGRAM */ | O_CLOEXEC, 0);
    if (fd < 0) return fail(sandbox, "socket for loopback", "", fd);
    struct ifreq request;
    memset(&request, 0, sizeof request);
    put_text(request.ifr_name, "lo");
    request.ifr_flags = IFF_UP;
    error = sys(ioctl, fd, SIOCSIFFLAGS, &request);
    sys(close, fd);
    if (error < 0) return fail(sandbox, "bring up loopback", "", error);
    sandbox->layers |= LAYER_NET;
    return 0;
}
