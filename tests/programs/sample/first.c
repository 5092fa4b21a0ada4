#include <pthread.h>
#include <unistd.h>
static volatile long n;
__attribute__((noinline)) void spin(void)
{
	for (int i = 0; i < 1000000; i++) n++;
}
static void *run(void *none)
{
	for (;;) spin();
	return none;
}
int main(void)
{
	pthread_t thread;
	alarm(900);
	pthread_create(&thread, NULL, run, NULL);
	pthread_exit(NULL);
}
