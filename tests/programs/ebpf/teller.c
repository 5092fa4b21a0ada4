#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static unsigned long n_calls;
static int image;
__attribute__((noinline)) void work(void) { __asm__ volatile("push %%rbx; pop %%rbx" ::: "memory"); }
static void call(long n)
{
	__atomic_fetch_add(&n_calls, n, __ATOMIC_RELAXED);
	while (n-- > 0) work();
}
static void tell(void)
{
	char line[64];
	int fd = open("truth", O_WRONLY | O_CREAT | O_APPEND, 0600);
	int n = snprintf(line, sizeof(line), "%d %d %lu\n", (int)getpid(), image, n_calls);
	if (write(fd, line, n) != n) abort();
	close(fd);
}
static void *thread(void *n)
{
	call((long)n);
	return NULL;
}
/* inside of a call when it is told to go */
__attribute__((noinline)) void await(void)
{
	char c;
	int fd = open("ready", O_WRONLY | O_CREAT | O_APPEND, 0600);
	if (write(fd, "x\n", 2) != 2) abort();
	close(fd);
	fd = open("go", O_RDWR);
	if (read(fd, &c, 1) != 1) abort();
	close(fd);
	call(3);
}
static void fork_and(long n, const char *program, char *argument)
{
	pid_t child = fork();
	if (child == 0) {
		n_calls = 0;
		call(n);
		tell();
		if (program) {
			execl(program, program, argument, "1", (char *)NULL);
			abort();
		}
		_exit(0);
	}
	if (child < 0 || waitpid(child, NULL, 0) != child) abort();
}
/* teller WAIT IMAGE: both numbers */
int main(int argc, char **argv)
{
	pthread_t other;
	image = argc > 2 ? atoi(argv[2]) : 0;
	if (atoi(argv[1]) > 0) {
		work(); /* before: not to be seen if it ran already */
		await();
	}
	call(100);
	pthread_create(&other, NULL, thread, (void *)40L);
	pthread_join(other, NULL);
	if (image == 0) {
		fork_and(7, NULL, NULL);
		fork_and(8, "./teller", (char *)"0");
		fork_and(9, "./stranger", (char *)"0");
	}
	tell();
	if (image == 2) return 0;
	n_calls = 0;
	execl("./teller", "./teller", "0", "2", (char *)NULL);
	abort();
}
