#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static pthread_t first;
__attribute__((noinline)) static long work(long (*f)(long), long x)
{
	long r = f(x);
	__asm__ volatile("" : "+r"(r));
	return r + 1;
}
static void *run(void *a)
{
	void *library;
	pthread_join(first, NULL);
	library = dlopen("./libthrows.so", RTLD_NOW);
	if (library)
		for (long i = 0; i < 10; i++) printf("%ld\n", work((long (*)(long))dlsym(library, "thrower"), i));
	exit(library ? 0 : 4);
	return a;
}
int main(void)
{
	pthread_t other;
	first = pthread_self();
	pthread_create(&other, NULL, run, NULL);
	pthread_exit(NULL);
}
