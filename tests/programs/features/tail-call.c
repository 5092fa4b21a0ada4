/* The last call of a function is a jump: what it calls still runs because of the option. */
#include <stdlib.h>

#include <rarog.h>

static int way RAROG_FEATURE_VARIABLE(Tail);
static int other RAROG_FEATURE_VARIABLE(Called);
static volatile long sink;

static void __attribute__((noinline)) called(long n)
{
	if (other) sink = sink * 3 + n;
	for (long i = 0; i < n; i++) sink = sink + i;
}

static void __attribute__((noinline)) last(long n)
{
	sink = sink + 1;
	if (way) {
		sink = sink * 3 + n;
		called(n);
	}
}

int main(int argc, char **argv)
{
	way = argc > 1;
	other = argc > 2;
	for (int i = 0; i < 3; i++) {
		last(1000);
		called(10); /* after the region */
	}
	return 0;
}
