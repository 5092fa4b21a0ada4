/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A part that was split off jumps back into the middle of a block of its function. Prints sums. */
#include <stdio.h>

int jumped_into(int n);

__asm__(".text\n.p2align 4\n.globl jumped_into\n.type jumped_into, @function\n"
	"jumped_into: .cfi_startproc\n"
	"test %edi, %edi\n"
	"js jumped_into.cold\n"
	"lea 1(%rdi), %eax\n"
	".Lmiddle: add $1000, %eax\n"
	"imul $3, %eax, %eax\n"
	"ret\n.cfi_endproc\n.size jumped_into, .-jumped_into\n"
	".section .text.unlikely\n.type jumped_into.cold, @function\n"
	"jumped_into.cold: .cfi_startproc\n"
	"mov %edi, %eax\nneg %eax\n"
	"jmp .Lmiddle\n"
	".cfi_endproc\n.size jumped_into.cold, .-jumped_into.cold\n.text\n");

int main(void)
{
	int sum = 0;

	for (int i = -3; i < 10; i++)
		sum += jumped_into(i);
	printf("%d\n", sum);
	return 0;
}
