#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	long n = 0;
	while (access(argv[argc - 1], F_OK) < 0) {
		n++;
		usleep(1000);
	}
	return printf("%d\n", n > 0) < 0;
}
