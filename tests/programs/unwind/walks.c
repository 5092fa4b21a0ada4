/* Takes its backtrace, as heap samplers and loggers do, and then calls nothing for a while. */
#include <execinfo.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#ifdef LIBUNWIND
int unw_backtrace(void **frames, int n);
#define backtrace unw_backtrace
#endif
__attribute__((noinline)) int sampled(void)
{
	void *frames[32];
	int n = backtrace(frames, 32);
	__asm__ volatile("");
	return n;
}
__attribute__((noinline)) int quick(void)
{
	int n = sampled();
	__asm__ volatile("");
	return n;
}
int main(void)
{
	int n = quick();
	for (int i = 0; i < 3; i++) {
		n = quick();
		usleep(200000);
	}
	printf("%d frames\n", n);
	return 0;
}
