#include <execinfo.h>
#include <stdio.h>
__attribute__((noinline)) int dive(int n)
{
	void *frames[64];
	return (n ? dive(n - 1) : backtrace(frames, 64)) + 1;
}
int main(void) { return !printf("%d\n", dive(5)); }
