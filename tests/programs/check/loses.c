#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile unsigned sink;
int main(int argc, char **argv)
{
	struct rlimit none = { 0, 0 };
	(void)argv;
	if (argc > 1) {
		setrlimit(RLIMIT_FSIZE, &none);
		if (fork() == 0)
			_exit(0);
		wait(NULL);
	}
	for (int i = 0; i < N; i++)
		sink++;
	return 0;
}
