/* SPDX-License-Identifier: GPL-3.0-or-later */
/* As glibc does where there is one thread: a jump over a lock prefix, to the instruction behind it.
 * Prints how often it was executed. */
#include <stdio.h>

long counter;

void count(long is_locked);

__asm__(".text\n.p2align 4\n.globl count\n.type count, @function\n"
	"count: .cfi_startproc\n"
	"test %rdi, %rdi\n"
	"je .Lbehind\n"
	"lock\n"
	".Lbehind: incq counter(%rip)\n"
	"mov $1, %eax\n"
	"ret\n.cfi_endproc\n.size count, .-count\n");

int main(void)
{
	for (int i = 0; i < 30; i++)
		count(i % 3);
	printf("%ld\n", counter);
	return 0;
}
