#include <pthread.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) void spin(volatile unsigned n)
{
	while (n > 0)
		n--;
}
static void *run(void *n)
{
	spin((unsigned)(uintptr_t)n);
	return n;
}
int main(void)
{
	pthread_t threads[8];
	for (uintptr_t i = 0; i < 8; i++)
		pthread_create(&threads[i], 0, run, (void *)(i * 100 + 7));
	for (int i = 0; i < 8; i++)
		pthread_join(threads[i], 0);
	if (fork() == 0) {
		spin(3);
		spin(2000);
		_exit(0);
	}
	wait(0);
	return 0;
}
