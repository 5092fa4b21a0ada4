#include <stdio.h>
static volatile int sink;
static unsigned long taken[8];
__attribute__((noinline)) void decide(unsigned n)
{
	int a = n % 2 == 0, b = n % 3 == 0, c = n % 5 == 0;
	taken[a + 2 * b + 4 * c]++;
	if (a)
		sink = 1;
	if (b)
		sink = 2;
	if (c)
		sink = 3;
}
int main(void)
{
	for (unsigned i = 0; i < 1000; i++)
		decide(i);
	for (int i = 0; i < 8; i++)
		printf("%lu\n", taken[i]);
	return 0;
}
