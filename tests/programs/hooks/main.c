#include <stdio.h>
#include "count.h"
extern long shared_calls;
static long helper(long n)
{
	calls[2]++;
	return list_push(n) + shared_twice(n);
}
int main(void)
{
	long sum = 0;
	for (long i = 0; i < 30; i++) sum += i % 3 ? helper(i) : list_find(i);
	printf("%ld: %ld %ld %ld %ld\n", sum, calls[0], calls[1], calls[2], shared_calls);
	return 0;
}
