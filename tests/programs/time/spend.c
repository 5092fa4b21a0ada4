/* It says at its end what it has used up, as the kernel tells itself. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
int main(int argc, char **argv)
{
	size_t size = (size_t)atoi(argv[1]) << 20;
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct timespec moment = { .tv_nsec = 1000000 };
	struct rusage used;
	madvise(memory, size, MADV_NOHUGEPAGE);
	memset(memory, 1, size);
	for (int i = 0; i < 50; i++) nanosleep(&moment, NULL);
	for (volatile unsigned long n = argc > 2 ? 100000000 : 0; n > 0; n--)
		;
	getrusage(RUSAGE_SELF, &used);
	printf("%ld %ld %ld %ld\n",
	       used.ru_utime.tv_sec * 1000000 + used.ru_utime.tv_usec + used.ru_stime.tv_sec * 1000000 +
		       used.ru_stime.tv_usec,
	       used.ru_maxrss, used.ru_minflt, used.ru_nvcsw);
	return 5;
}
