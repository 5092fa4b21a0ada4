/* &&, || and ?: on one line and over several; values that differ from turn to turn. */
#include <stdio.h>

static int small(int n)
{
	return n < 3;
}

static int odd(int n)
{
	return n & 1;
}

static int choose(int n)
{
	return n > 5 ? n > 8 ? 3 : 2
		     : small(n) ? 1 : 0;
}

static int both(int n)
{
	if (small(n) && odd(n))
		return 1;
	if (small(n) || odd(n))
		return 2;
	return small(n) &&
	       odd(n) &&
	       n > 100;
}

int main(void)
{
	int sum = 0;

	for (int i = 0; i < 10; i++) {
		sum += choose(i);
		sum += both(i) ? both(i) : 1; if (i == 7) sum++;
		while (sum > 1000)
			sum -= 10;
	}
	printf("%d\n", sum);
	return sum > 1000000 ? 1 : 0;
}
