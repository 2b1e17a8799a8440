/* The system call filter: seccomp(2) (Linux 3.17; listeners 5.0; WAIT_KILLABLE_RECV 5.19), a classic BPF program.
 *
 * Calls are found by a binary search over runs of numbers that are treated alike. Behind it stand the actions that look
 * further, and last the answers, which all share: a conditional jump reaches 255 instructions, and forward only.
 * When a filter is installed the kernel compiles it and walks it once for every call it knows: size and depth are
 * paid for by every command. */
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/fscrypt.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <linux/stat.h>

#include <asm/ioctls.h>

#include "call_groups.h"
#include "rules.h"
#include "sandbox.h"

#ifdef __x86_64__
#define NATIVE_ARCH AUDIT_ARCH_X86_64
#else
#define NATIVE_ARCH AUDIT_ARCH_AARCH64
#endif
#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

enum { NUMBERS = 512, PROGRAM_MAX = 512, X32_BIT = 0x40000000 };
enum { REACH = 255, ACTION_TARGET = -1 }; /* a jump target at or below that means an action, above it an instruction */
enum { NAMESPACES = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET };
enum { WRITE_INTENT = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | (__O_TMPFILE & ~O_DIRECTORY) };
enum { GIVE_LOCK_BACK = 8 /* LOCK_UN of flock(2) */, SET_DELEGATION = 1040 /* F_SETDELEG, Linux 6.19: a lease on a directory */ };
enum { LEVEL_TCP = 6 /* IPPROTO_TCP */ };
enum { WRITE_ACCESS = 2 /* W_OK of access(2) */ };
enum { REQUEST_OWNER_MASK = 0xff00, VERITY_ENABLE = 0x40806685 /* FS_IOC_ENABLE_VERITY, Linux 5.4 */ };
enum { PRIORITY_OF_USER = 2 /* PRIO_USER */, IO_PRIORITY_OF_USER = 3 /* IOPRIO_WHO_USER */ };
enum { ADDR_NO_RANDOMIZE_BIT = 0x0040000 };
enum { FAMILY_UNIX = 1, FAMILY_INET = 2, FAMILY_INET6 = 10, FAMILY_NETLINK = 16, TYPE_STREAM = 1, TYPE_DATAGRAM = 2, TYPE_RAW = 3, TYPE_MASK = 0xf };

struct segment {
    uint32_t first; /* number; the segment ends where the next begins */
    enum action action;
};

struct program {
    struct sock_filter code[PROGRAM_MAX];
    unsigned int length;
    short when_true[PROGRAM_MAX], when_false[PROGRAM_MAX]; /* targets, until all addresses are known */
    unsigned char action_of[NUMBERS];
    struct segment segments[NUMBERS];
    unsigned int segment_count;
    int notifies;
    int network_off, inet_inside;
    int carries_out; /* the supervisor does what the view refuses */
    int is_written; /* for these four */
};
static struct program program;

static void emit(uint16_t code, uint32_t k, uint8_t when_true, uint8_t when_false) {
    if (program.length < PROGRAM_MAX) program.code[program.length] = (struct sock_filter){code, when_true, when_false, k};
    program.length++;
}

static void load(unsigned int offset) { emit(BPF_LD | BPF_W | BPF_ABS, offset, 0, 0); }
static void load_argument(int index) { load((unsigned int)(offsetof(struct seccomp_data, args) + 8 * (unsigned)index)); }
static void load_upper_half(int index) { load((unsigned int)(offsetof(struct seccomp_data, args) + 8 * (unsigned)index + 4)); }
static void keep_bits(uint32_t mask) { emit(BPF_ALU | BPF_AND | BPF_K, mask, 0, 0); }

/* With a listener all that is plainly refused, told or watched wakes the supervisor, which tells these apart by itself
 * (refusals.c); without one, nobody is told and nothing watched. As one action they are fewer segments. */
static enum action merged(enum action action) {
    int is_about_grants = action == ACT_NOTIFY_ACCESS || action == ACT_NOTIFY_ACCESSAT || action == ACT_NOTIFY_TCP;
    if (is_about_grants && !program.carries_out) return ACT_ALLOW; /* the view alone decides */
    int wakes = action == ACT_EPERM || action == ACT_TELL_ENOSYS;
    if (program.notifies) return wakes ? ACT_NOTIFY : action;
    return action == ACT_NOTIFY ? ACT_ALLOW : action == ACT_TELL_ENOSYS ? ACT_ENOSYS : action;
}

static void branch(uint16_t test, uint32_t k, int when_true, int when_false) {
    if (program.length < PROGRAM_MAX) {
        program.when_true[program.length] = (short)when_true;
        program.when_false[program.length] = (short)when_false;
    }
    emit(BPF_JMP | BPF_K | test, k, 0, 0);
}

static int to(enum action action) { return ACTION_TARGET - (int)merged(action); }
static int skipping(unsigned int count) { return (int)(program.length + 1 + count); } /* as many instructions */
static void if_equal(uint32_t k, enum action action) { branch(BPF_JEQ, k, to(action), skipping(0)); }
static void if_any_bit(uint32_t bits, enum action action) { branch(BPF_JSET, bits, to(action), skipping(0)); }

/* The last look: one instruction less than an answer of its own, which counts where jumps reach only so far. */
static void either(uint16_t test, uint32_t k, enum action when_true, enum action when_false) {
    branch(test, k, to(when_true), to(when_false));
}

static void answer(uint32_t value) { emit(BPF_RET | BPF_K, value, 0, 0); }

static int is_plain(enum action action) {
    return action == ACT_ALLOW || action == ACT_EPERM || action == ACT_ENOSYS || action == ACT_TELL_ENOSYS || action == ACT_KILL || action == ACT_NOTIFY;
}

static void otherwise(enum action action) {
    switch (merged(action)) {
        case ACT_ALLOW: answer(SECCOMP_RET_ALLOW); break;
        case ACT_EPERM: answer(SECCOMP_RET_ERRNO | EPERM); break;
        case ACT_NOTIFY: answer(SECCOMP_RET_USER_NOTIF); break;
        case ACT_KILL: answer(SECCOMP_RET_KILL_PROCESS); break;
        default: answer(SECCOMP_RET_ERRNO | ENOSYS); break;
    }
}

/* A program that runs as somebody else would do so on the host too, long after the sandbox. */
static void no_set_id(int mode_argument) {
    load_argument(mode_argument);
    if_any_bit(S_ISUID | S_ISGID, ACT_EPERM);
}

static void notify_on_flags(int argument) {
    load_argument(argument);
    branch(BPF_JSET, CREATES, skipping(0), skipping(3)); /* otherwise the mode is whatever lies there */
    no_set_id(argument + 1);
    load_argument(argument);
    either(BPF_JSET, WRITE_INTENT, ACT_NOTIFY, ACT_ALLOW);
}

static void notify_on_write_access(int argument) {
    load_argument(argument);
    either(BPF_JSET, WRITE_ACCESS, ACT_NOTIFY, ACT_ALLOW);
}

/* A unix datagram socket can be pointed at any path by sendmsg, whose address lies in memory; a raw one is the same. */
static void unix_sockets(void) {
    load_argument(1);
    keep_bits(TYPE_MASK);
    if_equal(TYPE_DATAGRAM, ACT_EPERM);
    either(BPF_JEQ, TYPE_RAW, ACT_EPERM, ACT_ALLOW);
}

enum { UNIX_SOCKETS_LENGTH = 4 };

static void sockets(void) {
    load_argument(0);
    branch(BPF_JEQ, FAMILY_UNIX, skipping(0), skipping(UNIX_SOCKETS_LENGTH));
    unix_sockets();
    if (program.network_off && !program.inet_inside) {
        otherwise(ACT_EPERM);
        return;
    }
    branch(BPF_JEQ, FAMILY_INET, skipping(2), skipping(0));
    branch(BPF_JEQ, FAMILY_INET6, skipping(1), skipping(0));
    branch(BPF_JEQ, FAMILY_NETLINK, skipping(4), to(ACT_EPERM));
    load_argument(1);
    keep_bits(TYPE_MASK);
    if_equal(TYPE_STREAM, ACT_ALLOW);
    either(BPF_JEQ, TYPE_DATAGRAM, ACT_ALLOW, ACT_EPERM);
    load_argument(2); /* NETLINK_ROUTE is 0: interfaces and addresses of the network the command is in, to read */
    either(BPF_JEQ, 0, ACT_ALLOW, ACT_EPERM);
}

/* Typing into the terminal of whoever started us; and what changes or locks files on a descriptor that may only read:
 * fscrypt's policies and keys, fs-verity. */
static const uint32_t refused_requests[] = {
    TIOCSTI, TIOCLINUX, FS_IOC_SET_ENCRYPTION_POLICY, FS_IOC_ADD_ENCRYPTION_KEY, FS_IOC_REMOVE_ENCRYPTION_KEY,
    FS_IOC_REMOVE_ENCRYPTION_KEY_ALL_USERS, VERITY_ENABLE,
};
static const uint32_t shared_content[] = {FICLONE, FICLONERANGE, FIDEDUPERANGE};
/* All of btrfs and bcachefs: an owner's snapshot of a subvolume shows all that is hidden in it. */
static const uint32_t subvolume_requests[] = {0x9400, 0xbc00};

/* Only the low 32 bits count: the kernel takes the request as an int, so a set high half must not hide it. */
static void requests(void) {
    load_argument(1);
    for (size_t i = 0; i < sizeof refused_requests / sizeof refused_requests[0]; i++) if_equal(refused_requests[i], ACT_EPERM);
    for (size_t i = 0; i < sizeof shared_content / sizeof shared_content[0]; i++) if_equal(shared_content[i], ACT_ALLOW);
    keep_bits(REQUEST_OWNER_MASK);
    for (size_t i = 0; i < sizeof subvolume_requests / sizeof subvolume_requests[0]; i++) if_equal(subvolume_requests[i], ACT_EPERM);
    otherwise(ACT_ALLOW);
}

static void device_nodes(int mode_argument) {
    no_set_id(mode_argument);
    keep_bits(S_IFMT);
    if_equal(S_IFCHR, ACT_EPERM);
    either(BPF_JEQ, S_IFBLK, ACT_EPERM, ACT_NOTIFY);
}

/* A lease makes writers outside wait, a notification tells of others' files: nobody needs either for what is theirs. */
static void file_commands(void) {
    load_argument(1);
    if_equal(F_SETLEASE, ACT_EPERM);
    if_equal(F_NOTIFY, ACT_EPERM);
    either(BPF_JEQ, SET_DELEGATION, ACT_EPERM, ACT_ALLOW);
}

static void not_init(int argument) {
    load_argument(argument);
    either(BPF_JEQ, 1, ACT_EPERM, ACT_ALLOW);
}

static void not_user(uint32_t word) {
    load_argument(0);
    if_equal(word, ACT_EPERM);
    not_init(1);
}

static void personalities(void) {
    load_argument(0);
    if_equal(0, ACT_ALLOW);
    if_equal(ADDR_NO_RANDOMIZE_BIT, ACT_ALLOW);
    either(BPF_JEQ, 0xffffffff /* ask only */, ACT_ALLOW, ACT_EPERM);
}

/* A pointer: either half may be the one that is set. */
static void notify_on_address(int argument) {
    load_argument(argument);
    if_any_bit(0xffffffff, ACT_NOTIFY);
    load_upper_half(argument);
    either(BPF_JSET, 0xffffffff, ACT_NOTIFY, ACT_ALLOW);
}

static void mode(int argument, enum action then) {
    load_argument(argument);
    either(BPF_JSET, S_ISUID | S_ISGID, ACT_EPERM, then);
}

static void act(enum action action) {
    switch (action) {
        case ACT_ALLOW: case ACT_EPERM: case ACT_ENOSYS: case ACT_TELL_ENOSYS: case ACT_KILL: case ACT_NOTIFY:
            otherwise(action);
            break;
        case ACT_NOTIFY_ADDRESS: notify_on_address(4); break;
        case ACT_NOTIFY_OPEN: notify_on_flags(1); break;
        case ACT_NOTIFY_OPENAT: notify_on_flags(2); break;
        case ACT_NOTIFY_ACCESS: notify_on_write_access(1); break;
        case ACT_NOTIFY_ACCESSAT: notify_on_write_access(2); break;
        case ACT_NOTIFY_TCP:
            load_argument(1);
            either(BPF_JEQ, LEVEL_TCP, ACT_NOTIFY, ACT_ALLOW);
            break;
        case ACT_SOCKET: sockets(); break;
        case ACT_CLONE:
            load_argument(0);
            either(BPF_JSET, NAMESPACES, ACT_EPERM, ACT_ALLOW);
            break;
        case ACT_IOCTL: requests(); break;
        case ACT_FCNTL: file_commands(); break;
        case ACT_FLOCK:
            load_argument(1);
            either(BPF_JEQ, GIVE_LOCK_BACK, ACT_ALLOW, ACT_NOTIFY);
            break;
        case ACT_NOT_INIT: not_init(0); break;
        case ACT_PTRACE: not_init(1); break;
        case ACT_PRIORITY: not_user(PRIORITY_OF_USER); break;
        case ACT_IO_PRIORITY: not_user(IO_PRIORITY_OF_USER); break;
        case ACT_PERSONALITY: personalities(); break;
        case ACT_MKNOD: device_nodes(1); break;
        case ACT_MKNODAT: device_nodes(2); break;
        case ACT_MODE: mode(1, ACT_NOTIFY); break;
        case ACT_MODE_AT: mode(2, ACT_NOTIFY); break;
        case ACT_MODE_OF_FD: mode(1, ACT_ALLOW); break;
        case ACTIONS: break;
    }
}

static void treat(const struct run runs[], size_t count, enum action action) {
    for (size_t i = 0; i < count; i++) memset(program.action_of + runs[i].first, action, runs[i].last - runs[i].first + 1U);
}

/* Cuts the whole range of numbers into runs that are treated alike. */
static void cut_segments(void) {
    memset(program.action_of, ACT_ENOSYS, sizeof program.action_of);
    treat(allowed_calls, sizeof allowed_calls / sizeof allowed_calls[0], ACT_ALLOW);
    treat(refused_calls, sizeof refused_calls / sizeof refused_calls[0], ACT_EPERM);
    for (unsigned int i = 0; i < rule_count; i++)
        if (rules[i].number >= 0 && rules[i].number < NUMBERS) program.action_of[rules[i].number] = (unsigned char)rules[i].action;
    for (unsigned int number = 0; number < NUMBERS; number++)
        program.action_of[number] = (unsigned char)merged(program.action_of[number]);
    program.segment_count = 0;
    for (uint32_t number = 0; number <= NEWEST_REVIEWED_SYSCALL; number++)
        if (number == 0 || program.action_of[number] != program.action_of[number - 1])
            program.segments[program.segment_count++] = (struct segment){number, program.action_of[number]};
    /* Younger than the table: nobody has looked at them. */
    program.segments[program.segment_count++] = (struct segment){NEWEST_REVIEWED_SYSCALL + 1, ACT_ENOSYS};
#ifdef __x86_64__
    /* The x32 numbers are a second door to every call; a negative number is a call that is skipped. */
    program.segments[program.segment_count++] = (struct segment){X32_BIT, ACT_KILL};
    program.segments[program.segment_count++] = (struct segment){0x80000000, ACT_ENOSYS};
#endif
}

/* Emits the comparisons for some segments; returns where to jump for them: an instruction, or an action. */
static int compare(unsigned int from, unsigned int to) {
    if (to - from == 1) return ACTION_TARGET - (int)program.segments[from].action;
    unsigned int middle = (from + to) / 2, here = program.length;
    branch(BPF_JGE, program.segments[middle].first, 0, 0);
    int lower = compare(from, middle), upper = compare(middle, to);
    if (here < PROGRAM_MAX) {
        program.when_true[here] = (short)upper;
        program.when_false[here] = (short)lower;
    }
    return (int)here;
}

static int distance(unsigned int from, int target, const unsigned int address_of[]) {
    unsigned int at = target <= ACTION_TARGET ? address_of[ACTION_TARGET - target] : (unsigned int)target;
    return (int)at - (int)from - 1;
}

static int set_distances(unsigned int from, const unsigned int address_of[]) {
    for (unsigned int i = from; i < program.length; i++) {
        struct sock_filter *each = &program.code[i];
        if (BPF_CLASS(each->code) != BPF_JMP) continue;
        int when_true = distance(i, program.when_true[i], address_of);
        int when_false = distance(i, program.when_false[i], address_of);
        if (when_true < 0 || when_true > REACH || when_false < 0 || when_false > REACH) return -E2BIG;
        each->jt = (uint8_t)when_true;
        each->jf = (uint8_t)when_false;
    }
    return 0;
}

static int write_program(void) {
    unsigned int address_of[ACTIONS];
    program.length = 0;
    load(offsetof(struct seccomp_data, arch));
    branch(BPF_JEQ, NATIVE_ARCH, skipping(1), skipping(0));
    otherwise(ACT_KILL);
    load(offsetof(struct seccomp_data, nr));
    compare(0, program.segment_count);
    for (int plain = 0; plain <= 1; plain++)
        for (enum action action = 0; action < ACTIONS; action++) {
            if (is_plain(action) != plain || merged(action) != action) continue;
            address_of[action] = program.length;
            act(action);
        }
    return program.length > PROGRAM_MAX ? -E2BIG : set_distances(0, address_of);
}

static long set_filter(struct sock_filter *code, unsigned int length, unsigned long flags) {
    struct sock_fprog loaded = {.len = (unsigned short)length, .filter = code};
    return sys(seccomp, SECCOMP_SET_MODE_FILTER, flags, &loaded);
}

static int write_for(const struct sandbox *sandbox, int with_listener, int network_off, int carries_out) {
    int is_the_same = program.notifies == with_listener && program.network_off == network_off && program.carries_out == carries_out;
    if (program.is_written && is_the_same) return 0;
    program.notifies = with_listener;
    program.network_off = network_off;
    program.carries_out = carries_out;
    /* Internet sockets may exist where they reach nothing, so that the supervisor sees where they want to go. */
    program.inet_inside = with_listener && sandbox->empty_network;
    cut_segments();
    int error = write_program();
    program.is_written = error == 0;
    return error;
}

void filter_prepare(const struct sandbox *sandbox) { write_for(sandbox, 1, !!sandbox->empty_network, 0); }

int filter_install(struct sandbox *sandbox, int with_listener) {
    const struct plan *plan = &sandbox->plan;
    int carries_out = with_listener && ((plan->flags & PLAN_HOLDS_CALLS) || plan->grant_count || plan->host_count);
    int error = write_for(sandbox, with_listener, !!(plan->flags & PLAN_NETWORK_OFF), carries_out);
    if (error < 0) return error;
    unsigned long flags = with_listener ? SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV : 0;
    long answer = set_filter(program.code, program.length, flags);
    if (answer == -EINVAL && with_listener) /* before 5.19: listeners, but calls restart on signals */
        answer = set_filter(program.code, program.length, SECCOMP_FILTER_FLAG_NEW_LISTENER);
    return with_listener || answer < 0 ? (int)answer : NO_LISTENER;
}
