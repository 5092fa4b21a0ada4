#include <stdlib.h>
volatile unsigned long sink;
__attribute__((noipa)) void work(void)
{
	for (int i = 0; i < 400000000; i++) sink += i;
}
__attribute__((noipa)) void down(int n)
{
	if (n)
		down(n - 1);
	else
		work();
	sink++;
}
int main(int argc, char **argv)
{
	down(atoi(argv[1]));
	return 0;
}
