#include <stdio.h>
static int calls;
int open;
int read(void)
{
	int n;
	calls++;
	return scanf("%d", &n) == 1 ? n : -1;
}
void close(void) { calls++; }
void unlink(int *n) { (*n)++; }
int main(void)
{
	int n = read();
	close();
	unlink(&n);
	printf("%d, %d calls, %d\n", n, calls, open);
	return 0;
}
