#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static int (*backtrace_by)(int (*)(void *, void *), void *);
static int count(void *context, void *n)
{
	(void)context;
	++*(int *)n;
	return 0;
}
__attribute__((noinline)) static int depth(void)
{
	int n = 0;
	backtrace_by(count, &n);
	return n;
}
__attribute__((noinline)) static int work(int n)
{
	int d = n > 0 ? work(n - 1) : depth();
	__asm__ volatile("" : "+r"(d));
	return d;
}
int main(int argc, char **argv)
{
	size_t size = argc > 2 ? strtoul(argv[2], NULL, 0) : 0, all = 8ul << 30;
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	char word, *p = mmap(NULL, all, PROT_NONE, flags, -1, 0);
	void *unwinder;
	while ((char *)mmap(NULL, size, PROT_NONE, flags, -1, 0) > p)
		; /* among the libraries nothing fits, either */
	setbuf(stdout, NULL);
	if (argc < 3) return 2;
	while (read(0, &word, 1) == 1 && word != 'e') {
		if (word == 'o') { /* all else below the libraries is taken */
			munmap(p + all / 2, size);
			unwinder = dlopen(argv[1], RTLD_NOW);
			if (!unwinder || (char *)dlsym(unwinder, "_Unwind_Backtrace") - p > (long)all) return 3;
			*(void **)&backtrace_by = dlsym(unwinder, "_Unwind_Backtrace");
		}
		printf("%c %d\n", word, backtrace_by ? work(3) : 0);
	}
	puts("fine");
	return 0;
}
