/* Processes one after another, each of which calls as often as the others; at the end it says how
 * long they were on processors, in ns, as the kernel counted. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned sink;

__attribute__((noinline)) void hot(unsigned n)
{
	for (unsigned i = 0; i < n; i++) sink += i;
}

static void work(long calls)
{
	for (long i = 0; i < calls; i++) hot(100);
}

int main(int argc, char **argv)
{
	struct rusage usage;
	long long us;

	for (int i = 0; argc > 1 && i < 6; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			work(atol(argv[1]));
			_exit(0);
		}
		if (waitpid(pid, NULL, 0) != pid) return 1;
	}
	getrusage(RUSAGE_CHILDREN, &usage);
	us = (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000LL + usage.ru_utime.tv_usec +
	     usage.ru_stime.tv_usec;
	printf("%lld\n", 1000 * us);
	return 0;
}
