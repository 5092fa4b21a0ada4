#include <stdio.h>
#include <unistd.h>
#ifdef SECOND
__attribute__((noinline)) int other(int n) { return n * 7 + 1; }
#else
int other(int n) { return n; }
#endif
__attribute__((noinline)) int work(int n)
{
	__asm__ volatile("push %%rbx; pop %%rbx" : "+r"(n)::"memory");
	return n + 1;
}
__attribute__((noinline)) int nothing(void) /* has no place for a quick probe: that is said */
{
	__asm__ volatile("");
	return 0;
}
int main(void)
{
	char c;
	int n = nothing();
	if (read(0, &c, 1) != 1) return 1;
	for (int i = 0; i < 1000; i++) n = work(n);
	printf("%d %d\n", n, other(n));
	return 0;
}
