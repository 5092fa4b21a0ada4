/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <csetjmp>

enum { DEPTHS = 8 };
extern jmp_buf top, again[DEPTHS];
extern bool has_again[DEPTHS]; /* may be jumped to */
extern bool may_end;           /* the program may be left */

/* Most often returns; else it throws, jumps to where setjmp was called, or ends the program. */
[[noreturn]] void end();
void leave(int depth, unsigned how);
unsigned harmless(unsigned n) noexcept;

struct again_here {
	int depth;
	again_here(int depth) : depth(depth)
	{
		has_again[depth] = true;
	}
	~again_here()
	{
		has_again[depth] = false;
	}
};
