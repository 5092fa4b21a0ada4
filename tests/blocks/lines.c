/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every way to be on a line: several blocks, several lines in a block, loops on one line. */
#include <stdio.h>
#include <stdlib.h>
static int kind(int x)
{
	switch (x % 4) {
	case 0:
		return 1;
	case 1:
		x += 2;
		break;
	case 2:
		x *= 3;
		/* fall through */
	default:
		x--;
	}
	return x;
}
static int many(int n)
{
	int s = 0;
	for (int i = 0; i < n; i++) {
		if (i % 3 == 0)
			s += kind(i);
		else if (i % 5 == 0)
			s -= 2;
		else
			s += i & 1 ? 3 : 4;
	}
	while (s > 100)
		s /= 2;
	do {
		s++;
	} while (s < 70 && s != 60);
	return s;
}
static int never(void)
{
	return 3;
}
int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 10;
	printf("%d\n", many(n));
	if (n < 0 || n > 1000000)
		return never();
	return 0;
}
