#include <stdio.h>
__attribute__((noinline)) int work(int n);
__attribute__((noinline)) int work(int n)
{
	volatile int sum = 0;
	for (int i = 0; i < n; i++) sum += i;
	return sum;
}
int main(int argc, char **argv)
{
	long sum = argv[0] == 0;
	for (int i = 0; i < 3000; i++) sum += work(argc > 1 ? 1 : 10000);
	printf("%ld\n", sum);
	return 7;
}
