#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static volatile long n;
__attribute__((noinline, noclone)) long work(long x)
{
	n += x;
	return n;
}
int main(int argc, char **argv)
{
	if (write(1, "runs\n", 5) != 5) return 1;
	for (int i = 0; i < 30 || argc < 2; i++) {
		nanosleep(&(const struct timespec){ .tv_nsec = 1000000 }, NULL);
		work(i);
	}
	return atoi(argv[1]);
}
