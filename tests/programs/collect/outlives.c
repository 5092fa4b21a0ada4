/* outlives FILE: leaves a child behind that works until FILE is there. */
#include <stdlib.h>
#include <unistd.h>

__attribute__((noinline)) static void work(void) { usleep(10000); }

int main(int argc, char **argv)
{
	char ready;
	int ends[2];

	if (argc != 2 || pipe(ends) < 0) return 2;
	if (fork() == 0) {
		work();
		if (write(ends[1], "", 1) != 1) return 3;
		while (access(argv[1], F_OK) < 0) work();
		_exit(0);
	}
	return read(ends[0], &ready, 1) == 1 ? 0 : 4;
}
