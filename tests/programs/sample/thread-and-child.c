#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
#define WORK(name, rounds)                                                                                             \
	__attribute__((noipa)) void *name(void *p)                                                                     \
	{                                                                                                              \
		for (volatile long i = 0; i < rounds; i++)                                                             \
			;                                                                                              \
		return p;                                                                                              \
	}
WORK(in_thread, 100000000)
WORK(in_child, 50000000)
WORK(in_main, 50000000)
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, in_thread, NULL);
	if (fork() == 0) {
		in_child(NULL);
		_exit(0);
	}
	in_main(NULL);
	pthread_join(thread, NULL);
	wait(NULL);
	return 0;
}
