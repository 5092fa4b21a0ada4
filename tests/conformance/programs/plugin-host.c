/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Loads a plug-in, which calls back; unloads it; and again. usage: plugin-host PLUGIN [TIMES
 * [libs]] libs: says how often the plug-in's function was called, too.
 */
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
	void *handle;
	int sum;

	CALLED();
	handle = dlopen(path, RTLD_NOW);
	if (!handle)
		return -1;
	*(void **)&plug = dlsym(handle, "plug");
	sum = plug ? plug(callback, 100) : -1;
	dlclose(handle);
	return sum;
}

static int count_mappings(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	int c, n = 0;

	while (f && (c = fgetc(f)) != EOF)
		n += c == '\n';
	if (f)
		fclose(f);
	return n;
}

int main(int argc, char **argv)
{
	int sum = 0, times = argc > 2 ? atoi(argv[2]) : 20, mappings = 0;

	if (argc < 2)
		return 2;
	for (int i = 0; i < times; i++) {
		sum += CALL(use, argv[1]);
		if (i == 9)
			mappings = count_mappings();
	}
	printf("%d, mappings %s\n", sum,
	       count_mappings() <= mappings + 5 ? "as after ten times" : "have grown");
	if (argc > 3)
		expect_calls("plug", (unsigned long)times);
	expect_print();
	return 0;
}
