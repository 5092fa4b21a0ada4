#include <unistd.h>

/* no code */
__attribute__((noinline)) void empty(void) { __asm__ volatile(""); }
__attribute__((noinline)) int turns(void)
{
	int n;
	empty();
	__asm__ volatile("xor %0, %0\n1: inc %0\n cmp $9, %0\n jne 1b" : "=&r"(n) :: "cc");
	empty();
	return n;
}
int main(void)
{
	int n = turns();
	empty();
	return n != 9;
}
