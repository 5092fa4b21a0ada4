/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads a plug-in, which calls back; unloads it; and again, 20 times. usage: plugin-host PLUGIN */
#include "expect.h"
#include <dlfcn.h>

TRACED int callback(int x)
{
	CALLED();
	return x + 1;
}

TRACED int use(const char *path)
{
	int (*plug)(int (*)(int), int);
	void *handle = dlopen(path, RTLD_NOW);
	int sum;

	CALLED();
	if (!handle)
		return -1;
	*(void **)&plug = dlsym(handle, "plug");
	sum = plug ? plug(callback, 100) : -1;
	dlclose(handle);
	return sum;
}

int main(int argc, char **argv)
{
	int sum = 0;

	if (argc < 2)
		return 2;
	for (int i = 0; i < 20; i++)
		sum += use(argv[1]);
	printf("%d\n", sum);
	expect_print();
	return 0;
}
