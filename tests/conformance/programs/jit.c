/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Code generated at run time beside traced code: it is called by traced functions and calls them
 * back, without frame information, near the program and far away; freed and made again.
 */
#include "expect.h"
#include <setjmp.h>
#include <string.h>

static jmp_buf out;

TRACED long leaf(long x)
{
	CALLED();
	return x * 3 + 1;
}

TRACED long leaves(long x)
{
	CALLED();
	if (x % 7 == 0)
		longjmp(out, 1);
	return CALL(leaf, x);
}

typedef long code_fn(long x);

/* push rbx; mov rbx, rdi; mov rax, function; call rax; add rax, rbx; pop rbx; ret */
static code_fn *generate(code_fn *function, void *near)
{
	unsigned char code[] = { 0x53, 0x48, 0x89, 0xfb, 0x48, 0xb8, 0,    0,    0,    0,   0,
				 0,    0,    0,    0xff, 0xd0, 0x48, 0x01, 0xd8, 0x5b, 0xc3 };
	void *page = mmap(near, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		exit(77);
	memcpy(code + 6, &function, sizeof(function));
	memcpy(page, code, sizeof(code));
	mprotect(page, 4096, PROT_READ | PROT_EXEC);
	return (code_fn *)page;
}

TRACED long calls(code_fn *function, long x)
{
	CALLED();
	return CALL(function, x);
}

int main(void)
{
	char *here = (char *)((unsigned long)main & ~0xffful);
	volatile long sum = 0;

	for (volatile long i = 0; i < 300; i++) {
		code_fn *near = generate(leaf, here + (1 << 20) * (i % 5 - 20));
		code_fn *far = generate(leaves, NULL);

		sum += calls(near, i);
		if (!setjmp(out))
			sum += calls(far, i);
		munmap((void *)near, 4096);
		munmap((void *)far, 4096);
	}
	printf("%ld\n", sum);
	expect_print();
	return 0;
}
