/* Datagrams between a command's socket and a host, relayed while the network is off. */
#ifndef SANDGATE_DATAGRAMS_H
#define SANDGATE_DATAGRAMS_H

#include "connects.h"
#include "plan.h"

enum { DATAGRAM_RELAYS_MAX = 64 /* of a socket with a host, at one time; for one more the one that was silent longest goes */ };
enum { DATAGRAM_POLLS_MAX = 2 * DATAGRAM_RELAYS_MAX };

int is_udp(int socket);
/* Could be a host that a yes helps to: no port 0, no group, everybody, or address that takes an interface to say which. */
int takes_relayed_datagrams(const struct host *endpoint);

/* The socket is one of ours already; `endpoint` null: with any host. */
int has_datagram_relay(int socket, const struct host *endpoint);
/* From now on `original`, or what takes its place, has `address` at its other end. Returns ANSWERED when the call was
 * answered, else the errno for it. */
int relay_datagrams(struct supervisor *supervisor, const struct attempt *attempt, int original, const struct socket_address *address);

unsigned int datagrams_watch(struct pollfd watched[DATAGRAM_POLLS_MAX]);
void datagrams_settle(void);
/* The command is over: what it has sent still goes out. */
void datagrams_flush(void);

#endif
