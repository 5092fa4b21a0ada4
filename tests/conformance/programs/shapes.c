/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Function bodies that are hard to patch: see shapes-asm.S for the shortest and oddest ones. Here:
 * a switch that becomes a jump table, computed goto, a loop that begins at the entry, empty
 * functions. Counts follow doc/design/counting-rules.md: falling or jumping into a function's first
 * instruction is a call of it, jumping into its middle is not, nor is its own loop.
 */
#include "expect.h"

/* shapes-asm.S; name, length in bytes */
void tiny1(void);       /* 1: ret */
void tiny2(void);       /* 2: rep ret */
long tiny3(void);       /* 3: xor eax, eax; ret */
long tiny4(long x);     /* 4: mov rax, rdi; ret */
long tiny5(long x);     /* 5: lea rax, [rdi+1]; ret */
long tiny6(long x);     /* 6: mov eax, 42; ret */
long loop_head(long n); /* jumps back to its own first byte, n times */
long into_window(long); /* a branch of its own lands on its second instruction */
long call_first(long);  /* begins with a call of tiny4 */
long jump_first(long);  /* begins with a jump (tail call) to tiny4 */
long falls(long x);     /* ends by falling into fallen() */
long fallen(long x);
long shared_a(long x); /* jumps into the middle of shared_b */
long shared_b(long x);
long rip_first(void);             /* begins with a load relative to rip */
long cond_first(long);            /* begins with a conditional jump */
long ret_n(void);                 /* returns with ret 0 (c2 00 00) */
long dispatch(long x, int which); /* a jump table to other functions' entries */
long into_six(long x);            /* the table leads after its first instruction, too */
long flags_in(long x);            /* its own code uses flags across an internal call */

TRACED void empty(void)
{
	BARRIER();
}

TRACED int table(int x)
{
	CALLED();
	switch (x) {
	case 0:
		return 17;
	case 1:
		return x * 3;
	case 2:
		return x ^ 99;
	case 3:
		return x - 1000;
	case 4:
		return x * x;
	case 5:
		return 4 - x;
	case 6:
		return x << 5;
	case 7:
		return 123 / x;
	case 8:
		return x | 1024;
	case 9:
		return ~x;
	default:
		return 0;
	}
}

TRACED int interpret(const unsigned char *code)
{
	static const void *const label[] = { &&add, &&twice, &&less, &&end };
	int x = 1;

	CALLED();
	goto *label[*code++];
add:
	x += 3;
	goto *label[*code++];
twice:
	x *= 2;
	goto *label[*code++];
less:
	x -= 1;
	goto *label[*code++];
end:
	return x;
}

static long odd_shapes(long i)
{
	long sum = 0;

	tiny1();
	tiny2();
	sum += tiny3() + tiny4(i) + tiny5(i) + tiny6(i);
	sum += loop_head(i % 7) + into_window(i % 5) + call_first(i) + jump_first(i);
	sum += falls(i) + fallen(i) + shared_a(i) + shared_b(i) + rip_first() + cond_first(i % 2);
	for (int which = 0; which < 4; which++)
		sum += dispatch(i, which);
	return sum + into_six(i) + ret_n();
}

static int only_flags(void)
{
	long sum = 0;

	for (int i = 0; i < 1000; i++)
		sum += flags_in(i);
	printf("%ld\n", sum);
	expect_calls("flags_in", 1000);
	expect_calls("tiny4", 1000);
	return 0;
}

int main(int argc, char **argv)
{
	static const unsigned char code[] = { 0, 1, 2, 1, 0, 0, 1, 3 };
	static const char *const once[] = { "tiny1",     "tiny2",       "tiny3",      "tiny6",
					    "loop_head", "into_window", "call_first", "jump_first",
					    "shared_a",  "shared_b",    "rip_first",  "cond_first",
					    "ret_n",     "empty",       "into_six" };
	long sum = 0;

	if (argc > 1)
		return only_flags();
	for (int i = 0; i < 1000; i++) {
		empty();
		sum += CALL(table, i % 11) + CALL(interpret, code) + odd_shapes(i);
	}
	printf("%ld\n", sum);
	for (size_t i = 0; i < sizeof(once) / sizeof(once[0]); i++)
		expect_calls(once[i], 1000);
	expect_calls("tiny4", 4000); /* also by call_first, jump_first, dispatch */
	expect_calls("tiny5", 2000);
	expect_calls("dispatch", 4000);
	expect_calls("falls", 2000);
	expect_calls("fallen", 3000); /* also by falls */
	expect_print();
	return 0;
}
