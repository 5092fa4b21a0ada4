#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
__attribute__((noinline)) long work(long x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}
int main(int argc, char **argv)
{
	static char buffer[64];
	long n = 0, left = argc > 1 ? atol(argv[1]) : 0, most = argc > 2 ? atol(argv[2]) : 0, sum = 0;
	char *p = mmap(NULL, (2ul * (unsigned long)most + 2) * 4096, PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0),
	     word;
	setvbuf(stdout, buffer, _IOLBF, sizeof(buffer));
	while (n < most && mprotect(p + 4096 * (2 * n + 1), 4096, PROT_READ) == 0) n++;
	while (left-- > 0 && n-- > 0) mprotect(p + 4096 * (2 * n + 1), 4096, PROT_NONE);
	puts("begun");
	while (read(0, &word, 1) == 1 && word != 'e') sum = work(sum);
	puts("fine");
	return 0;
}
