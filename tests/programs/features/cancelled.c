/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <pthread.h>
#include <rarog.h>
#include <stdio.h>
static int way RAROG_FEATURE_VARIABLE(F);
static volatile int sink;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *none)
{
	pthread_cancel(pthread_self());
	pthread_mutex_lock(&m);
	if (way > 1) {
		for (int k = 0; k < 1000; k++) sink = sink + k;
	}
	pthread_mutex_unlock(&m);
	pthread_testcancel();
	puts("not cancelled");
	return none;
}
int main(int argc, char **argv)
{
	pthread_t t;
	way = argc + 1;
	pthread_create(&t, 0, work, 0);
	pthread_join(t, 0);
	printf("%d %d\n", pthread_mutex_trylock(&m), sink);
	return 0;
}
