#include <stdio.h>
long runtime(long n);
int main(void)
{
	printf("%ld\n", runtime(1000));
	return 0;
}
