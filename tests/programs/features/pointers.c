/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Features whose addresses go where no pointer is followed, and one that is followed. */
#include <getopt.h>
#include <rarog.h>
#include <stdio.h>
#include <stdlib.h>
int scanned RAROG_FEATURE_VARIABLE(Scanned), listed RAROG_FEATURE_VARIABLE(Listed);
int kept RAROG_FEATURE_VARIABLE(Kept), followed RAROG_FEATURE_VARIABLE(Followed);
struct settings {
	int plain, member RAROG_FEATURE_VARIABLE(Member);
};
static struct settings settings[2];
static const struct option longs[] = { { "member", no_argument, &settings[1].member, 1 }, { 0, 0, 0, 0 } };
static const struct {
	const char *name;
	int *where;
} table[] = { { "listed", &listed } };
volatile long sink;
static void work(long n)
{
	while (n--) sink++;
}
static void set(int *what, const char *text) { *what = atoi(text); }
int main(int argc, char **argv)
{
	static struct {
		long before;
		int element RAROG_FEATURE_VARIABLE(Element);
	} rows[3];
	static int *const numbers[2][2] = { { 0, &rows[2].element }, { 0, 0 } };
	int **unknown = (int **)getenv("PLACE");
	sscanf(argv[1], "%d", &scanned);
	*table[argc > 9].where = atoi(argv[2]);
	if (unknown) *unknown = &kept;
	set(&followed, argv[3]);
	getopt_long(argc, argv, "", longs, NULL);
	*numbers[argc > 9][1] = atoi(argv[2]);
	if (settings[argc > 9].member) work(5000);
	if (rows[argc > 9].element) work(6000);
	if (scanned) work(1000);
	if (listed) work(2000);
	if (kept) work(3000);
	if (followed) work(4000);
	return 0;
}
