/* Two options that meet, as Listing 2.2 of the thesis on feature performance has them. Work is counted, and printed. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <rarog.h>

static volatile long sink;
static long units;

#define WORK(name, weight)                                                                                             \
	static void __attribute__((noinline)) name(void)                                                               \
	{                                                                                                              \
		for (long i = 0; i < (weight)*200000L; i++) sink += i ^ (weight);                                      \
		units += (weight) - (weight) / 10 * 10;                                                                \
	}
WORK(first_on, 12)
WORK(first_off, 21)
WORK(both, 33)
WORK(second, 41)
WORK(again, 51)

static bool get(const char *name, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], name)) return true;
	return false;
}

int main(int argc, char *argv[])
{
	bool a RAROG_FEATURE_VARIABLE(A) = get("A", argc, argv);
	bool b RAROG_FEATURE_VARIABLE(B) = get("B", argc, argv);
	bool x = false;

	if (a) {
		first_on();
		x = true;
	} else {
		first_off();
	}
	if (a && b) { both(); }
	if (b) {
		second();
		if (x) { again(); }
	}
	printf("%ld\n", units);
	return 0;
}
