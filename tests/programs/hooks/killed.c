#include <signal.h>
#include <rarog.h>
static long grow(long n)
{
	RAROG_SIZE(n, n);
	__asm__ volatile("" : "+r"(n));
	return n;
}
int main(void)
{
	for (long i = 0; i < 1000; i++)
		if (grow(i) == 900) raise(SIGKILL);
}
