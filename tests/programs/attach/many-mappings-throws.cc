#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>
__attribute__((noinline)) static void thrower(int i) { if (i >= 0) throw i; }
__attribute__((noinline)) static int catcher(int i) { try { thrower(i); } catch (int got) { return got + 1; } return 0; }
int main(int argc, char **argv)
{
	long n = 0, left = argc > 1 ? atol(argv[1]) : 0, most = argc > 2 ? atol(argv[2]) : 0, sum = catcher(1);
	char *p = (char *)mmap(NULL, (2ul * (unsigned long)most + 2) * 4096, PROT_NONE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0), word;
	static char buffer[64];
	setvbuf(stdout, buffer, _IOLBF, sizeof(buffer));
	while (n < most && mprotect(p + 4096 * (2 * n + 1), 4096, PROT_READ) == 0)
		n++;
	while (left-- > 0 && n-- > 0)
		mprotect(p + 4096 * (2 * n + 1), 4096, PROT_NONE);
	puts("begun");
	while (read(0, &word, 1) == 1 && word != 'e') {
		for (int i = 0; i < 100; i++)
			sum += catcher(i);
		printf("%c %ld\n", word, sum);
	}
	puts("fine");
	return 0;
}
