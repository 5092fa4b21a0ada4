#include <dlfcn.h>
#include <stdio.h>
static volatile int n;
__attribute__((noinline)) void called(int x)
{
	for (int i = 0; i < 3; i++) n += x;
}
typedef int (*guarded_f)(int, void (*)(int));
__attribute__((noinline)) int calls(guarded_f f)
{
	int s = 0;
	for (int i = 0; i < 200; i++) s += f(i & 1, called);
	return s;
}
int main(int argc, char **argv)
{
	void *l = dlopen(argv[1], RTLD_NOW);
	if (!l) return puts(dlerror()), 1;
	printf("caught %d\n", calls((guarded_f)dlsym(l, "guarded")));
	return argc - 2;
}
