/* at-once N: N threads that live at the same time; prints how many there were. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_barrier_t all;

static void *wait_for_all(void *nothing)
{
	pthread_barrier_wait(&all);
	return nothing;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1;
	pthread_t *threads = calloc((size_t)n, sizeof(*threads));
	pthread_attr_t attributes;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 65536);
	pthread_barrier_init(&all, NULL, (unsigned int)n);
	for (int i = 0; i < n; i++)
		if (pthread_create(&threads[i], &attributes, wait_for_all, NULL) != 0) return 2;
	for (int i = 0; i < n; i++) pthread_join(threads[i], NULL);
	printf("%d threads\n", n);
	free(threads);
	return 0;
}
