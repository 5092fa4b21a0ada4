#include <stdlib.h>
__attribute__((noipa)) double sum(const double *v, long n)
{
	double s = 0;
	for (long i = 0; i < n; i++) s += v[i & 1023];
	return s;
}
int main(void)
{
	double *v = calloc(1024, 8), t = 0;
	for (long n = 0; n < 100000; n += 100) t += sum(v, n);
	return t != 0;
}
