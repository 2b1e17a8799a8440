/* Sockets that reach nobody but us, though they have the address of a name server or a host at their other end. */
#ifndef SANDGATE_RESOLVER_SOCKETS_H
#define SANDGATE_RESOLVER_SOCKETS_H

#include "endpoints.h"
#include "sandbox.h"

enum socket_end { END_OF_TASK, END_OF_OURS, SOCKET_ENDS };

enum resolver_kind { RESOLVER_SENDS /* datagrams, by address */, RESOLVER_SENDS_MORE /* the same, from an end that it was given before */, RESOLVER_ASKS /* over connected datagrams */, RESOLVER_STREAMS };

/* The task's end is like `original`: of its family and, where it sends by address, with its port
 * if that can be had, and with RESOLVER_SENDS_MORE `original` itself. `asked` is the server's address as the task has it. False when they cannot be had. */
int make_resolver_ends(struct sandbox *sandbox, enum resolver_kind kind, int original, const struct socket_address *asked,
                       int ends[SOCKET_ENDS]);

#endif
