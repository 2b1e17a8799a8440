/* Which namespaces the sandbox has, and who is who in them: namespaces(7), user_namespaces(7), setns(2).
 *
 * A network namespace costs as much as everything else together. So init makes that one while the command task makes
 * the others, mounts, and installs its walls: two processors share the work. Then each joins what the other made. */
#include <linux/if.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/ipv6.h>
#include <linux/sched.h>
#include <linux/sockios.h>
#include <linux/time_types.h>

#include "sandbox.h"

enum { INET = 2, INET6 = 10 };
enum { OF_COMMAND = CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP };

const unsigned long first_namespaces = CLONE_NEWUSER | CLONE_NEWPID;

int make_namespaces(struct sandbox *sandbox) {
    long error = sys(unshare, OF_COMMAND);
    return error < 0 ? fail(sandbox, "make namespaces", "", error) : 0;
}

static int join(struct sandbox *sandbox, long pid, unsigned long namespaces) {
    long fd = sys(pidfd_open, pid, 0);
    long error = fd < 0 ? fd : sys(setns, fd, namespaces);
    if (fd >= 0) sys(close, fd);
    return error < 0 ? fail(sandbox, "join namespaces", "", error) : 0;
}

int join_network(struct sandbox *sandbox) {
    return join(sandbox, 1, CLONE_NEWNET);
}

/* Init must not stay outside: its /proc/1/net would show the host's sockets, its root the host's view. */
int join_command(struct sandbox *sandbox, long command) { return join(sandbox, command, OF_COMMAND); }

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

/* Else a port cannot be bound again for a minute after its last connection. */
long forget_closed_connections(void) {
    long fd = sys(openat, AT_FDCWD, "/proc/sys/net/ipv4/tcp_max_tw_buckets", O_WRONLY | O_CLOEXEC);
    long written = fd < 0 ? fd : sys(write, fd, "0", 1);
    if (fd >= 0) sys(close, fd);
    return written;
}

static long lo_request(unsigned int family, unsigned int request, void *given) {
    long fd = sys(socket, family, 2 /* SOCK_DGRAM */ | O_CLOEXEC, 0);
    if (fd < 0) return fd;
    long error = sys(ioctl, fd, request, given);
    sys(close, fd);
    return error;
}

static void have_inet(const char *alias, uint32_t address) {
    struct ifreq request;
    struct sockaddr_in local = {.sin_family = INET, .sin_addr.s_addr = address};
    memset(&request, 0, sizeof request);
    put_text(request.ifr_name, alias);
    memcpy(&request.ifr_addr, &local, sizeof local);
    lo_request(INET, SIOCSIFADDR, &request);
}

static void have_inet6(const uint8_t address[16]) {
    enum { LO = 1 /* the first interface of every network */ };
    struct in6_ifreq local = {.ifr6_prefixlen = 128, .ifr6_ifindex = LO};
    memcpy(&local.ifr6_addr, address, sizeof local.ifr6_addr);
    lo_request(INET6, SIOCSIFADDR, &local);
}

/* One address of each family that is not *the* loopback one, on the loopback: a resolver that is told to look only for
 * families this host has (AI_ADDRCONFIG) does not count 127.0.0.1 and ::1, and would find nothing, not even `localhost`.
 * They lead nowhere else. What cannot be had, such as IPv6 where it is switched off, is done without. */
static void have_both_families(void) {
    static const uint8_t nobodys[16] = {[0] = 1, [15] = 1}; /* 100::1, RFC 6666 */
    have_inet("lo:1", __builtin_bswap32(0x7f000002) /* 127.0.0.2 */);
    have_inet6(nobodys);
}

static int can_bind(const uint8_t address[16]) {
    struct sockaddr_in6 local = {.sin6_family = INET6};
    memcpy(&local.sin6_addr, address, sizeof local.sin6_addr);
    long fd = sys(socket, INET6, 2 /* SOCK_DGRAM */ | O_CLOEXEC, 0);
    long error = fd < 0 ? fd : sys(bind, fd, &local, sizeof local);
    if (fd >= 0) sys(close, fd);
    return error == 0;
}

/* An address of IPv6 is "tentative" until a worker of the kernel has come by, also where nobody could have the same. */
static void have_inet6_soon(const uint8_t address[16]) {
    enum { LOOKS_MAX = 100, BETWEEN_LOOKS_MS = 1 };
    struct __kernel_timespec between = {0, BETWEEN_LOOKS_MS * 1000000};
    if (!can_bind(address)) have_inet6(address);
    for (int i = 0; i < LOOKS_MAX && !can_bind(address); i++) sys(nanosleep, &between, 0);
}

void have_address(const struct host *endpoint) {
    static uint32_t more[MORE_ADDRESSES_MAX];
    static unsigned int count;
    char alias[IFNAMSIZ];
    uint32_t address;
    memcpy(&address, endpoint->address, sizeof address);
    if (endpoint->family == INET6) return have_inet6_soon(endpoint->address);
    for (unsigned int i = 0; i < count; i++)
        if (more[i] == address) return;
    if (endpoint->address[0] == 127 || count == MORE_ADDRESSES_MAX) return;
    put_number(put_text(alias, "lo:more"), count);
    more[count++] = address;
    have_inet(alias, address);
}

/* A network of its own with nothing but a loopback that is up: servers and clients inside can still talk. */
int make_empty_network(struct sandbox *sandbox) {
    long error = sys(unshare, CLONE_NEWNET);
    if (error < 0) return fail(sandbox, "make network namespace", "", error);
    struct ifreq request;
    memset(&request, 0, sizeof request);
    put_text(request.ifr_name, "lo");
    request.ifr_flags = IFF_UP;
    error = lo_request(2 /* AF_INET */, SIOCSIFFLAGS, &request);
    have_both_families();
    forget_closed_connections(); /* where it can be had: in a container /proc/sys may be read-only */
    return error < 0 ? fail(sandbox, "bring up loopback", "", error) : 0;
}
