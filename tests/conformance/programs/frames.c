/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program that looks at its own frames by libunwind: from nested calls, from a handler, with
 * calls between the steps. usage: frames step|backtrace|handler
 */
#define UNW_LOCAL_ONLY
#include "expect.h"
#include <libunwind.h>
#include <signal.h>
#include <string.h>

TRACED int leaf(int x)
{
	CALLED();
	return x + 1;
}

/* The names of the frames until main, and how many a call was made for. */
TRACED int walk(void)
{
	unw_context_t context;
	unw_cursor_t cursor;
	int n = 0;

	CALLED();
	unw_getcontext(&context);
	unw_init_local(&cursor, &context);
	do {
		char name[64] = "?";
		unw_word_t offset;

		unw_get_proc_name(&cursor, name, sizeof(name), &offset);
		printf("frame %s\n", name);
		n = CALL(leaf, n);
		if (!strcmp(name, "main"))
			break;
	} while (unw_step(&cursor) > 0);
	return n;
}

TRACED int count_frames(void)
{
	void *frame[64];

	CALLED();
	return unw_backtrace(frame, 64);
}

static int (*look)(void) = walk;

TRACED void on_signal(int number)
{
	CALLED();
	printf("signal %d: %d frames\n", number, CALL(walk));
}

TRACED int dive(int depth)
{
	int r;

	CALLED();
	if (depth) {
		r = CALL(dive, depth - 1);
		return CALL(leaf, r);
	}
	if (look)
		return CALL(look);
	raise(SIGUSR1);
	return 0;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "step";
	int sum = 0;

	if (!strcmp(mode, "backtrace"))
		look = count_frames;
	else if (!strcmp(mode, "handler"))
		look = NULL;
	signal(SIGUSR1, on_signal);
	for (int i = 0; i < 5; i++)
		sum += CALL(dive, i * 3);
	printf("%d\n", sum);
	expect_print();
	return 0;
}
