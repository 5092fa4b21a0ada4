#include <time.h>
__attribute__((noipa)) void sleeps(void) { nanosleep(&(struct timespec){ .tv_nsec = 300000000 }, NULL); }
__attribute__((noipa)) void works(void)
{
	for (volatile long i = 0; i < 30000000; i++)
		;
}
int main(void)
{
	works();
	sleeps();
	return 0;
}
