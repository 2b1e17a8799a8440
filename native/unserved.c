/* What it means that a connection to the sandbox's own loopback was refused: nobody listens there.
 *
 * Only who looks for a server that is there on the host, and not inside, has been kept from something: that is told as
 * a refusal. The port as such is noted, for who knows which command of the session serves another. The connection is
 * made first and the lists are read after: most are not refused, and reading a list takes the kernel milliseconds. */
#include <linux/poll.h>
#include <linux/time_types.h>

#include "endpoints.h"
#include "held.h"
#include "listeners.h"
#include "unserved.h"

enum { UNSERVED_MAX = 16 /* ports of its own loopback that one command sought in vain; of more nobody hears */ };

/* A connection on the loopback is made or refused before the call is over, except where the queue of the one who
 * listens is full, and on a busy machine: then the list says it. */
static int met_nobody(const struct attempt *attempt, int socket, int error, uint16_t port) {
    struct pollfd asked = {.fd = socket, .events = POLLOUT};
    struct __kernel_timespec now = {0, 0};
    if (error != EINPROGRESS) return error == ECONNREFUSED;
    if (sys(ppoll, &asked, 1, &now, 0, 8) > 0) return (asked.revents & POLLERR) != 0;
    return !listens_on_port(attempt->pid, port);
}

/* Once for each port, and not among the refusals: a command that tries all ports must not use up their room. */
static void note_port(struct supervisor *supervisor, const struct attempt *attempt, uint16_t port, const char *address) {
    static uint16_t noted[UNSERVED_MAX];
    static unsigned int count;
    for (unsigned int i = 0; i < count; i++)
        if (noted[i] == port) return;
    if (count == UNSERVED_MAX) return;
    noted[count++] = port;
    struct refusal refusal = {OP_UNSERVED, BY_NETWORK, 0, attempt->pid, 0, 0, attempt->syscall, "", address};
    report_refusal(&supervisor->tally, &refusal);
}

int note_connected(struct supervisor *supervisor, const struct attempt *attempt, int socket, int error, const void *address,
                    size_t length) {
    char text[ADDRESS_TEXT_BYTES];
    struct socket_address at;
    struct host endpoint;
    if (!(supervisor->sandbox->plan.flags & PLAN_NETWORK_OFF) || (error != ECONNREFUSED && error != EINPROGRESS)) return 0;
    memset(&at, 0, sizeof at);
    memcpy(&at, address, length < ADDRESS_BYTES_MAX ? length : ADDRESS_BYTES_MAX);
    at.length = length;
    if (endpoint_of(&at, &endpoint) != 0 || !is_local(&endpoint)) return 0;
    if (!met_nobody(attempt, socket, error, endpoint.port)) return 0;
    put_endpoint(text, &endpoint);
    struct refusal refusal = {OP_CONNECT, BY_NETWORK, ECONNREFUSED, attempt->pid, 1, 0, attempt->syscall, "", text};
    note_port(supervisor, attempt, endpoint.port, text);
    if (!host_listens_on_port(endpoint.port)) return 0;
    if (take_connection_over(supervisor, attempt, &at, "", &refusal, error)) return 1;
    report_refusal(&supervisor->tally, &refusal);
    return 0;
}
