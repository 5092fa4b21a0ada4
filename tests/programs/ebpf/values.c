#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define CALL __attribute__((noinline))
#define HERE __asm__ volatile("" ::: "memory")
struct list {
	struct list *next;
	long length;
	short part;
};
enum color { RED = -2, GREEN = 5 };
CALL int narrow(int8_t a, uint8_t b, int16_t c, uint16_t d, int e, unsigned f)
{
	HERE;
	return a + b + c + d + e + (int)f;
}
CALL long wide(long a, unsigned long b, bool c, char d, enum color e, int f, long g, int h)
{
	HERE;
	return a + (long)b + c + d + e + f + g + h;
}
CALL size_t text(const char *s, const char *bad)
{
	HERE;
	return s ? strlen(s) : bad == s;
}
CALL double real(double x, int k, float y)
{
	HERE;
	return x * k + y;
}
CALL long walk(struct list *l)
{
	HERE;
	return l ? l->length : -1;
}
CALL struct list *make(long n)
{
	struct list *l = calloc(1, sizeof(*l));
	l->length = n;
	l->part = (short)-n;
	l->next = l;
	return l;
}
CALL int last(int n)
{
	HERE;
	return 3 * n;
}
CALL int jump(int n)
{
	HERE;
	return last(n + 1);
}
CALL bool odd(int n)
{
	HERE;
	return n & 1;
}
static char big[70000];
int main(void)
{
	long t = 0;
	memset(big, 'x', sizeof(big) - 1);
	for (int i = -40; i < 40; i++) {
		struct list *l = make(i);
		t += narrow((int8_t)i, (uint8_t)(i * 3), (int16_t)(i * 500), (uint16_t)(i * 700), i * 100000,
			    (unsigned)i);
		t += wide(i * 1000000000L, (unsigned long)-i, i & 1, (char)i, i & 1 ? RED : GREEN, i, i * 7, -i);
		t += (long)text(i % 3 ? "hello world" + (i & 7) : NULL, (char *)(long)i);
		t += (long)real(i / 3.0, i, (float)i) + walk(i % 5 ? l : NULL) + jump(i) + odd(i);
		free(l);
	}
	t += (long)text(big, big) + (long)text(big + 5000, big + sizeof(big) - 1);
	return !printf("%ld\n", t);
}
