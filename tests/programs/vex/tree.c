#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) void work(int n) { __asm__ volatile("" ::"r"(n)); }
int main(int argc, char **argv)
{
	work(0);
	if (argc > 1) {
		work(1);
		return 0;
	}
	if (fork() == 0) {
		work(2);
		raise(SIGKILL);
	}
	if (fork() == 0) execl(argv[0], argv[0], "again", NULL);
	while (wait(NULL) > 0)
		;
	work(3);
	return 0;
}
