/* The first instructions of the process. */
#include "sys.h"

int main(void);
extern uintptr_t __stack_chk_guard;

__attribute__((noreturn, used)) static void start_here(void) {
    sys(getrandom, &__stack_chk_guard, sizeof __stack_chk_guard, 0);
    leave(main());
}

#if defined(__x86_64__)
__asm__(".globl _start\n_start:\n xor %ebp,%ebp\n and $-16,%rsp\n call start_here\n");
#else
__asm__(".globl _start\n_start:\n mov x29,#0\n bl start_here\n");
#endif
