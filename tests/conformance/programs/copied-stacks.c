/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Coroutines that share one stack: what one of them has there is copied away when it is left and
 * back when it goes on, as greenlet does it. usage: copied-stacks [N]
 */
#include "expect.h"
#include <string.h>

#define COROUTINES 6

struct coroutine {
	char *saved;
	size_t n;
	void *sp;
	int left;
};

static struct coroutine all[COROUTINES];
static struct coroutine *current;
static char *base; /* of the shared part: higher addresses belong to main */
static void *home;
static int rounds = 20;

/* Saves what a callee must at (%rdi) and leaves for %rsi, where the same was saved. */
__asm__(".text\n.type leave_for,@function\nleave_for:\n"
	"push %rbp\npush %rbx\npush %r12\npush %r13\npush %r14\npush %r15\n"
	"mov %rsp,(%rdi)\nmov %rsi,%rsp\n"
	"pop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\nret\n"
	".size leave_for,.-leave_for\n");
void leave_for(void **from, void *to);

TRACED int leaf(int x)
{
	CALLED();
	return x + 1;
}

TRACED int other_leaf(int x)
{
	CALLED();
	return CALL(leaf, x) * 2;
}

TRACED int yields(int depth)
{
	CALLED();
	if (depth) {
		int r = CALL(yields, depth - 1);

		return depth % 2 ? CALL(leaf, r) : CALL(other_leaf, r);
	}
	leave_for(&current->sp, home);
	return 1;
}

TRACED void body(void)
{
	int who = (int)(current - all);

	CALLED();
	for (int i = 0; i < rounds; i++)
		CALL(yields, (i * 5 + who) % 7);
	current->left = 0;
	leave_for(&current->sp, home);
	abort();
}

/* Runs on main's own part of the stack, below which the coroutines have theirs. */
__attribute__((noinline)) static void resume(struct coroutine *c)
{
	current = c;
	memcpy(c->sp, c->saved, c->n);
	leave_for(&home, c->sp);
	c->n = (size_t)(base - (char *)c->sp);
	c->saved = realloc(c->saved, c->n);
	memcpy(c->saved, c->sp, c->n);
}

static void begin(struct coroutine *c)
{
	void **top = (void **)base;

	c->left = 1;
	c->sp = &top[-8];
	c->n = 8 * sizeof(*top);
	c->saved = calloc(8, sizeof(*top));
	((void **)c->saved)[6] = (void *)(unsigned long)body; /* returned to */
}

int main(int argc, char **argv)
{
	static char stack[1 << 16] __attribute__((aligned(16)));
	int resumed = 0, left = 1;

	base = stack + sizeof(stack);
	if (argc > 1)
		rounds = atoi(argv[1]);
	for (int i = 0; i < COROUTINES; i++)
		begin(&all[i]);
	while (left) {
		left = 0;
		for (int i = 0; i < COROUTINES; i++) {
			if (!all[i].left)
				continue;
			resume(&all[i]);
			resumed++;
			left += all[i].left;
		}
	}
	printf("%d\n", resumed);
	expect_print();
	return 0;
}
