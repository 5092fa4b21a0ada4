/* A scope with a variable that is left by goto: clang adds a switch whose default is never taken. */
#include <stdlib.h>

#include <rarog.h>

static int way RAROG_FEATURE_VARIABLE(Goto);
static volatile long sink;

static int __attribute__((noinline)) work(int n)
{
	for (int i = 0; i < n; i++) sink = sink + i;
	return n & 1;
}

static int __attribute__((noinline)) leave(int n)
{
	int s = 0;

	if (way) {
		for (int i = 0; i < n; i++) {
			s += work(10);
			if (i == 2) goto out;
		}
		s += work(20);
	}
out:
	s += work(30); /* after it */
	sink += s;
	return s;
}

int main(int argc, char **argv)
{
	way = argc > 1 ? atoi(argv[1]) : 0;
	return leave(5) == 1000;
}
