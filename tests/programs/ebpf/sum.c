#include <stdio.h>
__attribute__((noinline)) int twice(int n)
{
	__asm__ volatile("" ::: "memory");
	return 2 * n;
}
__attribute__((noinline)) int sum(int n) { return n ? twice(n) + sum(n - 1) : 0; }
int main(void)
{
	for (int i = 0; i < 20; i++) printf("%d\n", sum(i));
	return 0;
}
