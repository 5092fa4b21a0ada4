#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static size_t pages;
static void *touch(void *arg)
{
	size_t size = pages * 4096;
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(memory, size, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < size; i += 4096) memory[i] = 1;
	return arg;
}
int main(int argc, char **argv)
{
	struct timespec moment = { .tv_nsec = 100000 };
	pthread_t thread;
	pages = (size_t)atoi(argv[1]);
	touch(NULL);
	if (strchr(argv[2], 't')) {
		pthread_create(&thread, NULL, touch, NULL);
		pthread_join(thread, NULL);
	}
	if (strchr(argv[2], 'c') && fork() == 0) {
		touch(NULL);
		_exit(0);
	}
	while (wait(NULL) > 0)
		;
	for (int i = 0; strchr(argv[2], 's') && i < 100; i++) nanosleep(&moment, NULL);
	if (strchr(argv[2], 'k')) raise(SIGKILL);
	return argc - 3;
}
