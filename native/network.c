/* Judges connections: unix(7), ip(7), ipv6(7).
 *
 * With the network off the sandbox has an empty network namespace, which is the boundary. What is refused here gets
 * EPERM, so that programs fail at once instead of trying the next address, and a record with the address. */
#include <linux/in.h>
#include <linux/in6.h>

#include "hosts.h"
#include "listeners.h"
#include "network.h"

enum { FAMILY_UNIX = 1, FAMILY_INET = 2, FAMILY_INET6 = 10, UNIX_PATH_MAX_BYTES = 108, ADDRESS_TEXT_BYTES = 160 };

/* As it lies in memory: the family, then a form of its own for each family, without gaps. */
struct socket_address {
    uint16_t family;
    union {
        char unix_path[126];
        struct {
            uint16_t port;
            uint8_t address[4];
        } __attribute__((packed)) inet;
        struct {
            uint16_t port;
            uint32_t flow;
            uint8_t address[16];
            uint32_t scope;
        } __attribute__((packed)) inet6;
    } __attribute__((packed));
    size_t length;
};

static int read_address(const struct attempt *attempt, struct socket_address *address) {
    memset(address, 0, sizeof *address);
    size_t count = attempt->length < 128 ? (size_t)attempt->length : 128;
    char bytes[128];
    if (count < 2 || read_memory(attempt->pid, attempt->address, bytes, count) != (long)count) return -1;
    memcpy(address, bytes, count);
    address->length = count;
    return 0;
}

static uint16_t swapped(uint16_t value) { return (uint16_t)(value << 8 | value >> 8); }

static char *put_hex(char *at, unsigned int value) {
    static const char digits[] = "0123456789abcdef";
    for (int shift = 12, seen = 0; shift >= 0; shift -= 4) {
        seen |= (int)(value >> shift & 15);
        if (seen || shift == 0) *at++ = digits[value >> shift & 15];
    }
    *at = 0;
    return at;
}

static char *put_inet(char *at, const uint8_t address[4]) {
    for (int i = 0; i < 4; i++) {
        at = put_number(at, address[i]);
        if (i < 3) *at++ = '.';
    }
    return at;
}

/* RFC 5952: the first longest run of zero groups becomes "::". */
static char *put_inet6(char *at, const uint8_t address[16]) {
    int groups[8], best = -1, best_length = 1;
    for (int i = 0; i < 8; i++) groups[i] = address[2 * i] << 8 | address[2 * i + 1];
    for (int i = 0; i < 8; i++) {
        int length = 0;
        while (i + length < 8 && groups[i + length] == 0) length++;
        if (length > best_length) best = i, best_length = length;
        if (length) i += length - 1;
    }
    for (int i = 0; i < 8; i++) {
        if (i == best) {
            at = put_text(at, "::");
            i += best_length - 1;
            continue;
        }
        if (i && at[-1] != ':') *at++ = ':';
        at = put_hex(at, (unsigned int)groups[i]);
    }
    *at = 0;
    return at;
}

static int is_mapped(const uint8_t address[16]) {
    static const uint8_t prefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    return memcmp(address, prefix, sizeof prefix) == 0;
}

/* The endpoint in one form: a mapped IPv6 address is the IPv4 address it stands for. */
static int endpoint_of(const struct socket_address *address, struct host *endpoint) {
    memset(endpoint, 0, sizeof *endpoint);
    if (address->family == FAMILY_INET && address->length >= 8) {
        endpoint->family = FAMILY_INET;
        endpoint->port = swapped(address->inet.port);
        memcpy(endpoint->address, address->inet.address, 4);
        return 0;
    }
    if (address->family != FAMILY_INET6 || address->length < 24) return -1;
    int mapped = is_mapped(address->inet6.address);
    endpoint->family = mapped ? FAMILY_INET : FAMILY_INET6;
    endpoint->port = swapped(address->inet6.port);
    memcpy(endpoint->address, address->inet6.address + (mapped ? 12 : 0), mapped ? 4 : 16);
    return 0;
}

static int is_local(const struct host *endpoint) {
    static const uint8_t nowhere[15];
    if (endpoint->family == FAMILY_INET) return endpoint->address[0] == 127 || memcmp(endpoint->address, nowhere, 4) == 0;
    return memcmp(endpoint->address, nowhere, 15) == 0 && endpoint->address[15] <= 1;
}

static void put_endpoint(char *at, const struct host *endpoint) {
    if (endpoint->family == FAMILY_INET) {
        at = put_inet(at, endpoint->address);
    } else {
        at = put_text(at, "[");
        at = put_inet6(at, endpoint->address);
        at = put_text(at, "]");
    }
    put_number(put_text(at, ":"), endpoint->port);
}

static void tell(struct supervisor *supervisor, const struct attempt *attempt, enum refusing_layer layer, int error,
                 int host_allows, const char *address) {
    struct refusal refusal = {OP_CONNECT, layer, error, attempt->pid, host_allows, attempt->syscall, "", address};
    report_refusal(&supervisor->tally, &refusal);
}

static int judge_inet(struct supervisor *supervisor, const struct attempt *attempt, const struct host *endpoint) {
    char text[ADDRESS_TEXT_BYTES];
    if (!(supervisor->sandbox->plan.flags & PLAN_NETWORK_OFF)) return 0;
    put_endpoint(text, endpoint);
    if (!is_local(endpoint)) {
        tell(supervisor, attempt, BY_NETWORK, EPERM, 1, text);
        return EPERM;
    }
    /* Programs may serve and call each other on the sandbox's own loopback. Only who looks for a server that is there
     * on the host and not inside has been kept from something. */
    if (listens_on_port(0, endpoint->port) && !listens_on_port(attempt->pid, endpoint->port))
        tell(supervisor, attempt, BY_NETWORK, ECONNREFUSED, 1, text);
    return 0;
}

static int judge_abstract(struct supervisor *supervisor, const struct attempt *attempt, const char *name, size_t length) {
    char text[ADDRESS_TEXT_BYTES] = "unix:@";
    memcpy(text + 6, name, length);
    for (size_t i = 0; i < length; i++)
        if (text[6 + i] == 0) text[6 + i] = '@'; /* as the kernel lists such names */
    text[6 + length] = 0;
    if (!has_unix_name(0, text + 5)) return 0;
    int own_network = (supervisor->sandbox->layers & LAYER_NET) != 0;
    if (own_network && has_unix_name(attempt->pid, text + 5)) return 0;
    if (own_network) tell(supervisor, attempt, BY_NETWORK, ECONNREFUSED, 1, text);
    return 0;
}

static int is_granted_socket(const struct plan *plan, const char *path) {
    for (uint32_t i = 0; i < plan->sockets.count; i++)
        if (same_text(plan->sockets.items[i], path)) return 1;
    return 0;
}

static int judge_path(struct supervisor *supervisor, const struct attempt *attempt, const char *path) {
    static struct place place;
    const struct plan *plan = &supervisor->sandbox->plan;
    resolve_text(supervisor, attempt->pid, AT_FDCWD, path, 1, 0, &place);
    if (place.certainly_allowed || place.found != 0 || !place.exists || (place.mode & 0170000) != 0140000) return 0;
    if (is_granted_socket(plan, place.path) || is_writable(plan, place.path)) return 0;
    char text[PATH_BYTES_MAX + 8];
    put_text(put_text(text, "unix:"), place.path);
    int hidden = is_hidden(plan, place.path);
    tell(supervisor, attempt, hidden ? BY_MOUNT : BY_SECCOMP, EACCES, host_lets_write(place.path), text);
    /* A socket that appeared since the view was built, or lies where nobody looked: a mount does not stop connect. */
    return hidden ? 0 : EACCES;
}

static int judge_unix(struct supervisor *supervisor, const struct attempt *attempt, struct socket_address *address) {
    size_t length = address->length - 2;
    if (length == 0) return 0;
    if (length > UNIX_PATH_MAX_BYTES) length = UNIX_PATH_MAX_BYTES;
    address->unix_path[length] = 0;
    if (address->unix_path[0]) return judge_path(supervisor, attempt, address->unix_path);
    return judge_abstract(supervisor, attempt, address->unix_path + 1, length - 1);
}

int judge_connect(struct supervisor *supervisor, const struct attempt *attempt, int is_connect) {
    struct socket_address address;
    struct host endpoint;
    if (read_address(attempt, &address) != 0) return 0;
    if (address.family == FAMILY_UNIX) return judge_unix(supervisor, attempt, &address);
    if (endpoint_of(&address, &endpoint) != 0) return 0;
    /* Datagrams without a connection cannot be sent for somebody else: the answers would not arrive. */
    if (!is_connect || !is_granted_host(&supervisor->sandbox->plan, &endpoint))
        return judge_inet(supervisor, attempt, &endpoint);
    int error = connect_on_behalf(supervisor, attempt, &address, address.length);
    return error ? error : ANSWERED;
}

int judge_bind(struct supervisor *supervisor, const struct attempt *attempt) {
    static struct place place;
    struct socket_address address;
    if (read_address(attempt, &address) != 0 || address.family != FAMILY_UNIX || address.length <= 2) return 0;
    size_t length = address.length - 2 > UNIX_PATH_MAX_BYTES ? UNIX_PATH_MAX_BYTES : address.length - 2;
    address.unix_path[length] = 0;
    if (!address.unix_path[0]) return 0;
    resolve_text(supervisor, attempt->pid, AT_FDCWD, address.unix_path, 0, 1, &place);
    int error = 0, absent = place.found == 0 && !place.certainly_allowed && is_absent_name(&supervisor->sandbox->plan, place.path);
    error = absent ? EACCES : refusal_of_entry(supervisor, &place, 0);
    if (!error) return 0;
    struct refusal refusal = {OP_BIND, absent ? BY_SECCOMP : BY_MOUNT, error, attempt->pid,
                              host_lets_change_entry(supervisor, &place), attempt->syscall, place.path, ""};
    report_refusal(&supervisor->tally, &refusal);
    return absent ? EACCES : 0;
}
