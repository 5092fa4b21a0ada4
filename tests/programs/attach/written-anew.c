#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
static long use(void)
{
	void *library = dlopen("./libplugin.so", RTLD_NOW);
	long (*f)(long) = library ? (long (*)(long))dlsym(library, "plug") : NULL, sum = 0;
	for (int i = 0; f && i < 10; i++) sum += f(i);
	if (library) dlclose(library);
	return sum;
}
int main(void)
{
	printf("%ld\n", use());
	if (system("cat libtwo.so >libplugin.so") != 0) return 2;
	printf("%ld\n", use());
	return 0;
}
