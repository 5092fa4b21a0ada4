/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One of each kind of symbol: aliases, weak and versioned ones, an IFUNC, equal local names in two
 * files, compiler clones, cold parts, assembler functions with and without type, size and CFI.
 */
#include <stdio.h>
#include <stdlib.h>

int visible(int x);
int other_user(int x);

int __attribute__((noinline)) visible(int x) { return x * 3 + 1; }
int _visible(int x) __attribute__((alias("visible")));
int __visible(int x) __attribute__((weak, alias("visible")));

/* the same name in names-other.c is another function */
static int __attribute__((noinline)) helper(int x) { return x ^ 0x55; }

static int chosen_here(int x) { return x - 2; }

static int (*choose(void))(int) { return chosen_here; }
int chosen(int x) __attribute__((ifunc("choose")));

struct pair {
	int a, b;
};

/* only b is read and c is always 7: gcc makes .isra and .constprop of it */
static int __attribute__((noinline)) reads_b(struct pair *p, int c) { return p->b * c + p->b / c; }

static void __attribute__((noinline, noreturn, cold)) complain(const char *text, int x)
{
	fprintf(stderr, "%s: %d\n", text, x);
	abort();
}

/* gcc -O2 splits off what ends in a cold function */
int __attribute__((noinline)) has_cold(int x)
{
	if (x > 1000000) complain("too large", x);
	return x + 9;
}

/* the frame is set up before the branch: the cold part begins with another CFA */
int __attribute__((noinline)) has_cold_frame(int x, int *p)
{
	char text[64];

	snprintf(text, sizeof(text), "%d", x);
	if (text[0] == '9') complain("nine", x);
	return text[0] + *p;
}

int asm_typed(int x);
int asm_untyped(int x);
__asm__(".text\n"
	".p2align 4\n"
	".globl asm_typed\n"
	".type asm_typed, @function\n"
	"asm_typed:\n"
	"	lea 1(%rdi), %eax\n"
	"	ret\n" /* no .size, no CFI */
	".p2align 4, 0x90\n"
	".globl asm_untyped\n"
	"asm_untyped:\n"
	"	.cfi_startproc\n"
	"	lea 2(%rdi), %eax\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".p2align 4, 0x90\n"
	"	.cfi_startproc\n" /* without any symbol */
	"	.cfi_def_cfa_offset 24\n"
	"	ret\n"
	"	.cfi_endproc\n");

int main(int argc, char **argv)
{
	struct pair p = { argc, argc + 1 };

	(void)argv;
	printf("%d\n", visible(argc) + helper(argc) + chosen(argc) + reads_b(&p, 7) + has_cold(argc) +
			       has_cold_frame(argc, &p.a) + asm_typed(argc) + asm_untyped(argc) + other_user(argc));
	return 0;
}
