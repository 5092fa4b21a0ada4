/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls through words on the stack, each directly behind another call, so that it cannot stay where
 * it is in a copied function. Prints what was called. */
#include <stdio.h>

static int calls;

static void say(int n)
{
	printf("%d ", n);
}

void first(void)
{
	say(1);
}

void second(void)
{
	say(2);
}

void nothing(void)
{
	calls++;
}

void by_stack(void (*a)(void), void (*b)(void));

__asm__(".text\n.globl by_stack\n.type by_stack, @function\n"
	"by_stack: .cfi_startproc\n"
	"push %rbx\n.cfi_adjust_cfa_offset 8\n"
	"sub $288, %rsp\n.cfi_adjust_cfa_offset 288\n"
	"mov %rdi, (%rsp)\nmov %rsi, 120(%rsp)\nmov %rdi, 264(%rsp)\n"
	"mov $15, %ebx\n"
	"call nothing\n"
	"call *(%rsp)\n"
	"call *120(%rsp)\n"
	"call *264(%rsp)\n"
	"call *(%rsp,%rbx,8)\n"
	"add $288, %rsp\n.cfi_adjust_cfa_offset -288\n"
	"pop %rbx\n.cfi_adjust_cfa_offset -8\n"
	"ret\n.cfi_endproc\n.size by_stack, .-by_stack\n");

int main(void)
{
	for (int i = 0; i < 3; i++)
		by_stack(first, second);
	printf("%d\n", calls);
	return 0;
}
