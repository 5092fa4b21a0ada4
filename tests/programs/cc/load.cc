#include <dlfcn.h>
int main(int argc, char **argv)
{
	for (int i = 0; i < 2; i++) {
		void *library = dlopen("./libends.so", RTLD_NOW);
		((int (*)(int, char **))dlsym(library, "_Z8run_endsiPPc"))(argc, argv);
		dlclose(library);
	}
}
