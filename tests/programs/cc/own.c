#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
int pthread_create(pthread_t *id, const pthread_attr_t *how, void *(*run)(void *), void *with)
{
	return ((int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))dlsym(
		RTLD_NEXT, "pthread_create"))(id, how, run, with);
}
