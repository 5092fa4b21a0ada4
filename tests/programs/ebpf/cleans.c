#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static void leave(int *n) { printf("left %d\n", *n); }
__attribute__((noinline)) void dive(int n)
{
	__attribute__((cleanup(leave))) int x = n;
	while (n == 0) pause();
	dive(n - 1);
	x += n;
}
static void *run(void *argument)
{
	dive(3);
	return argument;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, run, NULL);
	pthread_cancel(thread);
	return pthread_join(thread, NULL);
}
