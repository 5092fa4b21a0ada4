#include <stdio.h>
__attribute__((noinline)) long depth(void)
{
	long n = 0;
	for (void **f = __builtin_frame_address(1); n < 2 && f; f = *f) n++;
	return n;
}
__attribute__((noinline)) long outer(void)
{
	long n = depth();
	__asm__ volatile("");
	return n;
}
int main(void)
{
	printf("%ld\n", outer());
	return 0;
}
