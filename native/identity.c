/* Rights for as long as a call is carried out: capabilities(7), umask(2).
 *
 * Effective capabilities are set aside and taken back; who the kernel thinks we are stays, as the command is the same
 * user. The permitted ones stay, so this costs one call each way, and nothing at all for an ordinary user. */
#include <linux/capability.h>

#include "identity.h"

enum { EVERY_BIT = 0777, STATUS_BYTES = 160 /* "Name:" at its longest, then "Umask:" */ };

static struct __user_cap_data_struct ours[2];
static enum { UNKNOWN, HAS_SOME, HAS_NONE } standing;
static uint32_t set_umask = ~0U; /* of this task, as we set it last */

static void set_effective(const struct __user_cap_data_struct wanted[2]) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    sys(capset, &header, wanted);
}

static void find_standing(void) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    long error = sys(capget, &header, ours);
    standing = error == 0 && !ours[0].effective && !ours[1].effective ? HAS_NONE : HAS_SOME;
}

void act_as_command(uint32_t umask) {
    if (standing == UNKNOWN) find_standing();
    if (umask != set_umask) sys(umask, umask);
    set_umask = umask;
    if (standing == HAS_NONE) return;
    struct __user_cap_data_struct none[2] = {ours[0], ours[1]};
    none[0].effective = none[1].effective = 0;
    set_effective(none);
}

void act_as_ourselves(void) {
    if (standing == HAS_SOME) set_effective(ours);
}

static long read_status(int pid, char text[STATUS_BYTES]) {
    static int kept = -1, kept_for;
    char path[48];
    /* Opening is half of the cost. What is kept speaks of that one task: when its number is somebody else's, it says nothing. */
    long length = kept >= 0 && kept_for == pid ? sys(pread64, kept, text, STATUS_BYTES - 1, 0) : 0;
    if (length > 0) return length;
    if (kept >= 0) sys(close, kept);
    put_text(put_number(put_text(path, "/proc/"), (unsigned long)pid), "/status");
    kept = (int)sys(openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    kept_for = pid;
    return kept < 0 ? kept : sys(pread64, kept, text, STATUS_BYTES - 1, 0);
}

uint32_t umask_of(int pid) {
    static const char label[] = "\nUmask:\t";
    char text[STATUS_BYTES];
    long length = read_status(pid, text);
    text[length > 0 ? length : 0] = 0;
    for (const char *at = text; *at; at++) {
        if (memcmp(at, label, sizeof label - 1) != 0) continue; /* reads no further than it agrees */
        uint32_t mask = 0;
        for (at += sizeof label - 1; *at >= '0' && *at <= '7'; at++) mask = mask * 8 + (uint32_t)(*at - '0');
        return mask & EVERY_BIT;
    }
    return EVERY_BIT;
}
