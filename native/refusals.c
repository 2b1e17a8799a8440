/* What the filter refuses, told: seccomp_unotify(2).
 *
 * The filter hands such a call over instead of refusing it, for the record alone. Nothing here lets one continue: a call
 * that is not in the table of judged ones is always refused, and for those that are, the bits that the filter looked at
 * lie in registers, which are copied with the call. Without a supervisor left the kernel answers ENOSYS. */
#include <linux/stat.h>

#include "refusals.h"
#include "rules.h"

enum { FAMILY_BYTES_MAX = 64 };

/* Which argument is the mode of a new or changed file; -1: none that counts. */
static int mode_argument(int number, const __u64 args[]) {
    switch (number) {
        case __NR_openat: return args[2] & CREATES ? 3 : -1;
        case __NR_mknodat: case __NR_fchmodat: case __NR_fchmodat2: return 2;
        case __NR_fchmod: return 1;
#ifdef __x86_64__
        case __NR_open: return args[1] & CREATES ? 2 : -1;
        case __NR_creat: case __NR_mknod: case __NR_chmod: return 1;
#endif
        default: return -1;
    }
}

static int makes_node(int number) {
#ifdef __x86_64__
    if (number == __NR_mknod) return 1;
#endif
    return number == __NR_mknodat;
}

int has_refused_mode(int number, const __u64 args[]) {
    int at = mode_argument(number, args);
    if (at < 0) return 0;
    uint32_t mode = (uint32_t)args[at], type = mode & S_IFMT;
    return (mode & (S_ISUID | S_ISGID)) || (makes_node(number) && (type == S_IFCHR || type == S_IFBLK));
}

/* Its family and type, as numbers: put into words by sandbox/refused_calls.py. */
static void put_socket(char *at, const __u64 args[]) {
    enum { TYPE_MASK = 0xf };
    put_number(put_text(put_number(at, (uint32_t)args[0]), " "), args[1] & TYPE_MASK);
}

int refuse_call(struct supervisor *supervisor, int pid, int number, const __u64 args[]) {
    char name[24] = "#", what[FAMILY_BYTES_MAX] = "";
    int error = number == __NR_openat2 ? ENOSYS : EPERM;
    put_number(name + 1, (unsigned int)number);
    if (number == __NR_socket || number == __NR_socketpair) put_socket(what, args);
    struct refusal refusal = {OP_OTHER, BY_SECCOMP, error, pid, 1, 0, name, "", what};
    report_refusal(&supervisor->tally, &refusal);
    return error;
}

int refuse_mode(struct supervisor *supervisor, int pid, const char *name, const struct place *place) {
    struct refusal refusal = {OP_OTHER, BY_SECCOMP, EPERM, pid, 1, 0, name, place->path, ""};
    report_refusal(&supervisor->tally, &refusal);
    return EPERM;
}
