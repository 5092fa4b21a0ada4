/* Loops in all forms, break and continue, bodies on the line of the head, empty bodies. */
#include <stdio.h>
#include <string.h>

static unsigned hash(const char *s)
{
	unsigned h = 5381;

	while (*s) h = h * 33 + (unsigned char)*s++;
	return h;
}

static int primes(int n)
{
	char sieve[200];
	int count = 0;

	memset(sieve, 1, sizeof(sieve));
	for (int i = 2; i < n; i++) {
		if (!sieve[i])
			continue;
		count++;
		for (int k = 2 * i; k < n; k += i) sieve[k] = 0;
		if (count > 40)
			break;
	}
	return count;
}

int main(void)
{
	static const char *const words[] = { "a", "list", "of", "words", NULL };
	unsigned sum = 0;
	int i;

	for (i = 0; words[i]; i++)
		sum ^= hash(words[i]);
	for (i = 0; i < 100 && i * i < 50; i++)
		;
	for (;;) {
		if (++i > 20)
			break;
	}
	printf("%u %d %d\n", sum, primes(200), i);
	return 0;
}
