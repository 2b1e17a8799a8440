/* The system call filter: seccomp(2) (Linux 3.17; listeners 5.0; WAIT_KILLABLE_RECV 5.19), a classic BPF program.
 *
 * Calls are found by a binary search over runs of numbers that are treated alike. It ends in pieces, since a
 * conditional jump reaches 255 instructions: behind each stand its answers, or far jumps to those that look further.
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

enum { NUMBERS = 512, PROGRAM_MAX = 1024, FAR_JUMPS_MAX = 256, PIECE_SEGMENTS_MAX = 64, X32_BIT = 0x40000000 };
enum { ACTION_TARGET = -1 }; /* a jump target at or below it means an action, above it an instruction */
enum { NAMESPACES = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET };
enum { WRITE_INTENT = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | (__O_TMPFILE & ~O_DIRECTORY) };
enum { GIVE_LOCK_BACK = 8 /* LOCK_UN of flock(2) */, SET_DELEGATION = 1040 /* F_SETDELEG, Linux 6.19: a lease on a directory */ };
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
    struct far_jump {
        unsigned int at;
        enum action to;
    } far_jumps[FAR_JUMPS_MAX];
    unsigned int far_jump_count;
    int notifies;
    int network_off, inet_inside;
};
static struct program program;

static void emit(uint16_t code, uint32_t k, uint8_t when_true, uint8_t when_false) {
    if (program.length < PROGRAM_MAX) program.code[program.length] = (struct sock_filter){code, when_true, when_false, k};
    program.length++;
}

static void load(unsigned int offset) { emit(BPF_LD | BPF_W | BPF_ABS, offset, 0, 0); }
static void load_argument(int index) { load((unsigned int)(offsetof(struct seccomp_data, args) + 8 * (unsigned)index)); }
static void answer(uint32_t value) { emit(BPF_RET | BPF_K, value, 0, 0); }
static void refuse(int error) { answer(SECCOMP_RET_ERRNO | (uint32_t)error); }
/* The next instruction, an answer, is only for values that pass the test. */
static void only_if_equal(uint32_t k) { emit(BPF_JMP | BPF_JEQ | BPF_K, k, 0, 1); }
static void only_if_any_bit(uint32_t k) { emit(BPF_JMP | BPF_JSET | BPF_K, k, 0, 1); }

/* Refused, and told: the supervisor answers with the same errno, and lets none of it continue (refusals.c). */
static void refuse_told(int error) {
    if (program.notifies) answer(SECCOMP_RET_USER_NOTIF);
    else refuse(error);
}

static uint32_t watched(void) { return program.notifies ? SECCOMP_RET_USER_NOTIF : SECCOMP_RET_ALLOW; }

/* A program that runs as somebody else would do so on the host too, long after the sandbox. */
static void no_set_id(int mode_argument) {
    load_argument(mode_argument);
    only_if_any_bit(S_ISUID | S_ISGID);
    refuse_told(EPERM);
}

static void notify_on_flags(int argument) {
    load_argument(argument);
    emit(BPF_JMP | BPF_JSET | BPF_K, CREATES, 0, 3); /* otherwise the mode is whatever lies there */
    no_set_id(argument + 1);
    load_argument(argument);
    only_if_any_bit(WRITE_INTENT);
    answer(watched());
    answer(SECCOMP_RET_ALLOW);
}

/* A unix datagram socket can be pointed at any path by sendmsg, whose address lies in memory; a raw one is the same. */
static void unix_sockets(void) {
    load_argument(1);
    emit(BPF_ALU | BPF_AND | BPF_K, TYPE_MASK, 0, 0);
    only_if_equal(TYPE_DATAGRAM);
    refuse_told(EPERM);
    only_if_equal(TYPE_RAW);
    refuse_told(EPERM);
    answer(SECCOMP_RET_ALLOW);
}

enum { UNIX_SOCKETS_LENGTH = 7 };

static void sockets(void) {
    load_argument(0);
    emit(BPF_JMP | BPF_JEQ | BPF_K, FAMILY_UNIX, 0, UNIX_SOCKETS_LENGTH);
    unix_sockets();
    if (program.network_off && !program.inet_inside) {
        refuse_told(EPERM);
        return;
    }
    /* Families that may exist jump over the refusal; then raw sockets are sorted out by type. */
    emit(BPF_JMP | BPF_JEQ | BPF_K, FAMILY_INET, 3, 0);
    emit(BPF_JMP | BPF_JEQ | BPF_K, FAMILY_INET6, 2, 0);
    emit(BPF_JMP | BPF_JEQ | BPF_K, FAMILY_NETLINK, 7, 0);
    refuse_told(EPERM);
    load_argument(1);
    emit(BPF_ALU | BPF_AND | BPF_K, TYPE_MASK, 0, 0);
    emit(BPF_JMP | BPF_JEQ | BPF_K, TYPE_STREAM, 2, 0);
    emit(BPF_JMP | BPF_JEQ | BPF_K, TYPE_DATAGRAM, 1, 0);
    refuse_told(EPERM);
    answer(SECCOMP_RET_ALLOW);
    load_argument(2); /* NETLINK_ROUTE is 0: interfaces and addresses of the network the command is in, to read */
    only_if_equal(0);
    answer(SECCOMP_RET_ALLOW);
    refuse_told(EPERM);
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
    for (size_t i = 0; i < sizeof refused_requests / sizeof refused_requests[0]; i++) {
        only_if_equal(refused_requests[i]);
        refuse_told(EPERM);
    }
    for (size_t i = 0; i < sizeof shared_content / sizeof shared_content[0]; i++) {
        only_if_equal(shared_content[i]);
        answer(SECCOMP_RET_ALLOW);
    }
    emit(BPF_ALU | BPF_AND | BPF_K, REQUEST_OWNER_MASK, 0, 0);
    for (size_t i = 0; i < sizeof subvolume_requests / sizeof subvolume_requests[0]; i++) {
        only_if_equal(subvolume_requests[i]);
        refuse_told(EPERM);
    }
    answer(SECCOMP_RET_ALLOW);
}

static void device_nodes(int mode_argument) {
    no_set_id(mode_argument);
    load_argument(mode_argument);
    emit(BPF_ALU | BPF_AND | BPF_K, S_IFMT, 0, 0);
    only_if_equal(S_IFCHR);
    refuse_told(EPERM);
    only_if_equal(S_IFBLK);
    refuse_told(EPERM);
    answer(watched());
}

/* A lease makes writers outside wait, a notification tells of others' files: nobody needs either for what is theirs. */
static void file_commands(void) {
    load_argument(1);
    only_if_equal(F_SETLEASE);
    refuse_told(EPERM);
    only_if_equal(F_NOTIFY);
    refuse_told(EPERM);
    only_if_equal(SET_DELEGATION);
    refuse_told(EPERM);
    answer(SECCOMP_RET_ALLOW);
}

static void not_init(int argument) {
    load_argument(argument);
    only_if_equal(1);
    refuse_told(EPERM);
    answer(SECCOMP_RET_ALLOW);
}

static void not_user(uint32_t word) {
    load_argument(0);
    only_if_equal(word);
    refuse_told(EPERM);
    not_init(1);
}

static void personalities(void) {
    static const uint32_t allowed[] = {0, ADDR_NO_RANDOMIZE_BIT, 0xffffffff /* ask only */};
    load_argument(0);
    for (size_t i = 0; i < sizeof allowed / sizeof allowed[0]; i++) {
        only_if_equal(allowed[i]);
        answer(SECCOMP_RET_ALLOW);
    }
    refuse_told(EPERM);
}

static void act(enum action action) {
    switch (action) {
        case ACT_ALLOW: answer(SECCOMP_RET_ALLOW); break;
        case ACT_EPERM: refuse_told(EPERM); break;
        case ACT_TELL_ENOSYS: refuse_told(ENOSYS); break;
        case ACT_ENOSYS: refuse(ENOSYS); break;
        case ACT_KILL: answer(SECCOMP_RET_KILL_PROCESS); break;
        case ACT_NOTIFY: answer(watched()); break;
        case ACT_NOTIFY_ADDRESS: /* a pointer: either half may be the one that is set */
            load_argument(4);
            only_if_any_bit(0xffffffff);
            answer(watched());
            load(offsetof(struct seccomp_data, args) + 8 * 4 + 4);
            only_if_any_bit(0xffffffff);
            answer(watched());
            answer(SECCOMP_RET_ALLOW);
            break;
        case ACT_NOTIFY_OPEN: notify_on_flags(1); break;
        case ACT_NOTIFY_OPENAT: notify_on_flags(2); break;
        case ACT_SOCKET: sockets(); break;
        case ACT_CLONE:
            load_argument(0);
            only_if_any_bit(NAMESPACES);
            refuse_told(EPERM);
            answer(SECCOMP_RET_ALLOW);
            break;
        case ACT_IOCTL: requests(); break;
        case ACT_FCNTL: file_commands(); break;
        case ACT_FLOCK:
            load_argument(1);
            only_if_equal(GIVE_LOCK_BACK);
            answer(SECCOMP_RET_ALLOW);
            answer(watched());
            break;
        case ACT_NOT_INIT: not_init(0); break;
        case ACT_PTRACE: not_init(1); break;
        case ACT_PRIORITY: not_user(PRIORITY_OF_USER); break;
        case ACT_IO_PRIORITY: not_user(IO_PRIORITY_OF_USER); break;
        case ACT_PERSONALITY: personalities(); break;
        case ACT_MKNOD: device_nodes(1); break;
        case ACT_MKNODAT: device_nodes(2); break;
        case ACT_MODE: no_set_id(1); answer(watched()); break;
        case ACT_MODE_AT: no_set_id(2); answer(watched()); break;
        case ACT_MODE_OF_FD: no_set_id(1); answer(SECCOMP_RET_ALLOW); break;
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
    emit(BPF_JMP | BPF_JGE | BPF_K, program.segments[middle].first, 0, 0);
    int lower = compare(from, middle), upper = compare(middle, to);
    if (here < PROGRAM_MAX) {
        program.when_true[here] = (short)upper;
        program.when_false[here] = (short)lower;
    }
    return (int)here;
}

static int distance(unsigned int from, int target, const int address_of[]) {
    int to = target <= ACTION_TARGET ? address_of[ACTION_TARGET - target] : target;
    return to - (int)from - 1;
}

static int set_distances(unsigned int from, unsigned int to, const int address_of[]) {
    for (unsigned int i = from; i < to; i++) {
        int when_true = distance(i, program.when_true[i], address_of);
        int when_false = distance(i, program.when_false[i], address_of);
        if (when_true > 255 || when_false > 255) return -E2BIG; /* as far as a conditional jump reaches */
        program.code[i].jt = (uint8_t)when_true;
        program.code[i].jf = (uint8_t)when_false;
    }
    return 0;
}

static void jump_far(enum action to) {
    if (program.far_jump_count < FAR_JUMPS_MAX)
        program.far_jumps[program.far_jump_count++] = (struct far_jump){program.length, to};
    emit(BPF_JMP | BPF_JA, 0, 0, 0);
}

static int is_plain(enum action action) {
    return action == ACT_ALLOW || action == ACT_EPERM || action == ACT_ENOSYS || action == ACT_TELL_ENOSYS || action == ACT_KILL || action == ACT_NOTIFY;
}

static int write_piece(unsigned int from, unsigned int to) {
    int address_of[ACTIONS] = {0};
    unsigned int first = program.length;
    compare(from, to);
    unsigned int end = program.length;
    for (unsigned int i = from; i < to; i++) {
        enum action action = program.segments[i].action;
        if (address_of[action]) continue;
        address_of[action] = (int)program.length;
        if (is_plain(action)) act(action);
        else jump_far(action);
    }
    return program.length > PROGRAM_MAX ? -E2BIG : set_distances(first, end, address_of);
}

static int search(unsigned int from, unsigned int to) {
    if (to - from <= PIECE_SEGMENTS_MAX) return write_piece(from, to);
    unsigned int middle = (from + to) / 2;
    emit(BPF_JMP | BPF_JGE | BPF_K, program.segments[middle].first, 0, 1);
    unsigned int jump = program.length;
    emit(BPF_JMP | BPF_JA, 0, 0, 0);
    int error = search(from, middle);
    if (error < 0) return error;
    program.code[jump].k = program.length - jump - 1;
    return search(middle, to);
}

static int write_program(void) {
    unsigned int address_of[ACTIONS];
    program.length = program.far_jump_count = 0;
    load(offsetof(struct seccomp_data, arch));
    emit(BPF_JMP | BPF_JEQ | BPF_K, NATIVE_ARCH, 1, 0);
    answer(SECCOMP_RET_KILL_PROCESS);
    load(offsetof(struct seccomp_data, nr));
    int error = search(0, program.segment_count);
    if (error < 0) return error;
    for (enum action action = 0; action < ACTIONS; action++) {
        address_of[action] = program.length;
        if (!is_plain(action)) act(action);
    }
    if (program.length > PROGRAM_MAX || program.far_jump_count == FAR_JUMPS_MAX) return -E2BIG;
    for (unsigned int i = 0; i < program.far_jump_count; i++) {
        const struct far_jump *jump = &program.far_jumps[i];
        program.code[jump->at].k = address_of[jump->to] - jump->at - 1;
    }
    return 0;
}

static long set_filter(struct sock_filter *code, unsigned int length, unsigned long flags) {
    struct sock_fprog loaded = {.len = (unsigned short)length, .filter = code};
    return sys(seccomp, SECCOMP_SET_MODE_FILTER, flags, &loaded);
}

int filter_install(struct sandbox *sandbox, int with_listener) {
    program.notifies = with_listener;
    program.network_off = !!(sandbox->plan.flags & PLAN_NETWORK_OFF);
    /* Internet sockets may exist where they reach nothing, so that the supervisor sees where they want to go. */
    program.inet_inside = with_listener && sandbox->empty_network;
    cut_segments();
    int error = write_program();
    if (error < 0) return error;
    unsigned long flags = with_listener ? SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV : 0;
    long answer = set_filter(program.code, program.length, flags);
    if (answer == -EINVAL && with_listener) /* before 5.19: listeners, but calls restart on signals */
        answer = set_filter(program.code, program.length, SECCOMP_FILTER_FLAG_NEW_LISTENER);
    return with_listener || answer < 0 ? (int)answer : NO_LISTENER;
}
