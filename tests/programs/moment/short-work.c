#include <unistd.h>
static volatile long n;
__attribute__((noinline, noclone)) long work(long x)
{
	n += x;
	return n;
}
int main(void)
{
	for (int i = 0; i < 30; i++) work(i);
	return write(1, "runs\n", 5) != 5;
}
