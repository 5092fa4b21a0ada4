/* Functions that are called seldom, often, and all the time, by several threads, in phases; signals
 * come in between and a child is forked. Each counts its own calls. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 3

static atomic_ulong n_rare, n_often, n_always, n_signals;
static __thread unsigned long always_here;

__attribute__((noipa)) unsigned long always(unsigned long x)
{
	always_here++;
	return x * 2862933555777941757u + 3037000493u;
}

__attribute__((noipa)) unsigned long often(unsigned long x)
{
	atomic_fetch_add(&n_often, 1);
	for (int i = 0; i < 200; i++) x = always(x);
	return x;
}

__attribute__((noipa)) unsigned long rare(unsigned long x, unsigned turns)
{
	atomic_fetch_add(&n_rare, 1);
	for (unsigned i = 0; i < turns; i++) x = often(x);
	return x;
}

static void on_signal(int signal)
{
	(void)signal;
	always_here -= 2; /* not one of those that are counted */
	always(always(1));
	atomic_fetch_add(&n_signals, 1);
}

static void *work(void *turns)
{
	unsigned long x = 1;

	for (int i = 0; i < 20; i++) x = rare(x, *(unsigned *)turns);
	atomic_fetch_add(&n_always, always_here);
	return (void *)x;
}

int main(int argc, char **argv)
{
	unsigned turns = argc > 1 ? (unsigned)atoi(argv[1]) : 1000;
	const struct itimerval often_enough = { { 0, 2000 }, { 0, 2000 } };
	unsigned long sum = 0;
	pthread_t threads[THREADS];
	pid_t child;
	int status;

	signal(SIGALRM, on_signal);
	setitimer(ITIMER_REAL, &often_enough, NULL);
	for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, &turns);
	for (int i = 0; i < THREADS; i++) {
		void *x;

		pthread_join(threads[i], &x);
		sum += (unsigned long)x;
	}
	child = fork();
	if (child == 0) _exit((int)(rare(3, turns) & 63));
	while (waitpid(child, &status, 0) < 0)
		;
	/* with those of the child */
	fprintf(stderr, "rare %lu\noften %lu\n", n_rare + 1, n_often + turns);
	printf("%lu %d\n", sum, status >> 8);
	return 0;
}
