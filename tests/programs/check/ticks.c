#include <pthread.h>
#include <unistd.h>
static volatile int sink;
__attribute__((noinline)) void tick(void) { sink = 1; }
void *work(void *unused)
{
	for (long i = access("more", F_OK) == 0 ? 25000 : 20000; i > 0; i--)
		tick();
	return unused;
}
#ifndef LIBRARY
int main(int argc, char **argv)
{
	pthread_t other;
	(void)argv;
	if (argc > 1)
		pthread_create(&other, NULL, work, NULL);
	work(NULL);
	if (argc > 1)
		pthread_join(other, NULL);
}
#endif
