/* Takes every privilege away for good: capabilities(7), prctl(2).
 *
 * Without this, root inside would get the namespace's full capabilities back from execve and could remount the
 * view writable. */
#include <linux/capability.h>
#include <linux/prctl.h>
#include <linux/securebits.h>

#include "sandbox.h"

int drop_bounding_set(void) {
    for (int capability = 0; capability < 64; capability++) {
        long error = sys(prctl, PR_CAPBSET_DROP, capability, 0, 0, 0);
        if (error == -EINVAL) break; /* beyond the last one this kernel knows */
        if (error < 0) return (int)error;
    }
    unsigned long bits = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP | SECBIT_NO_SETUID_FIXUP_LOCKED |
                         SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED | SECBIT_KEEP_CAPS_LOCKED;
    return (int)sys(prctl, PR_SET_SECUREBITS, bits, 0, 0, 0);
}

int drop_privileges(void) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    struct __user_cap_data_struct none[2];
    memset(none, 0, sizeof none);
    long error = sys(capset, &header, none);
    if (error == 0) error = sys(prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    return (int)error;
}
