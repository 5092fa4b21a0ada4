#include <stdio.h>
__attribute__((noinline)) int f(int n) { return n < 2 ? 1 : f(n - 1) + f(n - 2); }
int main(void)
{
	printf("%d\n", f(10));
	return 7;
}
