/*
 * The limit: what a careful C program needs for the same work, and the printer whose lines everybody reads.
 *
 * Every contestant is called in the same way and answers with one line of JSON (see terminal_programs/protocol.py):
 *
 *   reader stream pty|raw|pipe COMMAND      read all that `bash -c COMMAND` prints
 *   reader roundtrip SAMPLES                write `echo hi` to a live shell, until `hi` has been read
 *   reader many COUNT LINES COMMAND GATE    COUNT terminals at once; when each has printed a line, let GATE go, until
 *                                           each has printed LINES lines more; then kill them
 *   reader tick LINES INTERVAL_MS GATE      print a line, wait for GATE, print a line every INTERVAL_MS; stay until
 *                                           killed
 *
 * GATE is a file that whoever opens the terminals keeps locked (flock) until all of them are there: the load is the same
 * however long somebody takes to start them.
 *
 * It keeps nothing of what it reads and looks at it only where the question demands it. Linux only: epoll, ptmx.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum { ROWS = 24, COLUMNS = 80 };     /* as every contestant's terminal */
enum { CHUNK_BYTES = 1 << 16 };       /* one read at most */
enum { MAX_TERMINALS = 4096 };
enum { WARM_SAMPLES = 10 };           /* round trips that are not counted, as in protocol.py */
enum { MAX_SAMPLES = 10000 };
enum { SEEN_BYTES = 1 << 16 };        /* output kept while one round trip is waited for */
enum { WAIT_MS = 10000 };             /* no single wait is longer */

static char chunk[CHUNK_BYTES];

static double clock_s(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double wall_s(void) { return clock_s(CLOCK_MONOTONIC); }
static double cpu_s(void) { return clock_s(CLOCK_PROCESS_CPUTIME_ID); }

static void fail(const char *what)
{
    fprintf(stderr, "reader: %s: %s\n", what, strerror(errno));
    exit(1);
}

/* One field of /proc/self/status, in kB. */
static long status_kb(const char *name)
{
    FILE *status = fopen("/proc/self/status", "r");
    char line[256];
    long kb = 0;
    if (status == NULL)
        return 0;
    while (fgets(line, sizeof line, status) != NULL)
        if (strncmp(line, name, strlen(name)) == 0)
            kb = strtol(line + strlen(name) + 1, NULL, 10);
    fclose(status);
    return kb;
}

/* From here on the peak of memory counts anew (proc(5), clear_refs). */
static long memory_from_here_kb(void)
{
    int fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
    if (fd >= 0) {
        if (write(fd, "5", 1) != 1)
            fail("clear_refs");
        close(fd);
    }
    return status_kb("VmRSS");
}

static void exec_in_terminal(int fd, int raw, char *const argv[])
{
    struct winsize size = {.ws_row = ROWS, .ws_col = COLUMNS};
    struct termios modes;
    setsid();
    if (ioctl(fd, TIOCSCTTY, 0) < 0)
        _exit(126);
    ioctl(fd, TIOCSWINSZ, &size);
    if (raw && tcgetattr(fd, &modes) == 0) {
        modes.c_oflag &= ~(tcflag_t)OPOST;
        tcsetattr(fd, TCSANOW, &modes);
    }
    for (int standard = 0; standard < 3; standard++)
        dup2(fd, standard);
    execvp(argv[0], argv);
    _exit(127);
}

static int open_terminal(int raw, char *const argv[], pid_t *pid)
{
    char name[128];
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (master < 0 || grantpt(master) < 0 || unlockpt(master) < 0 || ptsname_r(master, name, sizeof name) != 0)
        fail("no terminal");
    /* Opened on this side of the fork: a terminal that nobody has open reads as ended. */
    int child_end = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    *pid = fork();
    if (*pid < 0 || child_end < 0)
        fail("no terminal");
    if (*pid == 0)
        exec_in_terminal(child_end, raw, argv);
    close(child_end);
    return master;
}

static int open_pipe(char *const argv[], pid_t *pid)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        fail("pipe");
    *pid = fork();
    if (*pid < 0)
        fail("fork");
    if (*pid == 0) {
        dup2(ends[1], 1);
        execvp(argv[0], argv);
        _exit(127);
    }
    close(ends[1]);
    return ends[0];
}

static int stream(const char *mode, char *command)
{
    char *argv[] = {"bash", "-c", command, NULL};
    long before = memory_from_here_kb();
    double start = wall_s(), cpu = cpu_s();
    long long bytes = 0;
    pid_t pid;
    int fd = strcmp(mode, "pipe") == 0 ? open_pipe(argv, &pid) : open_terminal(strcmp(mode, "raw") == 0, argv, &pid);
    ssize_t got;
    while ((got = read(fd, chunk, sizeof chunk)) > 0 || (got < 0 && errno == EINTR))
        bytes += got > 0 ? got : 0;
    waitpid(pid, NULL, 0);
    printf("{\"seconds\": %.6f, \"bytes\": %lld, \"cpu_s\": %.6f, \"growth_mb\": %.3f, \"peak_mb\": %.3f}\n",
           wall_s() - start, bytes, cpu_s() - cpu, (double)(status_kb("VmHWM") - before) / 1024,
           (double)status_kb("VmHWM") / 1024);
    return 0;
}

static char seen[SEEN_BYTES + 1];
static size_t seen_bytes;

/* Read until `text` has appeared since `seen` was last emptied. */
static void await_text(int fd, const char *text)
{
    while (memmem(seen, seen_bytes, text, strlen(text)) == NULL) {
        struct pollfd waited = {.fd = fd, .events = POLLIN};
        if (poll(&waited, 1, WAIT_MS) <= 0)
            fail("no answer from the shell");
        ssize_t got = read(fd, seen + seen_bytes, SEEN_BYTES - seen_bytes);
        if (got <= 0)
            fail("the shell ended");
        seen_bytes += (size_t)got;
    }
}

static int roundtrip(int samples)
{
    char *argv[] = {"env", "TERM=dumb", "PS1=$ ", "bash", "--norc", "--noprofile", "-i", NULL};
    static double taken_ms[MAX_SAMPLES];
    pid_t pid;
    double cpu = 0;
    int fd = open_terminal(0, argv, &pid);
    await_text(fd, "$ ");
    for (int sample = -WARM_SAMPLES; sample < samples && sample < MAX_SAMPLES; sample++) {
        if (sample == 0)
            cpu = cpu_s();
        seen_bytes = 0;
        double start = wall_s();
        if (write(fd, "echo hi\n", 8) != 8)
            fail("write");
        await_text(fd, "\nhi\r\n"); /* the echo of what was typed ends in the same letters */
        if (sample >= 0)
            taken_ms[sample] = (wall_s() - start) * 1000;
        await_text(fd, "\nhi\r\n$ ");
    }
    printf("{\"cpu_s\": %.6f, \"peak_mb\": %.3f, \"samples_ms\": [", cpu_s() - cpu, (double)status_kb("VmHWM") / 1024);
    for (int sample = 0; sample < samples && sample < MAX_SAMPLES; sample++)
        printf("%s%.4f", sample ? ", " : "", taken_ms[sample]);
    printf("]}\n");
    kill(pid, SIGKILL);
    close(fd);
    waitpid(pid, NULL, 0);
    return 0;
}

static int masters[MAX_TERMINALS];
static pid_t pids[MAX_TERMINALS];
static long printed[MAX_TERMINALS];

static long count_lines(const char *text, size_t bytes)
{
    long lines = 0;
    for (const char *at = text; (at = memchr(at, '\n', bytes - (size_t)(at - text))) != NULL; at++)
        lines++;
    return lines;
}

/* Read from all terminals until each has printed `wanted` lines in all. */
static void gather(int poller, int count, long wanted, double until)
{
    struct epoll_event ready[256];
    int unfinished = count;
    while (unfinished > 0 && wall_s() < until) {
        int events = epoll_wait(poller, ready, 256, 1000);
        for (int event = 0; event < events; event++) {
            unsigned terminal = ready[event].data.u32;
            ssize_t got = read(masters[terminal], chunk, sizeof chunk);
            long before = printed[terminal];
            if (got <= 0) { /* ended early: seen in the number of lines */
                epoll_ctl(poller, EPOLL_CTL_DEL, masters[terminal], NULL);
                unfinished--;
                continue;
            }
            printed[terminal] += count_lines(chunk, (size_t)got);
            unfinished -= before < wanted && printed[terminal] >= wanted;
        }
    }
}

static int many(int count, long wanted, char *command, const char *gate)
{
    char *argv[] = {"bash", "-c", command, NULL};
    int held = open(gate, O_RDWR | O_CLOEXEC);
    if (held < 0 || flock(held, LOCK_EX) < 0)
        fail(gate);
    memory_from_here_kb();
    double start = wall_s(), cpu = cpu_s();
    int poller = epoll_create1(EPOLL_CLOEXEC);
    for (int terminal = 0; terminal < count && terminal < MAX_TERMINALS; terminal++) {
        struct epoll_event watched = {.events = EPOLLIN, .data.u32 = (unsigned)terminal};
        masters[terminal] = open_terminal(0, argv, &pids[terminal]);
        epoll_ctl(poller, EPOLL_CTL_ADD, masters[terminal], &watched);
    }
    gather(poller, count, 1, start + 120);
    double started = wall_s() - start, starting = cpu_s() - cpu;
    start = wall_s(), cpu = cpu_s();
    flock(held, LOCK_UN);
    gather(poller, count, wanted + 1, start + 120);
    double seconds = wall_s() - start, used = cpu_s() - cpu, peak = (double)status_kb("VmHWM") / 1024;
    long lines = 0;
    double closing = wall_s();
    for (int terminal = 0; terminal < count; terminal++) {
        lines += printed[terminal];
        kill(-pids[terminal], SIGKILL);
        close(masters[terminal]);
    }
    while (waitpid(-1, NULL, 0) > 0)
        continue;
    printf("{\"start_s\": %.6f, \"start_cpu_s\": %.6f, \"seconds\": %.6f, \"cpu_s\": %.6f, \"peak_mb\": %.3f, "
           "\"lines\": %ld, \"close_s\": %.6f}\n",
           started, starting, seconds, used, peak, lines - count, wall_s() - closing);
    return 0;
}

static void tick_line(long number)
{
    char line[64];
    int bytes = snprintf(line, sizeof line, "line %06ld of a live terminal\n", number);
    if (write(1, line, (size_t)bytes) != bytes)
        exit(1);
}

static void tick(long lines, long interval_ms, const char *gate)
{
    struct timespec next;
    int waited = open(gate, O_RDONLY);
    tick_line(0);
    if (waited < 0 || flock(waited, LOCK_SH) < 0)
        fail(gate);
    /* Not all at the same moment: nobody's terminals do that. */
    unsigned phase = 0;
    if (getrandom(&phase, sizeof phase, 0) != sizeof phase)
        fail("getrandom");
    clock_gettime(CLOCK_MONOTONIC, &next);
    next.tv_nsec += (long)(phase % (unsigned)(interval_ms * 1000000));
    for (long number = 1; number <= lines; number++) {
        next.tv_sec += next.tv_nsec / 1000000000;
        next.tv_nsec %= 1000000000;
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
        tick_line(number);
        next.tv_nsec += interval_ms * 1000000;
    }
    for (;;)
        pause();
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "stream") == 0)
        return stream(argv[2], argv[3]);
    if (argc == 3 && strcmp(argv[1], "roundtrip") == 0)
        return roundtrip(atoi(argv[2]));
    if (argc == 6 && strcmp(argv[1], "many") == 0)
        return many(atoi(argv[2]), atol(argv[3]), argv[4], argv[5]);
    if (argc == 5 && strcmp(argv[1], "tick") == 0)
        tick(atol(argv[2]), atol(argv[3]), argv[4]);
    fprintf(stderr, "usage: reader stream|roundtrip|many|tick ...\n");
    return 2;
}
