/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Not compiled with counters: how the functions of a random program are left. At the end of the
 * program the counters are written to the file that $COUNTERS names. */
#include "leave.h"

#include <cstdio>
#include <cstdlib>

jmp_buf top, again[DEPTHS];
bool has_again[DEPTHS], may_end;

extern char __start_rarog_counters[], __stop_rarog_counters[];

__attribute__((destructor)) static void write_counters()
{
	const char *path = getenv("COUNTERS");
	FILE *file = path ? fopen(path, "w") : nullptr;

	if (!file)
		return;
	fwrite(__start_rarog_counters, 1, __stop_rarog_counters - __start_rarog_counters, file);
	fclose(file);
}

/* Frames below the one that is jumped to are gone. */
static void jump(int depth)
{
	while (depth >= 0 && !has_again[depth])
		depth--;
	for (int i = depth < 0 ? 0 : depth; i < DEPTHS; i++)
		has_again[i] = false;
	if (depth >= 0)
		longjmp(again[depth], 1);
	if (!may_end)
		longjmp(top, 1);
}

void leave(int depth, unsigned how)
{
	if (how == 0)
		throw depth;
	if (how < 4)
		jump(depth);
	if (how < 8 && may_end)
		exit(0);
}

unsigned harmless(unsigned n) noexcept
{
	return n * 3;
}

void end()
{
	exit(0);
}
