/* The system call filter: seccomp(2) (Linux 3.17; listeners 5.0; WAIT_KILLABLE_RECV 5.19), a classic BPF program.
 *
 * Calls are found by a binary search over their numbers: the kernel walks the program once for each call it
 * knows when the filter is installed, so a long chain would be paid for hundreds of times. */
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <linux/stat.h>

#include <asm/ioctls.h>

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

enum { NUMBERS = 512, PROGRAM_MAX = 1024, LEAF = 4, X32_BIT = 0x40000000 };
enum { NAMESPACES = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET };
enum { WRITE_INTENT = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | (__O_TMPFILE & ~O_DIRECTORY) };
enum { ADDR_NO_RANDOMIZE_BIT = 0x0040000 };
enum { FAMILY_UNIX = 1, FAMILY_INET = 2, FAMILY_INET6 = 10, FAMILY_NETLINK = 16, TYPE_STREAM = 1, TYPE_DATAGRAM = 2, TYPE_MASK = 0xf };

struct program {
    struct sock_filter code[PROGRAM_MAX];
    unsigned int length;
    unsigned char action_of[NUMBERS];
    short listed[NUMBERS];
    unsigned int listed_count;
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

static uint32_t watched(void) { return program.notifies ? SECCOMP_RET_USER_NOTIF : SECCOMP_RET_ALLOW; }

static void notify_on_flags(int argument) {
    load_argument(argument);
    only_if_any_bit(WRITE_INTENT);
    answer(watched());
    answer(SECCOMP_RET_ALLOW);
}

static void sockets(void) {
    load_argument(0);
    only_if_equal(FAMILY_UNIX);
    answer(SECCOMP_RET_ALLOW);
    if (program.network_off && !program.inet_inside) {
        refuse(EPERM);
        return;
    }
    /* Families that may exist jump over the refusal; then raw sockets are sorted out by type. */
    emit(BPF_JMP | BPF_JEQ | BPF_K, FAMILY_INET, 3, 0);
    emit(BPF_JMP | BPF_JEQ | BPF_K, FAMILY_INET6, 2, 0);
    emit(BPF_JMP | BPF_JEQ | BPF_K, program.network_off ? FAMILY_INET : FAMILY_NETLINK, program.network_off ? 0 : 7, 0);
    refuse(EPERM);
    load_argument(1);
    emit(BPF_ALU | BPF_AND | BPF_K, TYPE_MASK, 0, 0);
    emit(BPF_JMP | BPF_JEQ | BPF_K, TYPE_STREAM, 2, 0);
    emit(BPF_JMP | BPF_JEQ | BPF_K, TYPE_DATAGRAM, 1, 0);
    refuse(EPERM);
    answer(SECCOMP_RET_ALLOW);
    if (program.network_off) return;
    load_argument(2); /* NETLINK_ROUTE is 0: interfaces and addresses, which resolvers ask for */
    only_if_equal(0);
    answer(SECCOMP_RET_ALLOW);
    refuse(EPERM);
}

/* Only the low 32 bits count: the kernel takes the request as an int, so a set high half must not hide it. */
static void terminal_requests(void) {
    load_argument(1);
    only_if_equal(TIOCSTI);
    refuse(EPERM);
    only_if_equal(TIOCLINUX);
    refuse(EPERM);
    answer(SECCOMP_RET_ALLOW);
}

static void device_nodes(int mode_argument) {
    load_argument(mode_argument);
    emit(BPF_ALU | BPF_AND | BPF_K, S_IFMT, 0, 0);
    only_if_equal(S_IFCHR);
    refuse(EPERM);
    only_if_equal(S_IFBLK);
    refuse(EPERM);
    answer(watched());
}

static void personalities(void) {
    static const uint32_t allowed[] = {0, ADDR_NO_RANDOMIZE_BIT, 0xffffffff /* ask only */};
    load_argument(0);
    for (size_t i = 0; i < sizeof allowed / sizeof allowed[0]; i++) {
        only_if_equal(allowed[i]);
        answer(SECCOMP_RET_ALLOW);
    }
    refuse(EPERM);
}

static void act(enum action action) {
    switch (action) {
        case ACT_ALLOW: answer(SECCOMP_RET_ALLOW); break;
        case ACT_EPERM: refuse(EPERM); break;
        case ACT_ENOSYS: refuse(ENOSYS); break;
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
            refuse(EPERM);
            answer(SECCOMP_RET_ALLOW);
            break;
        case ACT_IOCTL: terminal_requests(); break;
        case ACT_PERSONALITY: personalities(); break;
        case ACT_MKNOD: device_nodes(1); break;
        case ACT_MKNODAT: device_nodes(2); break;
        case ACTIONS: break;
    }
}

static void list_calls(void) {
    memset(program.action_of, 0, sizeof program.action_of);
    for (unsigned int i = 0; i < rule_count; i++)
        if (rules[i].number >= 0 && rules[i].number < NUMBERS) program.action_of[rules[i].number] = (unsigned char)rules[i].action;
    program.listed_count = 0;
    for (int number = 0; number < NUMBERS; number++)
        if (program.action_of[number] != ACT_ALLOW) program.listed[program.listed_count++] = (short)number;
}

/* A jump whose distance is set when its target is known: conditional jumps reach only 255 instructions. */
static unsigned int emit_jump(void) {
    emit(BPF_JMP | BPF_JA, 0, 0, 0);
    return program.length - 1;
}
static void land(unsigned int jump) {
    if (jump < PROGRAM_MAX) program.code[jump].k = program.length - jump - 1;
}

static void search(unsigned int from, unsigned int to) {
    if (to - from > LEAF) {
        unsigned int middle = (from + to) / 2;
        emit(BPF_JMP | BPF_JGE | BPF_K, (uint32_t)program.listed[middle], 0, 1);
        unsigned int upper = emit_jump();
        search(from, middle);
        land(upper);
        search(middle, to);
        return;
    }
    for (; from < to; from++) {
        int number = program.listed[from];
        emit(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 1, 0);
        unsigned int over = emit_jump();
        act(program.action_of[number]);
        land(over);
    }
    answer(SECCOMP_RET_ALLOW);
}

static void write_program(void) {
    program.length = 0;
    load(offsetof(struct seccomp_data, arch));
    emit(BPF_JMP | BPF_JEQ | BPF_K, NATIVE_ARCH, 1, 0);
    answer(SECCOMP_RET_KILL_PROCESS);
    load(offsetof(struct seccomp_data, nr));
    /* The x32 numbers of x86-64 are a second door to every call; a negative number is a call that is skipped. */
    emit(BPF_JMP | BPF_JGE | BPF_K, NEWEST_REVIEWED_SYSCALL + 1, 0, 4);
    emit(BPF_JMP | BPF_JEQ | BPF_K, 0xffffffff, 2, 0);
    emit(BPF_JMP | BPF_JSET | BPF_K, X32_BIT, 0, 1);
    answer(SECCOMP_RET_KILL_PROCESS);
    refuse(ENOSYS); /* younger than this table: nobody has looked at it */
    search(0, program.listed_count);
}

int filter_install(struct sandbox *sandbox, int with_listener) {
    program.notifies = with_listener;
    program.network_off = !!(sandbox->plan.flags & PLAN_NETWORK_OFF);
    /* Internet sockets may exist where they reach nothing, so that the supervisor sees where they want to go. */
    program.inet_inside = with_listener && (sandbox->layers & LAYER_NET);
    list_calls();
    write_program();
    if (program.length > PROGRAM_MAX) return -E2BIG;
    struct sock_fprog loaded = {.len = (unsigned short)program.length, .filter = program.code};
    unsigned long flags = with_listener ? SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV : 0;
    long answer = sys(seccomp, SECCOMP_SET_MODE_FILTER, flags, &loaded);
    if (answer == -EINVAL && with_listener) /* before 5.19: listeners, but calls restart on signals */
        answer = sys(seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &loaded);
    return with_listener || answer < 0 ? (int)answer : NO_LISTENER;
}
