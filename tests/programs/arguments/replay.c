/* Prints of each call, when it ends, what it was passed and what it returned: recursion, two threads. */
#include <pthread.h>
#include <stdio.h>

__attribute__((noinline)) static long leaf(int n, double half)
{
	long sum = n * 3L + (long)half;

	printf("leaf,n=%d half=%g,%ld\n", n, half, sum);
	return sum;
}

__attribute__((noinline)) static long climb(int n, unsigned long steps)
{
	long sum = n > 0 ? climb(n - 1, steps + 2) + leaf(n, n / 4.0) : -1;

	printf("climb,n=%d steps=%lu,%ld\n", n, steps, sum);
	return sum;
}

static void *run(void *arg)
{
	climb(*(int *)arg, 1);
	climb(1, 5);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	int depths[2] = { 4, 6 };

	for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, run, &depths[i]);
	for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
	return 0;
}
