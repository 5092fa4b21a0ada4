#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
static volatile long work;
static volatile int handled;
static void handler(int number)
{
	(void)number;
	handled++;
}
__attribute__((noinline)) void leaf(void) { work++; }
__attribute__((noinline)) void middle(void)
{
	leaf();
	leaf();
}
int main(void)
{
	const struct itimerval every = { { 0, 500 }, { 0, 500 } };
	signal(SIGALRM, handler);
	setitimer(ITIMER_REAL, &every, NULL);
	for (int i = 0; i < 2000000; i++) middle();
	printf("%ld\n", work);
	return 0;
}
