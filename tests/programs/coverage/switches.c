/* switch with fall-through, default in the middle, goto out of loops, do … while. */
#include <stdio.h>

static int kind(int c)
{
	int n = 0;

	switch (c) {
	case 'a':
		n++;
		/* fallthrough */
	case 'b':
		n += 2;
		break;
	default:
		n += 10;
		break;
	case 'x': case 'y':
		return -1;
	}
	return n;
}

static int search(const int *v, int n, int wanted)
{
	int i, j;

	for (i = 0; i < n; i++)
		for (j = 0; j < n; j++)
			if (v[i] * v[j] == wanted)
				goto found;
	return -1;
found:
	return i * n + j;
}

int main(void)
{
	static const int v[] = { 1, 2, 3, 5, 7 };
	const char *text = "abcxyba";
	int sum = 0;

	do {
		sum += kind(*text);
	} while (*++text);
	for (int k = 0; k < 40; k += 3)
		sum += search(v, 5, k);
	printf("%d\n", sum);
	return 0;
}
