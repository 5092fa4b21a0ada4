#include <rarog.h>
__attribute__((noinline)) long square(long n)
{
	volatile long sum = 0;
	RAROG_SIZE(side, n + 1000); /* the last one counts */
	RAROG_SIZE(area, n * n);
	RAROG_SIZE(side, n);
	for (long i = 0; i < n * n; i++) sum += i;
	return sum;
}
int main(void)
{
	long sum = 0;
	for (int i = 0; i < 300; i++) sum += square(20 + 7919 * i % 280);
	return sum == 0;
}
