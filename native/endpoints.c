/* Addresses of sockets, read and written: RFC 4291, RFC 5952. */
#include "endpoints.h"

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

int endpoint_of(const struct socket_address *address, struct host *endpoint) {
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

void put_address(struct socket_address *address, const struct host *endpoint) {
    memset(address, 0, sizeof *address);
    address->family = endpoint->family;
    if (endpoint->family == FAMILY_INET) {
        address->inet.port = swapped(endpoint->port);
        memcpy(address->inet.address, endpoint->address, sizeof address->inet.address);
        address->length = 16; /* sizeof(struct sockaddr_in) */
        return;
    }
    address->inet6.port = swapped(endpoint->port);
    memcpy(address->inet6.address, endpoint->address, sizeof address->inet6.address);
    address->length = 28; /* sizeof(struct sockaddr_in6) */
}

int is_unspecified(const struct host *endpoint) {
    static const uint8_t nowhere[sizeof endpoint->address];
    return memcmp(endpoint->address, nowhere, sizeof nowhere) == 0;
}

int is_local(const struct host *endpoint) {
    static const uint8_t nowhere[15];
    if (endpoint->family == FAMILY_INET) return endpoint->address[0] == 127 || memcmp(endpoint->address, nowhere, 4) == 0;
    return memcmp(endpoint->address, nowhere, 15) == 0 && endpoint->address[15] <= 1;
}

void put_endpoint(char *at, const struct host *endpoint) {
    if (endpoint->family == FAMILY_INET) {
        at = put_inet(at, endpoint->address);
    } else {
        at = put_text(at, "[");
        at = put_inet6(at, endpoint->address);
        at = put_text(at, "]");
    }
    put_number(put_text(at, ":"), endpoint->port);
}
