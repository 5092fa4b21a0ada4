#include <rarog.h>
int work(int n);
int work(int n)
{
	int sum = 0;
	RAROG_BEGIN(all);
	while (n-- > 0) {
		RAROG_BEGIN(turn);
		sum += n;
		if (sum > 10) RAROG_POINT(large);
		RAROG_SIZE(table, sum);
		RAROG_FEATURE(depth, -n);
		RAROG_END(turn);
	}
	RAROG_END(all);
	return sum;
}
