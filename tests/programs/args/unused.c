/* The compiler sees that handle() does not use two of its parameters, and does not pass them. */
#include <stdio.h>
__attribute__((noinline)) int handle(int id, int flags, const char *why)
{
	__asm__ volatile("");
	return id * 1000 + 7777;
}
int main(int c, char **v)
{
	int s = 0;
	for (int i = 0; i < 3; i++) s += handle(i + c + 9, 7 * c, "because");
	printf("%d\n", s);
}
