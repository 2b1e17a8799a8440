/* Tasks and processes by what procfs says of them: proc_pid_status(5). */
#include "processes.h"

enum { STATUS_BYTES_MAX = 4096 /* of /proc/<tid>/status, of which the kernel writes some 1500 */ };

unsigned long status_number(int pid, const char *label, int last) {
    char path[48], text[STATUS_BYTES_MAX];
    put_text(put_number(put_text(path, "/proc/"), (unsigned long)pid), "/status");
    long fd = sys(openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    long length = sys(read, fd, text, sizeof text - 1);
    sys(close, fd);
    text[length > 0 ? length : 0] = 0;
    unsigned long number = 0;
    size_t size = strlen(label);
    for (const char *line = text; *line; line++) {
        if ((line == text || line[-1] == '\n') && memcmp(line, label, size) == 0) {
            for (const char *at = line + size; *at && *at != '\n'; at++) {
                if (*at < '0' || *at > '9') continue;
                for (number = 0; *at >= '0' && *at <= '9'; at++) number = number * 10 + (unsigned long)(*at - '0');
                if (!last || *at != '\t') return number;
            }
        }
    }
    return number;
}

int process_of(int pid) { return (int)status_number(pid, "Tgid:", 0); }

int is_alive(int process) { return sys(kill, process, 0) != -ESRCH; }
