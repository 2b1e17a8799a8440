/* The few library routines we need: memory, text, and the first and the last instructions of a task. */
#include "sys.h"

/* What the compiler's stack protector compares; random for each run. */
uintptr_t __stack_chk_guard;
__attribute__((noreturn)) void __stack_chk_fail(void) { leave(134); }

void *memcpy(void *to, const void *from, size_t count) {
    unsigned char *out = to;
    const unsigned char *in = from;
    while (count--) *out++ = *in++;
    return to;
}

void *memset(void *to, int byte, size_t count) {
    unsigned char *out = to;
    while (count--) *out++ = (unsigned char)byte;
    return to;
}

int memcmp(const void *left, const void *right, size_t count) {
    const unsigned char *a = left, *b = right;
    for (; count--; a++, b++)
        if (*a != *b) return *a - *b;
    return 0;
}

size_t strlen(const char *text) {
    size_t length = 0;
    while (text[length]) length++;
    return length;
}

void leave(int status) {
    for (;;) sys(exit_group, status);
}

#if defined(__x86_64__)
long start_task(unsigned long flags, void *stack_top, int (*entry)(void *), void *argument, int *pidfd) {
    void **stack = (void **)((uintptr_t)stack_top & ~(uintptr_t)15);
    *--stack = argument;
    *--stack = (void *)(uintptr_t)entry;
    long result;
    register long r10 __asm__("r10") = 0;
    register long r8 __asm__("r8") = 0;
    __asm__ volatile(
        "syscall\n test %%rax,%%rax\n jnz 1f\n"
        " xor %%ebp,%%ebp\n pop %%rax\n pop %%rdi\n call *%%rax\n"
        " mov %%eax,%%edi\n mov %[leave],%%eax\n syscall\n hlt\n1:\n"
        : "=a"(result)
        : "a"((long)__NR_clone), "D"(flags), "S"(stack), "d"(pidfd), "r"(r10), "r"(r8), [leave] "i"(__NR_exit_group)
        : "rcx", "r11", "memory");
    return result;
}
#else
long start_task(unsigned long flags, void *stack_top, int (*entry)(void *), void *argument, int *pidfd) {
    void **stack = (void **)((uintptr_t)stack_top & ~(uintptr_t)15);
    *--stack = argument;
    *--stack = (void *)(uintptr_t)entry;
    register long x8 __asm__("x8") = __NR_clone;
    register long x0 __asm__("x0") = (long)flags;
    register long x1 __asm__("x1") = (long)stack;
    register long x2 __asm__("x2") = (long)pidfd;
    register long x3 __asm__("x3") = 0;
    register long x4 __asm__("x4") = 0;
    __asm__ volatile(
        "svc 0\n cbnz x0, 1f\n"
        " mov x29, #0\n ldp x9, x0, [sp], #16\n blr x9\n"
        " mov x8, %[leave]\n svc 0\n brk #1\n1:\n"
        : "+r"(x0)
        : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), [leave] "i"(__NR_exit_group)
        : "memory");
    return x0;
}
#endif

int same_text(const char *left, const char *right) {
    while (*left && *left == *right) left++, right++;
    return *left == *right;
}

char *put_text(char *at, const char *text) {
    while (*text) *at++ = *text++;
    *at = 0;
    return at;
}

char *put_number(char *at, unsigned long number) {
    char digits[24];
    int count = 0;
    do digits[count++] = (char)('0' + number % 10);
    while (number /= 10);
    while (count) *at++ = digits[--count];
    *at = 0;
    return at;
}
