/* A network of its own for resolvers, and for datagrams that are relayed: setns(2), network_namespaces(7), ip(7).
 *
 * A resolver looks where a reply comes from, so a socket pair would not do for each of them: c-ares and musl drop what has
 * no internet address. So the task gets a socket of a network in which there is a loopback and nothing else; the name
 * server's address is one of it, and we have its port. Whatever the task does with such a socket, it finds nobody but us.
 * The network is made with the first of a command that somebody answers for, and ends with the supervisor. */
#include <linux/sched.h>
#include <linux/wait.h>

#include <asm/siginfo.h>
#include <asm/signal.h>
#include <asm/socket.h>

#include "borrowed.h"
#include "resolver_sockets.h"

enum { STACK_BYTES = 32 << 10, STREAM = 1, DATAGRAMS = 2, DUPLICATE = 1030 /* F_DUPFD_CLOEXEC */ };
enum { LEVEL_IPV6 = 41, ONLY_IPV6 = 26 /* IPV6_V6ONLY */ };

struct wish {
    struct sandbox *sandbox;
    const struct socket_address *asked;
    struct host server;
    enum resolver_kind kind;
    int domain;
    uint16_t port; /* of the task's own socket, 0: any */
    int *ends;
};
static int network[NETWORK_PARTS]; /* 0: not made */

static int make_network(void *argument) {
    struct sandbox *sandbox = argument;
    static const char *const own[NETWORK_PARTS] = {"/proc/self/ns/user", "/proc/self/ns/net"};
    const char *failed = sandbox->failed_step;
    int made = make_empty_network(sandbox) == 0;
    sandbox->failed_step = failed; /* without it the command is as well confined */
    for (int i = 0; made && i < NETWORK_PARTS; i++) network[i] = (int)sys(openat, AT_FDCWD, own[i], O_RDONLY | O_CLOEXEC);
    return 0;
}

static long bind_to(int socket, const struct host *endpoint) {
    struct socket_address address;
    put_address(&address, endpoint);
    return sys(bind, socket, &address, address.length);
}

static int open_like(const struct wish *wish, int domain, enum socket_end end) {
    int no = 0, yes = 1, type = wish->kind == RESOLVER_STREAMS ? STREAM : DATAGRAMS;
    int socket = (int)sys(socket, domain, type | O_CLOEXEC, 0);
    if (socket < 0) return socket;
    wish->ends[end] = socket;
    if (domain == FAMILY_INET6) sys(setsockopt, socket, LEVEL_IPV6, ONLY_IPV6, &no, sizeof no);
    if (end == END_OF_OURS) sys(setsockopt, socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    return socket;
}

static long open_task_end(const struct wish *wish) {
    struct host any = {.family = (uint16_t)wish->domain, .port = wish->port};
    int socket = open_like(wish, wish->domain, END_OF_TASK);
    if (socket < 0) return socket;
    if (wish->kind == RESOLVER_SENDS) return bind_to(socket, &any) == 0 ? 0 : bind_to(socket, &(struct host){.family = any.family});
    return sys(connect, socket, wish->asked, wish->asked->length);
}

/* On a loopback a connection is there at once, and takes nobody to accept it. */
static long open_stream(const struct wish *wish) {
    int listening = open_like(wish, wish->server.family, END_OF_OURS);
    long error = listening < 0 ? listening : bind_to(listening, &wish->server);
    if (error == 0) error = sys(listen, listening, 1);
    if (error == 0) error = open_task_end(wish);
    if (error == 0) error = wish->ends[END_OF_OURS] = (int)sys(accept4, listening, 0, 0, O_CLOEXEC);
    if (listening >= 0) sys(close, listening);
    return error < 0 ? error : 0;
}

/* Hears that one task's end alone: several lookups may ask the same server. */
static long open_our_end(const struct wish *wish) {
    static const uint8_t any[16];
    struct host peer;
    struct socket_address address;
    int socket = open_like(wish, wish->server.family, END_OF_OURS);
    long error = socket < 0 ? socket : bind_to(socket, &wish->server);
    if (error == 0) error = own_endpoint(wish->ends[END_OF_TASK], &peer);
    if (error < 0) return error;
    uint16_t port = peer.port;
    if (memcmp(peer.address, any, sizeof any) == 0) peer = wish->server; /* who sends to an own address sends from it */
    peer.port = port;
    put_address(&address, &peer);
    return sys(connect, socket, &address, address.length);
}

static int open_ends(void *argument) {
    const struct wish *wish = argument;
    long error = sys(setns, network[NETWORK_OWNER], CLONE_NEWUSER);
    if (error == 0) error = sys(setns, network[NETWORK_ITSELF], CLONE_NEWNET);
    if (error < 0) return 1;
    have_address(&wish->server);
    if (wish->kind == RESOLVER_STREAMS) return open_stream(wish) < 0;
    return (wish->ends[END_OF_TASK] < 0 && open_task_end(wish) < 0) || open_our_end(wish) < 0;
}

/* What it opens is opened for us, too. True when it ended well. */
static int run_task(unsigned long more, int (*entry)(void *), void *argument) {
    static char stack[STACK_BYTES] __attribute__((aligned(16)));
    siginfo_t about;
    long pid = start_task(more | CLONE_VM | CLONE_VFORK | CLONE_FILES | SIGCHLD, stack + sizeof stack, entry, argument, 0);
    memset(&about, 0, sizeof about);
    return pid > 0 && sys(waitid, P_PID, pid, &about, WEXITED, 0) == 0 && about.si_status == 0;
}

static int is_complete(const int parts[], size_t count) {
    for (size_t i = 0; i < count; i++)
        if (parts[i] <= 0) return 0;
    return 1;
}

int make_resolver_ends(struct sandbox *sandbox, enum resolver_kind kind, int original, const struct socket_address *asked,
                       int ends[SOCKET_ENDS]) {
    struct host own = {0};
    struct wish wish = {.sandbox = sandbox, .asked = asked, .kind = kind, .domain = number_option(original, SO_DOMAIN), .ends = ends};
    ends[END_OF_TASK] = ends[END_OF_OURS] = -1;
    if (endpoint_of(asked, &wish.server) != 0) return 0;
    if (!network[NETWORK_ITSELF]) run_task(CLONE_NEWUSER, make_network, sandbox);
    if (kind == RESOLVER_SENDS_MORE) ends[END_OF_TASK] = (int)sys(fcntl, original, DUPLICATE, 0);
    else if (own_endpoint(original, &own) == 0 && own.port != wish.server.port) wish.port = own.port;
    if (is_complete(network, NETWORK_PARTS) && run_task(0, open_ends, &wish)) return 1;
    for (int i = 0; i < SOCKET_ENDS; i++)
        if (ends[i] >= 0) sys(close, ends[i]);
    return 0;
}
