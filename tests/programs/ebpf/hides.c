#include <dlfcn.h>
#include <stdlib.h>
#include <sys/prctl.h>
int main(int argc, char **argv)
{
	void *library;
	void (*work)(void);
	if (argc > 2) prctl(PR_SET_DUMPABLE, 0);
	library = dlopen("./libwork.so", RTLD_NOW);
	*(void **)&work = dlsym(library, "work");
	for (long n = atol(argv[1]); n > 0; n--) work();
	return 0;
}
