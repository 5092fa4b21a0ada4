/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <pthread.h>
#include <rarog.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
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
	struct rlimit limit = { 3, 3 };
	way = argc;
	if (argc == 1) clearenv();
	if (argc == 2) setrlimit(RLIMIT_NOFILE, &limit);
	if (argc == 3) setrlimit(RLIMIT_FSIZE, &limit);
	for (int i = 0; i < 5; i++) {
		pthread_t t;
		pthread_create(&t, 0, work, 0);
		pthread_join(t, 0);
	}
	return sink != 5 * 499500;
}
