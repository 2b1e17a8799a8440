/* Addresses of sockets as they lie in memory, and as text: ip(7), ipv6(7), unix(7). */
#ifndef SANDGATE_ENDPOINTS_H
#define SANDGATE_ENDPOINTS_H

#include "plan.h"

enum { FAMILY_UNIX = 1, FAMILY_INET = 2, FAMILY_INET6 = 10 };
enum { ADDRESS_BYTES_MAX = 128 /* sizeof(struct sockaddr_storage) */, ADDRESS_TEXT_BYTES = 160 };
enum { SAID_TEXT_BYTES = 264 /* a name, which has 255 octets, and a port */ };

/* The family, then a form of its own for each family, without gaps. */
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

/* The endpoint in one form: a mapped IPv6 address is the IPv4 address it stands for. Negative for other families. */
int endpoint_of(const struct socket_address *address, struct host *endpoint);
/* The other way round. */
void put_address(struct socket_address *address, const struct host *endpoint);
/* 0.0.0.0, ::, at any port. */
int is_unspecified(const struct host *endpoint);
/* Of the loopback, in either family. */
int is_local(const struct host *endpoint);
/* "127.0.0.1:80", "[::1]:80". */
void put_endpoint(char *at, const struct host *endpoint);

#endif
