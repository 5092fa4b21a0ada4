/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops that are hard to see in machine code. It prints their function, depth, entries and rounds. */
#include <setjmp.h>
#include <stdio.h>

static volatile int sink;

/* Its first instruction is the loop's; jumps to it are none of calls. 3 entries of 5 rounds. */
__asm__(".text\n.globl at_entry\n.type at_entry, @function\nat_entry:\n"
	"dec %edi\njne at_entry\nret\n.size at_entry, . - at_entry\n");
void at_entry(int n);

/* The rounds go through a table. 1 entry of 12 rounds. */
__attribute__((noinline)) int dispatch(const unsigned char *code)
{
	int value = 0;

	for (;; code++) switch (*code) {
		case 0: return value;
		case 1: value += sink; break;
		case 2: value -= sink + 1; break;
		case 3: value *= 3; break;
		case 4: value ^= sink; break;
		case 5: value = ~value; break;
		case 6: sink = value; break;
		}
}

/* 1 entry of 4 rounds, and setjmp() returns twice in each. */
__attribute__((noinline)) void returns(void)
{
	static jmp_buf there;
	volatile int i = 0;

	do {
		if (setjmp(there) == 0) longjmp(there, 1);
		sink++;
		i++;
	} while (i < 4);
}

int main(void)
{
	for (int i = 0; i < 3; i++) at_entry(5);
	dispatch((const unsigned char *)"\1\2\3\4\5\6\6\5\1\3\2");
	returns();
	puts("at_entry 1 3 15 natural\ndispatch 1 1 12 natural\nreturns 1 1 4 natural");
	return 0;
}
