/* System calls without a C library: how the helper talks to the kernel (syscalls(2)).
 *
 * A static C library costs more to start than everything the helper does before it forks, so there is none.
 * Every call returns the kernel's own answer: a result, or a negative errno. Nothing sets a global.
 * Two architectures: x86-64 and aarch64. */
#ifndef SANDGATE_SYS_H
#define SANDGATE_SYS_H

#include <asm/unistd.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/types.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel_abi.h"

#if defined(__x86_64__)
static inline long sys6(long number, long a, long b, long c, long d, long e, long f) {
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}
#elif defined(__aarch64__)
static inline long sys6(long number, long a, long b, long c, long d, long e, long f) {
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
    return x0;
}
#else
#error "sandgate-exec knows x86-64 and aarch64 only"
#endif

#define SYS_PICK(_1, _2, _3, _4, _5, _6, _7, NAME, ...) NAME
#define SYS_1(n) sys6(n, 0, 0, 0, 0, 0, 0)
#define SYS_2(n, a) sys6(n, (long)(a), 0, 0, 0, 0, 0)
#define SYS_3(n, a, b) sys6(n, (long)(a), (long)(b), 0, 0, 0, 0)
#define SYS_4(n, a, b, c) sys6(n, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define SYS_5(n, a, b, c, d) sys6(n, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define SYS_6(n, a, b, c, d, e) sys6(n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), 0)
#define SYS_7(n, a, b, c, d, e, f) sys6(n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
/* sys(name, args...): e.g. sys(close, fd). */
#define sys(name, ...) sys_numbered(__NR_##name __VA_OPT__(, ) __VA_ARGS__)
#define sys_numbered(...) SYS_PICK(__VA_ARGS__, SYS_7, SYS_6, SYS_5, SYS_4, SYS_3, SYS_2, SYS_1, )(__VA_ARGS__)

/* Starts `entry(argument)` as a new task on its own stack; its result becomes the exit status.
 * The task may share our memory (CLONE_VM): there is no thread-local state to clash over. */
long start_task(unsigned long flags, void *stack_top, int (*entry)(void *), void *argument, int *pidfd);

__attribute__((noreturn)) void leave(int status);

/* Needed by the compiler as much as by us. */
void *memcpy(void *to, const void *from, size_t count);
void *memset(void *to, int byte, size_t count);
int memcmp(const void *left, const void *right, size_t count);
size_t strlen(const char *text);

int same_text(const char *left, const char *right);
/* Copies text and returns the end, so that pieces can follow; the caller made sure that it fits. */
char *put_text(char *at, const char *text);
char *put_number(char *at, unsigned long number);

#endif
