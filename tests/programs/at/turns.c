#include <stdlib.h>
int a[4096];
int main(int argc, char **argv)
{
	int n = argc + atoi(argv[1]), s = 0;
	for (int i = 0; i < n; i++)
		a[i] = 0;
	for (int i = 0; i < n; i++)
		s += a[i] * i;
	return s;
}
