/* Loops that gcc unrolls, or not, by pragmas; what it did -fopt-info-loop-optimized says. */
#include <stdio.h>
#include <stdlib.h>

#define N 4000

static double a[N], b[N];
static int v[N], m[64][4], r[64];

__attribute__((noipa)) static double sum(int n)
{
	double s = 0;
#pragma GCC unroll 4
	for (int i = 0; i < n; i++)
		s += a[i] * b[i];
	return s;
}

__attribute__((noipa)) static void scale(int n)
{
#pragma GCC unroll 2
	for (int i = 0; i < n; i++) {
		a[i] = b[i] * 3.0;
		v[i]++;
	}
}

__attribute__((noipa)) static int find(int n, int x)
{
	int k = 0;
#pragma GCC unroll 8
	for (int i = 0; i < n; i++) {
		if (v[i] == x)
			k += 2;
		else
			b[i] = k;
	}
	return k;
}

/* Each copy of the body may leave. */
__attribute__((noipa)) static int walk(const char *s)
{
	int n = 0;
#pragma GCC unroll 4
	while (*s) {
		if (*s == 'x')
			n++;
		s++;
	}
	return n;
}

__attribute__((noipa)) static void plain(int n)
{
#pragma GCC unroll 1
	for (int i = 0; i < n; i++) {
		a[i] = b[i] / (1 + v[i]);
		b[i] += 1;
	}
}

/* The inner loop is unrolled as a whole, so it is none any more. */
__attribute__((noipa)) static int whole(int n)
{
	int s = 0;
#pragma GCC unroll 1
	for (int i = 0; i < n; i++) {
#pragma GCC unroll 4
		for (int k = 0; k < 4; k++)
			s ^= m[i][k] * 3;
	}
	return s;
}

__attribute__((noipa)) static int inner(int n)
{
	int s = 0;
#pragma GCC unroll 1
	for (int i = 0; i < n; i++) {
#pragma GCC unroll 2
		for (int k = 0; k < n; k++)
			s ^= m[k][i & 3] * i;
		r[i] = s;
	}
	return s;
}

static inline int twice(int x)
{
	r[x & 63] += x;
	return x * 7;
}

__attribute__((noipa)) static int inlined(int n)
{
	int s = 0;
#pragma GCC unroll 1
	for (int i = 0; i < n; i++) {
		s += twice(i);
		s ^= twice(s);
	}
	return s;
}

/* -funroll-loops decides. */
__attribute__((noipa)) static int free_choice(int n)
{
	int s = 0;

	for (int i = 0; i < n; i++)
		s = (s ^ v[i]) * 5;
	return s;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1003;

	for (int i = 0; i < 64; i++)
		m[i][i & 3] = i * argc;
	printf("%f\n", sum(n));
	scale(n);
	plain(n);
	printf("%d %d %d %d %d %d\n", find(n, 1), walk("xxaxaxaxaxaxaxaxaxxxx"), whole(63),
	       inner(63), inlined(n), free_choice(n));
	return 0;
}
