#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#define SENT 3000
static volatile int got;
static int answers[2];
__attribute__((noinline)) unsigned leaf(unsigned x)
{
	__asm__ volatile("" : "+r"(x));
	return x * 2654435761u + 1;
}
static void handler(int number)
{
	(void)number, got++;
	if (write(answers[1], "", 1) != 1) _exit(1);
}
int main(void)
{
	const struct rlimit none = { 0, 0 };
	unsigned x = 0;
	char answer;
	int status;
	if (pipe(answers) < 0 || setrlimit(RLIMIT_SIGPENDING, &none) < 0) return 1;
	signal(SIGUSR1, handler);
	if (fork() == 0) {
		for (int i = 0; i < SENT; i++)
			if (kill(getppid(), SIGUSR1) < 0 || read(answers[0], &answer, 1) != 1) _exit(1);
		_exit(0);
	}
	while (waitpid(-1, &status, WNOHANG) == 0)
		for (int i = 0; i < 1000; i++) x = leaf(x);
	printf("%d, %d\n", got, status);
	return 0;
}
