/* Calls step(n) so often as it is told, n going through 1 … 1000 again and again. */
#include <stdlib.h>

static volatile long sum;

__attribute__((noinline)) static void step(long n) { sum += n; }

int main(int argc, char *argv[])
{
	long times = argc > 1 ? atol(argv[1]) : 1;

	for (long i = 0; i < times; i++) step(i % 1000 + 1);
	return 0;
}
