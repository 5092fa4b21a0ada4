/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What runs when threads end: destructors of thread_local objects and of pthread_key_create() keys.
 * usage: thread-locals return|exit|cancel|main
 */
#include "expect.h"
#include <cstring>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static pthread_key_t key;
static sem_t ready;
static int destroyed, freed;

extern "C" {
TRACED int leaf(int x)
{
	CALLED();
	return x + 1;
}

TRACED void destroy(int x)
{
	CALLED();
	__atomic_fetch_add(&destroyed, CALL(leaf, x), __ATOMIC_RELAXED);
}

TRACED void free_key(void *value)
{
	CALLED();
	__atomic_fetch_add(&freed, CALL(leaf, (int)(long)value), __ATOMIC_RELAXED);
}
}

struct resource {
	int value;
	~resource()
	{
		destroy(value);
	}
};

static thread_local resource first{ 1 }, second{ 10 };

extern "C" {
TRACED void ends(const char *how, int depth)
{
	resource on_stack{ 100 };

	CALLED();
	if (depth)
		DO(ends, how, depth - 1);
	else if (!strcmp(how, "exit"))
		pthread_exit(NULL);
	else if (!strcmp(how, "cancel"))
		for (sem_post(&ready);;)
			pause();
	BARRIER();
}

TRACED void *thread(void *how)
{
	BEGINS();
	CALLED();
	first.value += second.value;
	pthread_setspecific(key, (void *)1000L);
	DO(ends, (const char *)how, 5);
	return NULL;
}
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "return";

	pthread_key_create(&key, free_key);
	if (!strcmp(how, "main"))
		ends("return", 3);
	for (int i = 0; i < 8; i++) {
		pthread_t id;

		pthread_create(&id, NULL, thread, (void *)how);
		if (!strcmp(how, "cancel")) {
			while (sem_wait(&ready))
				;
			pthread_cancel(id);
		}
		pthread_join(id, NULL);
	}
	printf("%d %d\n", destroyed, freed);
	expect_print();
	return 0;
}
