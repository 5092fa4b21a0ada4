#include <rarog.h>
#include <stdio.h>
__attribute__((noinline)) int inner(int i)
{
	RAROG_REGION(inner);
	if (i % 3 == 0)
		throw 1;
	return i;
}
__attribute__((noinline)) int outer(int i)
{
	RAROG_BEGIN(outer);
	try {
		i = inner(i);
	} catch (int) {
		RAROG_POINT(caught);
	}
	RAROG_END(outer);
	return i;
}
int main()
{
	int sum = 0;
	for (int i = 0; i < 300; i++)
		sum += outer(i);
	return printf("%d\n", sum) == 0;
}
