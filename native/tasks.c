/* What the tasks of a sandbox have in common: the first failure counts, gates between them, where they may run. */
#include <linux/futex.h>

#include "sandbox.h"

int fail(struct sandbox *sandbox, const char *step, const char *path, long error) {
    if (!sandbox->failed_step) {
        sandbox->failed_errno = (int)-error;
        sandbox->failed_path = path;
        sandbox->failed_step = step;
    }
    return -1;
}

void open_gate(volatile uint32_t *gate) {
    *gate = 1;
    sys(futex, gate, FUTEX_WAKE, 1, 0, 0, 0);
}

void wait_at_gate(const volatile uint32_t *gate) {
    while (!*gate) sys(futex, gate, FUTEX_WAIT, 0, 0, 0, 0);
}

void go_anywhere(const struct sandbox *sandbox) {
    if (sandbox->processors_bytes) sys(sched_setaffinity, 0, sandbox->processors_bytes, sandbox->processors);
}
