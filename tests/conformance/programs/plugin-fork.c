/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Loads a library again and again while its children end.
 * usage: plugin-fork PLUGIN
 */
#include "expect.h"
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

TRACED int load(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);

	CALLED();
	return library ? dlclose(library) : 1;
}

int main(int argc, char **argv)
{
	int failed = argc < 2;

	for (int i = 0; i < 300 && !failed; i++) {
		for (int k = 0; k < 3; k++)
			if (fork() == 0)
				_exit(0);
		failed = load(argv[1]);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
	}
	while (waitpid(-1, NULL, 0) > 0)
		;
	printf("failed %d\n", failed);
	expect_print();
	return failed;
}
