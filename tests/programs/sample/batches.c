/* Batches of calls with a sleep after each, so that the process that watches gets the processor, too. */
#include <unistd.h>

static volatile long sum;

__attribute__((noinline)) static void often(void)
{
	sum++;
	sum++;
}

__attribute__((noinline)) static void batch(void)
{
	for (int i = 0; i < 100; i++) often();
}

int main(void)
{
	for (int i = 0; i < 300; i++) {
		batch();
		usleep(1000);
	}
	return 0;
}
