/* Many threads one after another, each of which calls once(); between them the main thread calls
 * it so often that few of these calls are recorded. */
#include <pthread.h>
#include <stdlib.h>

static volatile unsigned sink;

__attribute__((noinline)) void once(unsigned n)
{
	for (unsigned i = 0; i < n; i++) sink += i;
}

static void *run(void *unused)
{
	(void)unused;
	once(10);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	for (int i = 0; argc > 1 && i < atoi(argv[1]); i++) {
		for (int k = 0; k < 4000; k++) once(400);
		if (pthread_create(&thread, NULL, run, NULL) != 0) return 1;
		pthread_join(thread, NULL);
	}
	return 0;
}
