#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
static volatile unsigned sink;
static volatile int go;
static void rounds(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink++;
}
__attribute__((noinline)) void steady(void) { rounds(5000); }
/* a table whose hash has a seed: how far one looks */
__attribute__((noinline)) void seeded(void)
{
	unsigned seed = 0, table[64] = { 0 };
	(void)!getrandom(&seed, sizeof(seed), 0);
	for (unsigned i = 1; i <= 48; i++) {
		unsigned at = (i * 2654435769u ^ seed) * 2246822519u >> 26;
		while (table[at % 64])
			at++;
		table[at % 64] = i;
	}
}
/* the same with addresses, of the stack and the heap */
__attribute__((noinline)) void addressed(void)
{
	void *p = malloc(1 << 20);
	uintptr_t at = (uintptr_t)&p >> 4 ^ (uintptr_t)p >> 12;
	for (unsigned i = at % 4093 + 1; i > 0; i--)
		sink++;
	free(p);
}
__attribute__((noinline)) void timed(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	for (long i = now.tv_nsec % 9973; i >= 0; i--)
		sink++;
}
static void *other(void *unused)
{
	struct timespec some = { 0, 100000 };
	nanosleep(&some, NULL);
	go = 1;
	return unused;
}
__attribute__((noinline)) void threaded(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, other, NULL);
	while (!go)
		sink++;
	pthread_join(thread, NULL);
}
int main(int argc, char **argv)
{
	steady();
	if (argc > 1)
		*argv[1] == 's'	  ? seeded()
		: *argv[1] == 'a' ? addressed()
		: *argv[1] == 't' ? timed()
				  : threaded();
	return 0;
}
