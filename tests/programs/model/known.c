/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * known [REPEATS]: functions of which textbooks know how their cost grows with n, over sizes that grow
 * by a factor. What they work on is made before they are called.
 */
#include <stdlib.h>
#include <string.h>

#define KNOWN __attribute__((noinline, noclone)) void
#define MOST  40000

static volatile long sink;
static long numbers[MOST], work[MOST], sorted[MOST];
static char text[MOST + 1], other[MOST + 1];
static unsigned seed = 1;

static unsigned draw(void) { return seed = seed * 1664525u + 1013904223u; }

/* constant */
KNOWN first_of(long n)
{
	for (int i = 0; i < 20; i++) sink += numbers[n - 1];
}

KNOWN hash_find(long n)
{
	for (int i = 0; i < 20; i++) sink += numbers[(unsigned long)n * 2654435761u % 1024];
}

/* logarithmic */
KNOWN halve(long n)
{
	for (; n > 0; n /= 2)
		for (int i = 0; i < 20; i++) sink += n;
}

KNOWN search(long n)
{
	for (int i = 0; i < 8; i++) {
		long low = 0, high = n, wanted = sorted[(unsigned long)n * (unsigned long)(2 * i + 1) / 16];

		while (low < high) {
			long middle = (low + high) / 2;

			sink++;
			if (sorted[middle] < wanted)
				low = middle + 1;
			else
				high = middle;
		}
	}
}

/* linear */
KNOWN sum_up(long n)
{
	for (long i = 0; i < n; i++) sink += numbers[i];
}

KNOWN largest(long n)
{
	long most = 0;

	for (long i = 0; i < n; i++) {
		if (numbers[i] > most) most = numbers[i];
		sink = most;
	}
}

KNOWN reverse(long n)
{
	for (long i = 0, k = n - 1; i < k; i++, k--) {
		char c = text[i];

		text[i] = text[k];
		text[k] = c;
	}
}

KNOWN count_letters(long n)
{
	static int counts[256];

	for (long i = 0; i < n; i++) counts[(unsigned char)text[i]]++;
	sink += counts['a'];
}

struct node {
	struct node *next;
	long value;
} nodes[MOST];

KNOWN walk_list(long n)
{
	const struct node *node = nodes;

	for (long i = 0; i < n; i++, node = node->next) sink += node->value;
}

/* linearithmic */
static int compare(const void *a, const void *b)
{
	long x = *(const long *)a, y = *(const long *)b;

	return (x > y) - (x < y);
}

KNOWN library_sort(long n) { qsort(work, (size_t)n, sizeof(*work), compare); }

static void sift(long v[], long at, long n)
{
	for (long child; (child = 2 * at + 1) < n; at = child) {
		long one = v[at];

		if (child + 1 < n && v[child + 1] > v[child]) child++;
		if (v[child] <= one) return;
		v[at] = v[child];
		v[child] = one;
	}
}

KNOWN heap_sort(long n)
{
	for (long i = n / 2; i-- > 0;) sift(work, i, n);
	for (long i = n - 1; i > 0; i--) {
		long top = work[0];

		work[0] = work[i];
		work[i] = top;
		sift(work, 0, i);
	}
}

/* quadratic */
KNOWN bubble_sort(long n)
{
	for (long end = n; end > 1; end--)
		for (long i = 1; i < end; i++) {
			long one = work[i - 1];

			sink++;
			if (one <= work[i]) continue;
			work[i - 1] = work[i];
			work[i] = one;
		}
}

KNOWN all_pairs(long n)
{
	for (long i = 0; i < n; i++)
		for (long k = 0; k < n; k++) sink += numbers[i] ^ numbers[k];
}

KNOWN common_part(long n)
{
	static int row[MOST + 1];

	memset(row, 0, sizeof(*row) * (size_t)(n + 1));
	for (long i = 0; i < n; i++)
		for (long k = 1, before = 0; k <= n; k++) {
			int old = row[k];

			row[k] = text[i] == other[k - 1] ? (int)before + 1 : row[k] > row[k - 1] ? row[k] : row[k - 1];
			before = old;
		}
	sink += row[n];
}

KNOWN times_vector(long n)
{
	for (long i = 0; i < n; i++) {
		long sum = 0;

		for (long k = 0; k < n; k++) {
			sum += numbers[(i * 7 + k) % 1024] * sorted[k];
			sink = sum;
		}
	}
}

/* cubic */
static long a[160][160], b[160][160], c[160][160];

KNOWN multiply(long n)
{
	for (long i = 0; i < n; i++)
		for (long k = 0; k < n; k++) {
			long sum = 0;

			for (long m = 0; m < n; m++) sum += a[i][m] * b[m][k];
			c[i][k] = sum;
		}
}

KNOWN shortest_ways(long n)
{
	for (long m = 0; m < n; m++)
		for (long i = 0; i < n; i++)
			for (long k = 0; k < n; k++)
				if (a[i][m] + a[m][k] < a[i][k]) a[i][k] = a[i][m] + a[m][k];
}

/* n^1.5 */
KNOWN roots(long n)
{
	for (long i = 0; i < n; i++)
		for (long k = 0; k * k < n; k++) sink += k;
}

/* exponential */
static long fibonacci_of(long n)
{
	sink++;
	return n < 2 ? n : fibonacci_of(n - 1) + fibonacci_of(n - 2);
}

KNOWN fibonacci(long n) { sink += fibonacci_of(n); }

KNOWN subsets(long n)
{
	for (long set = 0; set < 1L << n; set++) sink += set & 1;
}

static const struct {
	void (*call)(long n);
	long from, to;
	double factor;
	long step; /* instead of a factor */
} all[] = {
	{ first_of, 10, 10000, 1.6, 0 },    { hash_find, 10, 10000, 1.6, 0 },
	{ halve, 4, 1L << 40, 16, 0 },      { search, 10, 30000, 1.7, 0 },
	{ sum_up, 10, 10000, 1.6, 0 },      { largest, 10, 10000, 1.6, 0 },
	{ reverse, 20, 20000, 1.6, 0 },     { count_letters, 10, 10000, 1.6, 0 },
	{ walk_list, 10, 8000, 1.6, 0 },    { library_sort, 10, 10000, 1.6, 0 },
	{ heap_sort, 10, 10000, 1.6, 0 },   { bubble_sort, 10, 600, 1.4, 0 },
	{ all_pairs, 10, 600, 1.4, 0 },     { common_part, 10, 600, 1.4, 0 },
	{ times_vector, 10, 600, 1.4, 0 },  { multiply, 6, 150, 1.25, 0 },
	{ shortest_ways, 6, 150, 1.25, 0 }, { roots, 10, 5000, 1.5, 0 },
	{ fibonacci, 4, 24, 0, 1 },         { subsets, 2, 18, 0, 1 },
};

static void prepare(long n)
{
	for (long i = 0; i < n && i < MOST; i++) work[i] = (long)draw();
	for (int i = 0; i < 150; i++)
		for (int k = 0; k < 150; k++) a[i][k] = b[i][k] = (long)(draw() >> 12);
}

static void fill(void)
{
	for (long i = 0; i < MOST; i++) {
		numbers[i] = (long)(draw() >> 8);
		sorted[i] = 3 * i;
		text[i] = (char)('a' + draw() % 4);
		other[i] = (char)('a' + draw() % 4);
		nodes[i] = (struct node){ &nodes[(i + 1) % MOST], i };
	}
}

int main(int argc, char **argv)
{
	int repeats = argc > 1 ? atoi(argv[1]) : 15;

	fill();
	for (int round = 0; round < repeats; round++)
		for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
			for (long n = all[i].from; n <= all[i].to;
			     n = all[i].step ? n + all[i].step : (long)((double)n * all[i].factor + 1)) {
				prepare(n);
				all[i].call(n);
			}
	return 0;
}
