#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
static int open_and_call(size_t pages)
{
	void *before =
		mmap(NULL, (1ul << 20) + 4096 * pages, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	void *library = before != MAP_FAILED ? dlopen("./libplugin.so", RTLD_NOW) : NULL;
	long (*f)(long) = library ? (long (*)(long))dlsym(library, "plug") : NULL;
	return f && f(1) == 4 ? 0 : 1;
}
int main(void)
{
	int status, fine = 0;
	for (size_t i = 1; i <= 300; i++) {
		pid_t child = fork();
		if (child == 0) _exit(open_and_call(i));
		fine += waitpid(child, &status, 0) == child && status == 0;
	}
	printf("%d\n", fine);
	return 0;
}
