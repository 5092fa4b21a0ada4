#include "in/inner.h"
static void all(int n)
{
	for (int i = 0; i < n; i++)
		count(i);
}
int main(void)
{
	all(10);
	return 0;
}
