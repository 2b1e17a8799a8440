/* Judges connections: unix(7), ip(7), ipv6(7).
 *
 * With the network off the sandbox has an empty network namespace, which is the boundary. What is refused here gets
 * EPERM, so that programs fail at once instead of trying the next address, and a record with the address.
 *
 * For unix sockets there is no such boundary: a file can be connected to through a read-only mount. So no connect
 * ever continues; what is allowed is carried out by us, on the file and to the address that were judged. */
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/stat.h>

#include <asm/socket.h>

#include "datagrams.h"
#include "endpoints.h"
#include "held.h"
#include "hosts.h"
#include "listeners.h"
#include "lookups.h"
#include "names.h"
#include "network.h"
#include "own_sockets.h"

enum { TYPE_STREAM = 1, UNIX_PATH_MAX_BYTES = 108 };
enum { LET_PASS = -2 /* to the kernel, and no more is said of it */ };

static int read_address(const struct attempt *attempt, struct socket_address *address) {
    memset(address, 0, sizeof *address);
    size_t count = attempt->length < ADDRESS_BYTES_MAX ? (size_t)attempt->length : ADDRESS_BYTES_MAX;
    char bytes[ADDRESS_BYTES_MAX];
    if (count < 2 || read_memory(attempt->pid, attempt->address, bytes, count) != (long)count) return -1;
    memcpy(address, bytes, count);
    address->length = count;
    return 0;
}

static void tell(struct supervisor *supervisor, const struct attempt *attempt, enum refusing_layer layer, int error,
                 int host_allows, const char *address) {
    struct refusal refusal = {OP_CONNECT, layer, error, attempt->pid, host_allows, 0, attempt->syscall, "", address};
    report_refusal(&supervisor->tally, &refusal);
}

/* Resolvers ask over a connected socket; whatever the server's address, it is the name that says something. Over a stream
 * they only come where there may be a reply. */
static int connect_to_server(struct supervisor *supervisor, const struct attempt *attempt, int socket,
                             const struct socket_address *address, const struct host *endpoint, int stream) {
    char text[ADDRESS_TEXT_BYTES];
    int off = (supervisor->sandbox->plan.flags & PLAN_NETWORK_OFF) != 0;
    if (!off || endpoint->port != NAME_SERVER_PORT) return 0;
    put_endpoint(text, endpoint);
    if (!stream) return listen_to_lookup(supervisor, attempt, socket, address, text);
    return supervisor->holds_calls && grant_named(GRANT_HOST, text) < 0 ? listen_to_stream(supervisor, attempt, address, text) : 0;
}

/* Programs may serve and call each other on the sandbox's own loopback, which is where this goes. A connection tells by
 * itself whether somebody was there (unserved.c); a datagram does not, so the lists are asked: those of datagrams, for a
 * resolver that connects one to sort its answers means no server of streams at that port. */
static int judge_inet(struct supervisor *supervisor, const struct attempt *attempt, const struct host *endpoint, int stream) {
    char text[ADDRESS_TEXT_BYTES];
    if (!(supervisor->sandbox->plan.flags & PLAN_NETWORK_OFF)) return 0;
    put_endpoint(text, endpoint);
    /* Resolvers connect a datagram socket to sort what they have found (RFC 6724). */
    if (!stream && name_at(endpoint)) return ENETUNREACH;
    if (!is_local(endpoint)) {
        tell(supervisor, attempt, BY_NETWORK, EPERM, 1, text);
        return EPERM;
    }
    if (!stream && host_takes_datagrams(endpoint->port) && !takes_datagrams(attempt->pid, endpoint->port))
        tell(supervisor, attempt, BY_NETWORK, ECONNREFUSED, 1, text);
    return 0;
}

/* An abstract name belongs to a network namespace. In the host's, our connecting would also pass by Landlock, which
 * keeps the command from the host's names: there none can be connected to, its own neither. */
static int judge_abstract(struct supervisor *supervisor, const struct attempt *attempt, const char *name, size_t length) {
    char text[ADDRESS_TEXT_BYTES] = "unix:@";
    memcpy(text + 6, name, length);
    for (size_t i = 0; i < length; i++)
        if (text[6 + i] == 0) text[6 + i] = '@'; /* as the kernel lists such names */
    text[6 + length] = 0;
    int own_network = (supervisor->sandbox->layers & LAYER_NET) != 0, exists = has_unix_name(0, text + 5);
    if (!own_network) return exists ? EPERM : ECONNREFUSED;
    if (exists && !has_unix_name(attempt->pid, text + 5)) tell(supervisor, attempt, BY_NETWORK, ECONNREFUSED, 1, text);
    return 0;
}

static int is_granted_socket(const struct plan *plan, const char *path) {
    for (uint32_t i = 0; i < plan->sockets.count; i++)
        if (same_text(plan->sockets.items[i], path)) return 1;
    return 0;
}

static int refuse_path(struct supervisor *supervisor, const struct attempt *attempt, const char *path) {
    static const struct socket_address by_path = {.family = FAMILY_UNIX};
    char text[PATH_BYTES_MAX + 8];
    int hidden = is_hidden(&supervisor->sandbox->plan, path);
    put_text(put_text(text, "unix:"), path);
    struct refusal refusal = {OP_CONNECT, hidden ? BY_MOUNT : BY_SECCOMP, EACCES, attempt->pid, host_lets_write(path), 0, attempt->syscall, "", text};
    if (take_connection_over(supervisor, attempt, &by_path, path, &refusal, EACCES)) return ANSWERED;
    report_refusal(&supervisor->tally, &refusal);
    return EACCES;
}

/* Not to be had in the task's view: a record if the host has a socket there. */
static int judge_unopened(struct supervisor *supervisor, const struct attempt *attempt, const char *path, int error) {
    static struct place place;
    resolve_text(supervisor, attempt->pid, AT_FDCWD, path, 1, 0, &place);
    int missed = !place.certainly_allowed && place.found == 0 && place.exists && (place.mode & S_IFMT) == S_IFSOCK;
    if (missed) return refuse_path(supervisor, attempt, place.path);
    return error == ELOOP ? EACCES : error;
}

/* Judges what was opened; its canonical path is left in `path`. */
static int judge_target(struct supervisor *supervisor, const struct attempt *attempt, int target, const char *link,
                        char path[PATH_BYTES_MAX]) {
    struct statx about;
    long length = sys(readlinkat, AT_FDCWD, link, path, PATH_BYTES_MAX - 1);
    if (length < 0) return (int)-length;
    path[length] = 0;
    long error = sys(statx, target, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &about);
    if (error < 0) return (int)-error;
    /* A socket of the host's has an empty file over it. */
    if ((about.stx_mode & S_IFMT) != S_IFSOCK) return judge_unopened(supervisor, attempt, path, ECONNREFUSED);
    if (is_own(&about) || is_granted_socket(&supervisor->sandbox->plan, path)) return 0;
    return refuse_path(supervisor, attempt, path);
}

/* What has its answer, or waits for one, needs the socket no more: it is fetched anew when it is connected. */
static int without(int socket, int answer) {
    if (answer == ANSWERED) sys(close, socket);
    return answer;
}

/* Takes over `socket` when it returns ANSWERED; so do the following. */
static int connect_path(struct supervisor *supervisor, const struct attempt *attempt, int socket, const char *text) {
    static char path[PATH_BYTES_MAX];
    struct socket_address address = {.family = FAMILY_UNIX};
    int target = (int)open_in_view(attempt->pid, text);
    if (target < 0) return without(socket, judge_unopened(supervisor, attempt, text, -target));
    char *end = put_number(put_text(address.unix_path, "/proc/self/fd/"), (unsigned long)target);
    int error = judge_target(supervisor, attempt, target, address.unix_path, path);
    if (!error && !is_held(supervisor, attempt->id)) error = EINTR;
    if (!error) return connect_in_place(supervisor, attempt, socket, target, &address, (size_t)(end - (char *)&address) + 1);
    sys(close, target);
    return without(socket, error);
}

static int connect_unix(struct supervisor *supervisor, const struct attempt *attempt, int socket,
                        struct socket_address *address) {
    struct socket_address own;
    int size = sizeof own.unix_path;
    if (address->family != FAMILY_UNIX) return sys(getpeername, socket, &own, &size) == 0 ? EISCONN : EINVAL;
    size_t length = address->length - 2;
    if (length == 0 || length > UNIX_PATH_MAX_BYTES) return EINVAL;
    address->unix_path[length] = 0;
    if (address->unix_path[0]) return connect_path(supervisor, attempt, socket, address->unix_path);
    int error = judge_abstract(supervisor, attempt, address->unix_path + 1, length - 1);
    return error ? error : connect_in_place(supervisor, attempt, socket, -1, address, address->length);
}

/* A host away from here: true when it is granted, or somebody is asked. */
static int leave_to_answer(struct supervisor *supervisor, const struct attempt *attempt, const struct socket_address *address,
                           const struct host *endpoint) {
    char text[ADDRESS_TEXT_BYTES];
    if (!(supervisor->sandbox->plan.flags & PLAN_NETWORK_OFF) || is_local(endpoint)) return 0;
    put_endpoint(text, endpoint);
    struct refusal refusal = {OP_CONNECT, BY_NETWORK, EPERM, attempt->pid, 1, 0, attempt->syscall, "", text};
    return take_connection_over(supervisor, attempt, address, "", &refusal, EPERM);
}

/* Where a yes would have the socket of the task exchanged for one that leads there. A server of the sandbox's own is not taken from its
 * clients, and resolvers that only sort what they have found (RFC 6724) ask nobody. */
static int could_be_relayed(const struct attempt *attempt, int socket, const struct host *endpoint) {
    struct host own;
    if (!is_udp(socket) || !takes_relayed_datagrams(endpoint)) return 0;
    if (!is_send(attempt) && is_found(endpoint)) return 0;
    if (is_local(endpoint)) return host_takes_datagrams(endpoint->port) && !takes_datagrams(attempt->pid, endpoint->port);
    return own_endpoint(socket, &own) != 0 || !is_local(&own) || is_unspecified(&own) || has_datagram_relay(socket, 0);
}

/* The same for datagrams. Only where somebody is asked: a plan's own hosts are for streams otherwise. */
static int leave_datagrams_to_answer(struct supervisor *supervisor, const struct attempt *attempt, int socket,
                                     const struct socket_address *address, const struct host *endpoint) {
    char text[ADDRESS_TEXT_BYTES];
    const struct plan *plan = &supervisor->sandbox->plan;
    if (!takes_calls_over(supervisor) || !could_be_relayed(attempt, socket, endpoint)) return 0;
    if (supervisor->holds_calls && is_granted_host(plan, endpoint)) {
        int error = relay_datagrams(supervisor, attempt, socket, address);
        if (error != ANSWERED) answer_call(supervisor, attempt->id, error);
        return 1;
    }
    int error = is_local(endpoint) ? ECONNREFUSED : EPERM;
    put_endpoint(text, endpoint);
    struct refusal refusal = {OP_CONNECT, BY_NETWORK, error, attempt->pid, 1, BY_DATAGRAMS, attempt->syscall, "", text};
    return take_connection_over(supervisor, attempt, address, "", &refusal, error);
}

static int connect_inet(struct supervisor *supervisor, const struct attempt *attempt, int socket,
                        const struct socket_address *address) {
    const struct plan *plan = &supervisor->sandbox->plan;
    struct host endpoint;
    if (endpoint_of(address, &endpoint) == 0) {
        /* Of datagrams the host would see more than the connection that was granted. */
        int granted = (plan->flags & PLAN_NETWORK_OFF) && is_granted_host(plan, &endpoint);
        int stream = number_option(socket, SO_TYPE) == TYPE_STREAM;
        if (granted && stream) return without(socket, connect_on_behalf(supervisor, attempt, socket, address, address->length));
        int asking = connect_to_server(supervisor, attempt, socket, address, &endpoint, stream);
        if (asking) return without(socket, asking);
        int is_left = stream ? leave_to_answer(supervisor, attempt, address, &endpoint)
                             : (plan->flags & PLAN_NETWORK_OFF) && leave_datagrams_to_answer(supervisor, attempt, socket, address, &endpoint);
        if (is_left) return without(socket, ANSWERED);
        int error = judge_inet(supervisor, attempt, &endpoint, stream);
        if (error) return error;
    }
    return connect_in_place(supervisor, attempt, socket, -1, address, address->length);
}

/* Netlink above all: only to the kernel, as our rights may be wider than the task's. */
static int connect_other(struct supervisor *supervisor, const struct attempt *attempt, int socket,
                         const struct socket_address *address) {
    static const char kernel[ADDRESS_BYTES_MAX - 2];
    if (memcmp(address->unix_path, kernel, address->length - 2) != 0) return EPERM;
    return connect_in_place(supervisor, attempt, socket, -1, address, address->length);
}

static int judge_socket(struct supervisor *supervisor, const struct attempt *attempt, int socket) {
    struct socket_address address;
    int domain = number_option(socket, SO_DOMAIN);
    if (domain < 0) return -domain;
    if ((int)attempt->length < 2 || (int)attempt->length > ADDRESS_BYTES_MAX) return EINVAL;
    if (read_address(attempt, &address) != 0) return EFAULT;
    if (!is_held(supervisor, attempt->id)) return EINTR;
    if (domain == FAMILY_UNIX) return connect_unix(supervisor, attempt, socket, &address);
    if (domain == FAMILY_INET || domain == FAMILY_INET6) return connect_inet(supervisor, attempt, socket, &address);
    return connect_other(supervisor, attempt, socket, &address);
}

/* The very file that was shown, by whatever name it may be had. */
static int connect_to_file(struct supervisor *supervisor, const struct attempt *attempt, int socket, const struct spot *file) {
    struct socket_address address = {.family = FAMILY_UNIX};
    int target = (int)open_as_shown(&supervisor->sandbox->plan, file);
    if (target < 0) return -target;
    char *end = put_number(put_text(address.unix_path, "/proc/self/fd/"), (unsigned long)target);
    return connect_in_place(supervisor, attempt, socket, target, &address, (size_t)(end - (char *)&address) + 1);
}

/* Datagrams leave the task's own socket to us, which is closed here. */
static int connect_to_host(struct supervisor *supervisor, const struct attempt *attempt, int socket, const struct socket_address *address) {
    int is_stream = number_option(socket, SO_TYPE) == TYPE_STREAM;
    return is_stream ? connect_on_behalf(supervisor, attempt, socket, address, address->length) : relay_datagrams(supervisor, attempt, socket, address);
}

/* The same socket as when it was asked about, whatever the task has done to its descriptors since. */
static int connect_as_shown(struct supervisor *supervisor, const struct attempt *attempt, const struct deed *deed) {
    int socket = borrow_socket(attempt), error = EBADF;
    if (socket < 0) return -socket;
    if (inode_of(socket) == deed->socket_inode && is_held(supervisor, attempt->id))
        error = deed->at.path[0] ? connect_to_file(supervisor, attempt, socket, &deed->at)
                                 : without(socket, connect_to_host(supervisor, attempt, socket, &deed->peer));
    if (error != ANSWERED) sys(close, socket);
    return error;
}

/* A host by the name that was given: "example.org:443" goes to `said`. */
static int grant_of_name(const struct deed *deed, char said[SAID_TEXT_BYTES]) {
    struct host endpoint;
    const char *name = endpoint_of(&deed->peer, &endpoint) == 0 ? name_at(&endpoint) : 0;
    if (!name) return -1;
    put_number(put_text(put_text(said, name), ":"), endpoint.port);
    return grant_named(GRANT_HOST, name);
}

int connect_within_grants(struct supervisor *supervisor, struct attempt *attempt, const struct deed *deed) {
    char said[SAID_TEXT_BYTES];
    int by_path = deed->at.path[0] != 0;
    attempt->grant = grant_named(by_path ? GRANT_SOCKET : GRANT_HOST, by_path ? deed->at.path : deed->text);
    attempt->said = deed->text;
    if (attempt->grant < 0 && !by_path) {
        attempt->grant = grant_of_name(deed, said);
        attempt->said = said;
    }
    if (attempt->grant < 0) return 0;
    int error = connect_as_shown(supervisor, attempt, deed);
    if (error == ANSWERED) return 1;
    tell_connected(supervisor, attempt->number, attempt->grant, attempt->said, error);
    answer_call(supervisor, attempt->id, error);
    return 1;
}

int judge_connect(struct supervisor *supervisor, const struct attempt *attempt) {
    int socket = borrow_socket(attempt);
    if (socket < 0) return -socket;
    int error = judge_socket(supervisor, attempt, socket);
    if (error != ANSWERED) sys(close, socket);
    return error;
}

/* Returns 0 where nothing can be said of it. From a socket that we have exchanged nothing reaches the sandbox's own loopback. */
static int judge_datagram(struct supervisor *supervisor, const struct attempt *attempt, const struct socket_address *address,
                          const struct host *endpoint) {
    int socket = borrow_socket(attempt), answer = 0;
    if (socket < 0) return 0;
    if (!is_held(supervisor, attempt->id)) answer = EINTR;
    else if (has_datagram_relay(socket, endpoint)) answer = LET_PASS;
    else if (leave_datagrams_to_answer(supervisor, attempt, socket, address, endpoint)) answer = ANSWERED;
    else if (is_local(endpoint) && has_datagram_relay(socket, 0)) answer = ENETUNREACH;
    sys(close, socket);
    return answer;
}

/* Unix sockets that could be sent to by address do not exist inside. */
int judge_send(struct supervisor *supervisor, const struct attempt *attempt) {
    struct socket_address address;
    struct host endpoint;
    char server[ADDRESS_TEXT_BYTES];
    if (read_address(attempt, &address) != 0 || endpoint_of(&address, &endpoint) != 0) return 0;
    int off = (supervisor->sandbox->plan.flags & PLAN_NETWORK_OFF) != 0;
    put_endpoint(server, &endpoint);
    int answer = off && endpoint.port == NAME_SERVER_PORT ? listen_to_sender(supervisor, attempt, &address, server) : 0;
    if (!answer && off && takes_calls_over(supervisor)) answer = judge_datagram(supervisor, attempt, &address, &endpoint);
    return answer == LET_PASS ? 0 : answer ? answer : judge_inet(supervisor, attempt, &endpoint, 0);
}

/* That it serves something is told once: from then on somebody looks what. */
void note_listen(struct supervisor *supervisor, const struct attempt *attempt) {
    int socket = borrow_socket(attempt);
    if (socket < 0) return;
    int family = number_option(socket, SO_DOMAIN);
    struct refusal listening = {OP_LISTENS, BY_NETWORK, 0, attempt->pid, 1, 0, attempt->syscall, "", ""};
    if (family == FAMILY_INET || family == FAMILY_INET6) report_refusal(&supervisor->tally, &listening);
    remember_own(attempt->pid, socket);
    sys(close, socket);
}

int judge_bind(struct supervisor *supervisor, const struct attempt *attempt) {
    static struct place place;
    struct socket_address address;
    if (read_address(attempt, &address) != 0 || address.family != FAMILY_UNIX || address.length <= 2) return 0;
    size_t length = address.length - 2 > UNIX_PATH_MAX_BYTES ? UNIX_PATH_MAX_BYTES : address.length - 2;
    address.unix_path[length] = 0;
    if (!address.unix_path[0]) return 0;
    resolve_text(supervisor, attempt->pid, AT_FDCWD, address.unix_path, 0, 1, &place);
    if (is_unresolved(&place)) return EACCES; /* it could be a protected name */
    int guarded = place.found == 0 && !place.certainly_allowed && !place.exists &&
                  is_guarded_name(&supervisor->sandbox->plan, place.path);
    int error = guarded ? EACCES : refusal_of_entry(supervisor, &place, 0);
    if (!error) return 0;
    const __u64 args[] = {(uint32_t)attempt->fd};
    struct refused_call call = {
        attempt->id,
        {__NR_bind, attempt->pid, args, &place, 0},
        {OP_BIND, guarded ? BY_SECCOMP : BY_MOUNT, error, attempt->pid, 1, 0, attempt->syscall, place.path, ""},
        host_lets_change_entry,
        0,
    };
    if (take_over(supervisor, &call)) return ANSWERED;
    call.refusal.host_allows = host_lets_change_entry(supervisor, &place);
    report_refusal(&supervisor->tally, &call.refusal);
    return guarded ? EACCES : 0;
}
