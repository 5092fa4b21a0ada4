#include <stdio.h>
volatile int t;
static void shapes(int n)
{
	for (int i = 0; i < n; i++)
		if (i & 1)
			t += i;
		else
			t -= 1;
	for (int i = 0; i < n; i++)
		if (i & 1)
			if (i & 2)
				t += i;
			else
				t -= 1;
		else
			t -= 2;
	while (n > 3) {
		n--;
		if (n == 4)
			break;
	}
}
int main(void)
{
	for (int i = 0; i < 7; i++)
		shapes(i);
	return 0;
}
