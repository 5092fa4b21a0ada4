#include <stdlib.h>
long find(const int *v, long n, int x);
__attribute__((noinline)) long find(const int *v, long n, int x)
{
	for (long k = 0; k < TIMES; k++)
		for (long i = 0; i < n; i++)
			if (v[i] == x)
				return i;
			else
				__asm__ volatile("");
	return -1;
}
int main(int argc, char **argv)
{
	static int v[4000];
	long sum = argc > 2;
	for (long n = atol(argv[argc - 1]); n > 0; n -= 100) sum += find(v, n, 1);
	return sum == 77;
}
