/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dirent.h>
#include <pthread.h>
#include <rarog.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
static int way RAROG_FEATURE_VARIABLE(F);
static volatile int sink;
static void *work(void *none)
{
	if (way > 0) {
		for (int k = 0; k < 1000; k++) sink = sink + k;
	}
	return none;
}
int main(int argc, char **argv)
{
	pthread_t t;
	struct dirent *e;
	struct stat s;
	int small = 0, all = 0;
	DIR *d;
	way = argc;
	for (int i = 0; i < 4; i++) {
		pthread_create(&t, 0, work, 0);
		pthread_join(t, 0);
		if (fork() == 0) _exit(0);
		wait(0);
	}
	chdir(getenv("RAROG_REGIONS"));
	for (d = opendir("."); (e = readdir(d));)
		if (*e->d_name >= '0' && *e->d_name <= '9' && stat(e->d_name, &s) == 0) {
			all++;
			small += s.st_size < 8192;
		}
	printf("%d %d\n", small, all);
	return 0;
}
