/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arguments read by the program itself, as bzip2 (a switch on letters) and zstd (numbers) do. */
#include <string.h>

static int keeps, is_small, block_size = 9;
volatile long sink;

static void work(long n)
{
	while (n--) sink++;
}

static int read_number(const char **text)
{
	int n = 0;

	while (**text >= '0' && **text <= '9') n = 10 * n + *(*text)++ - '0';
	return n;
}

int main(int argc, char **argv)
{
	int level = 3, is_loud = 0;

	for (int i = 1; i < argc; i++) {
		const char *at = argv[i];

		if (at[0] == '-' && at[1] != '-') {
			for (at++; *at;) {
				if (*at >= '0' && *at <= '9') {
					level = read_number(&at);
					continue;
				}
				switch (*at) {
				case 'k': keeps = 1; break;
				case 's': is_small = 1; break;
				case 'x': block_size = 1; break;
				case 'y': block_size = 2; break;
				default: return 2;
				}
				at++;
			}
		}
		if (strcmp(at, "--loud") == 0)
			is_loud = 1;
		else if (!strcmp("--small", at))
			is_small = 1;
		else if (strcmp(at, "--") == 0)
			break;
	}
	if (keeps) work(10);
	if (is_small) work(20);
	if (block_size > 1) work(30);
	if (level > 2) work(40);
	if (is_loud) work(50);
	return 0;
}
