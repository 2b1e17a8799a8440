/* Reads /proc/<pid>/net/{tcp,tcp6,udp,udp6,unix} (proc(5)): a server on the host that the sandbox cannot reach is a
 * denial, a port where nobody listens is not. */
#include <linux/time_types.h>

#include "listeners.h"

enum { LINE_BYTES_MAX = 512, CHUNK_BYTES = 8192, LISTED_BYTES_MAX = 1 << 20, PORTS = 1 << 16, MONOTONIC = 1 };
/* The kernel goes through a table of all connections for each look, some 10 ms: a command that tries all ports must not
 * wait for one each time, and one that goes on for hours stops making the host look. */
enum { HOST_PORTS_KEPT_MS = 1000, HOST_LOOKS_MAX = 1000 };

typedef int line_test(const char *line, const void *wanted);

static long open_list(int pid, const char *name) {
    char path[64], *end = put_text(path, "/proc/");
    end = pid ? put_number(end, (unsigned long)pid) : put_text(end, "self");
    put_text(put_text(end, "/net/"), name);
    return sys(openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
}

/* True when some line passes the test. A machine with more lines than we read gets the benefit of the doubt. */
static int any_line(int pid, const char *name, line_test *passes, const void *wanted) {
    static char chunk[CHUNK_BYTES], line[LINE_BYTES_MAX];
    long fd = open_list(pid, name), length, total = 0;
    size_t used = 0;
    int found = 0;
    if (fd < 0) return 0;
    while (!found && total < LISTED_BYTES_MAX && (length = sys(read, fd, chunk, sizeof chunk)) > 0) {
        total += length;
        for (long i = 0; i < length && !found; i++) {
            if (chunk[i] != '\n') {
                if (used < sizeof line - 1) line[used++] = chunk[i];
                continue;
            }
            line[used] = 0;
            used = 0;
            found = passes(line, wanted);
        }
    }
    sys(close, fd);
    return found;
}

static const char *next_field(const char *at) {
    while (*at && *at != ' ') at++;
    while (*at == ' ') at++;
    return at;
}

/* States in the lists: a stream that listens, and a datagram socket that takes from everybody. */
static const char LISTENS = 'A', TAKES = '7';

/* "  0: 0100007F:1F90 00000000:0000 0A ...": the local port in hexadecimal, and the state, here LISTEN. -1: another. */
static int port_in_state(const char *line, char wanted) {
    while (*line == ' ') line++;
    const char *local = next_field(line), *state = next_field(next_field(local));
    if (state[0] != '0' || state[1] != wanted) return -1;
    while (*local && *local != ':' && *local != ' ') local++;
    if (*local != ':') return -1;
    int value = 0;
    for (int i = 1; i <= 4 && local[i] > ' '; i++) {
        char digit = local[i];
        value = value << 4 | (digit <= '9' ? digit - '0' : digit - 'A' + 10);
    }
    return value & (PORTS - 1);
}

static int is_listener(const char *line, const void *wanted) {
    return port_in_state(line, LISTENS) == *(const uint16_t *)wanted;
}

static int is_taker(const char *line, const void *wanted) {
    return port_in_state(line, TAKES) == *(const uint16_t *)wanted;
}

int listens_on_port(int pid, uint16_t port) {
    return any_line(pid, "tcp", is_listener, &port) || any_line(pid, "tcp6", is_listener, &port);
}

int takes_datagrams(int pid, uint16_t port) {
    return any_line(pid, "udp", is_taker, &port) || any_line(pid, "udp6", is_taker, &port);
}

static uint8_t host_ports[PORTS / 8], host_datagram_ports[PORTS / 8];

static void note(uint8_t ports[PORTS / 8], int port) {
    if (port >= 0) ports[port / 8] |= (uint8_t)(1 << port % 8);
}

/* Both pass over every line. */
static int note_host_port(const char *line, const void *unused) {
    (void)unused;
    note(host_ports, port_in_state(line, LISTENS));
    return 0;
}

static int note_host_datagram_port(const char *line, const void *unused) {
    (void)unused;
    note(host_datagram_ports, port_in_state(line, TAKES));
    return 0;
}

static long now_ms(void) {
    struct __kernel_timespec now = {0, 0};
    sys(clock_gettime, MONOTONIC, &now);
    return (long)(now.tv_sec * 1000 + now.tv_nsec / 1000000);
}

static void look_at_host(void) {
    static long looked_ms;
    static unsigned int looks;
    long now = now_ms();
    if (looks && now - looked_ms < HOST_PORTS_KEPT_MS) return;
    memset(host_ports, 0, sizeof host_ports);
    memset(host_datagram_ports, 0, sizeof host_datagram_ports);
    if (looks == HOST_LOOKS_MAX) return;
    looks++;
    any_line(0, "tcp", note_host_port, 0);
    any_line(0, "tcp6", note_host_port, 0);
    any_line(0, "udp", note_host_datagram_port, 0);
    any_line(0, "udp6", note_host_datagram_port, 0);
    looked_ms = now_ms();
}

int host_listens_on_port(uint16_t port) {
    look_at_host();
    return host_ports[port / 8] >> port % 8 & 1;
}

int host_takes_datagrams(uint16_t port) {
    look_at_host();
    return host_datagram_ports[port / 8] >> port % 8 & 1;
}

/* The name is the last field of its line. */
static int ends_with_name(const char *line, const void *wanted) {
    const char *last = line;
    for (; *line; line++)
        if (*line == ' ') last = line + 1;
    return same_text(last, wanted);
}

int has_unix_name(int pid, const char *name) { return any_line(pid, "unix", ends_with_name, name); }
