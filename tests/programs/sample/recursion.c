/* Recursion of two functions into each other, threads, calls by which nothing is called */
#include <pthread.h>
#define APART __attribute__((noinline))
APART long leaf(long n)
{
	__asm__ volatile("" ::: "memory");
	return n * 3;
}
APART long odd(long n);
APART long even(long n) { return n < 2 ? leaf(n) : odd(n - 1) + even(n - 2); }
APART long odd(long n) { return n < 2 ? leaf(n) + leaf(n + 1) : even(n - 1) + even(n - 2); }
static void *go(void *n) { return (void *)even((long)n); }
int main(void)
{
	pthread_t threads[3];
	for (long i = 0; i < 3; i++) pthread_create(&threads[i], 0, go, (void *)(15 + i));
	for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
	return even(11) == 0;
}
