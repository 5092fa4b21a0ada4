/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that are inlined also where nothing is optimised: into each other, in loops, several in
 * a line, with ways out in the middle. */
#include <stdio.h>
#include <stdlib.h>

#define INLINE static inline __attribute__((always_inline))

INLINE int half(int x)
{
	int r = 0;

	while (x > 1) {
		x /= 2;
		r++;
	}
	if (r > 3)
		return 3;
	return r;
}

INLINE int twice(int x)
{
	return half(x) +
	       half(x + 1);
}

INLINE int choose(int x, int y)
{
	switch (x % 3) {
	case 0:
		return y ? half(y) : 7;
	case 1:
		y += 2;
		break;
	default:
		for (int i = 0; i < y && i < 4; i++)
			if (i == 2)
				continue;
			else
				x += i;
	}
	return x + y;
}

INLINE void never(int x)
{
	if (x < 0)
		abort();
}

INLINE int leave(int x)
{
	never(x);
	if (x > 100)
		exit(0);
	return x;
}

static int in_loops(int n)
{
	int s = 0, i = 0;

	do {
		s += choose(i, n) + choose(n, i); s += half(i);
	} while (++i < n);
	for (i = 0; i < n; i++)
		s += twice(i);
	while (i-- > 0)
		leave(i);
	return s;
}

int main(void)
{
	int s = in_loops(10) + half(3);

	if (s > 0)
		s += twice(5);
	else
		s -= twice(6);
	printf("%d\n", s);
	leave(s + 1000);
	puts("not reached");
	return 0;
}
