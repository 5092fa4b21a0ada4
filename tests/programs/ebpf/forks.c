#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
	alarm(900);
	while (getppid() != 1) {
		if (fork() == 0) _exit(0);
		wait(NULL);
	}
	return 0;
}
