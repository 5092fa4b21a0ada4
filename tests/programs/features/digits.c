/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Digits as options, as gzip (-1 … -9 are a variable's values), xz (a function keeps them) and ssh (-4, -6) have them.
 */
#include <getopt.h>

static int level = 6, family, far;
static unsigned preset;
volatile long sink;

static void keep_preset(unsigned its)
{
	preset &= ~31u;
	preset |= its;
}

static void work(long n)
{
	while (n--) sink++;
}

int main(int argc, char **argv)
{
	static const struct option all[] = {
		{ "fast", no_argument, 0, '1' },
		{ "best", no_argument, 0, '3' },
		{ "far", no_argument, 0, 'f' },
		{ "distant", no_argument, 0, 'f' },
		{ 0, 0, 0, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "123f4678", all, 0)) != -1) switch (c) {
		case '1':
		case '2':
		case '3': level = c - '0'; break;
		case 'f': family = far = 1; break;
		case '4': family = 2; break;
		case '6': family = 10; break;
		case '7':
		case '8': keep_preset((unsigned)(c - '0')); break;
		default: return 2;
		}
	if (level > 2) work(10);
	if (family == 10) work(20);
	if (preset & 1) work(30);
	if (far) work(40);
	return 0;
}
