/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the recording beside this was made of: recursion, a thread, forks inside open calls, of the
 * main thread and of the other one, exec. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) void work(int n)
{
	if (n > 0)
		work(n - 1);
	if (n < 0) {
		if (fork() == 0) {
			work(1);
			work(0);
			_exit(3);
		}
		wait(0);
	}
	__asm__ volatile("" ::: "memory");
}

void *go(void *nothing)
{
	work(1);
	work(-1);
	return nothing;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc > 1) {
		work(0);
		return 0;
	}
	work(2);
	pthread_create(&thread, 0, go, 0);
	work(-1);
	pthread_join(thread, 0);
	if (fork() == 0)
		execl(argv[0], argv[0], "x", (char *)0);
	wait(0);
	work(0);
	return execl(argv[0], argv[0], "y", (char *)0);
}
