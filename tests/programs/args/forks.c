#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noipa)) int f(int n) { return n + 1; }
static void child(int n)
{
	if (fork() == 0) {
		f(n);
		if (n < 3) child(n + 1);
		_exit(0);
	}
	wait(NULL);
}
int main(void)
{
	for (int i = 0; i < 100000; i++) f(i);
	child(1);
	child(1);
	f(-1);
	return system("ls -l \"$TMPDIR\"/*/*.vex >sizes") != 0;
}
