/* Numbers: nested loops, early ends, ternaries as arguments, static and variadic functions. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define N 6

static double at(const double *m, int i, int j)
{
	return m[i * N + j];
}

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double largest(int n, ...)
{
	va_list args;
	double most = 0;

	va_start(args, n);
	for (int i = 0; i < n; i++) {
		double value = va_arg(args, double);

		most = value > most ? value : most;
	}
	va_end(args);
	return most;
}

static int pivot(double *m, int column)
{
	int best = -1;

	for (int i = column; i < N; i++) {
		if (at(m, i, column) == 0)
			continue;
		if (best < 0 || at(m, i, column) > at(m, best, column))
			best = i;
	}
	return best;
}

static double determinant(double *m)
{
	double product = 1;

	for (int k = 0; k < N; k++) {
		int best = pivot(m, k);

		if (best < 0)
			return 0;
		for (int j = 0; best != k && j < N; j++) {
			double kept = at(m, k, j);

			m[k * N + j] = at(m, best, j);
			m[best * N + j] = kept;
		}
		product *= best != k ? -at(m, k, k) : at(m, k, k);
		for (int i = k + 1; i < N; i++) {
			double factor = at(m, i, k) / at(m, k, k);

			for (int j = k; j < N; j++) m[i * N + j] -= factor * at(m, k, j);
		}
	}
	return product;
}

int main(void)
{
	double m[N * N];

	for (int i = 0; i < N * N; i++)
		m[i] = (i * 7 + 3) % 11 + (i % (N + 1) == 0 ? 5 : 0);
	printf("%.3f %.1f\n", determinant(m), largest(3, 1.0, 4.0, 2.0));
	qsort(m, N * N, sizeof(*m), compare);
	printf("%d\n", m[0] <= m[N * N - 1]);
	return EXIT_SUCCESS;
}
