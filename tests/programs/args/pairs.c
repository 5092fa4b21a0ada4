/* Calls step(n, m) so often as it is told: n goes up from 1, m is the last decimal of n. */
#include <stdlib.h>

static volatile long sum;

__attribute__((noinline)) static void step(long n, long m) { sum += n * m; }

int main(int argc, char *argv[])
{
	long times = argc > 1 ? atol(argv[1]) : 1;

	for (long n = 1; n <= times; n++) step(n, n % 10);
	return 0;
}
