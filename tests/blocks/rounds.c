/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops around loops, whose rounds a variable tells, or seems to. */
#include <stdint.h>
#include <stdlib.h>

struct wide {
	int key, more[5];
};

static unsigned char text[4096];
static struct wide list[300];
volatile unsigned sink;

static unsigned inside(const unsigned char *at, unsigned n)
{
	unsigned sum = 0;

	while (n-- > 0 && at[n] != 7)
		sum += at[n] * 3 + (sum >> 5);
	return sum;
}

/* Up from a number that is not constant, out of it in three ways. */
__attribute__((noinline)) unsigned up(unsigned from, unsigned to)
{
	unsigned sum = 0;

	for (unsigned i = from; i != to; i++) {
		sum += inside(text + i % 64, i % 9);
		if (sum == 12345)
			return i;
		if (sum % 8191 == 17)
			break;
	}
	return sum;
}

/* Down, with two ways back to the header. */
__attribute__((noinline)) unsigned down(unsigned n)
{
	unsigned sum = 1;

	do {
		if (text[n % 4096] & 1)
			continue;
		sum += inside(text + n % 128, n % 5);
	} while (--n != 0);
	return sum;
}

/* Of 32 bits without sign, by steps that come round. */
__attribute__((noinline)) unsigned comes_round(unsigned n)
{
	unsigned i = 5, sum = 0;

	while (n-- > 0) {
		i += 0x50000000u;
		sum += inside(text + (i >> 26), i >> 29);
	}
	return sum + i;
}

/* A pointer, 24 bytes further each time, and back. */
__attribute__((noinline)) unsigned far(struct wide *from, struct wide *to)
{
	unsigned sum = 0;

	for (struct wide *at = from; at < to; at++)
		for (int i = 0; i < at->key; i++)
			sum += (unsigned)at->more[i % 5] ^ sum >> 3;
	for (struct wide *at = to; at-- > from && at->key != 4;)
		for (int i = 0; i < at->key; i++)
			sum ^= (unsigned)at->more[i % 5] + sum;
	return sum;
}

/* Both loops have one header for the source; the optimiser makes of them what it likes. */
__attribute__((noinline)) int partition(int low, int high)
{
	int swaps = 0;

	for (;;) {
		while (low <= high && text[low] < 100)
			low += 3;
		while (high >= low && text[high] >= 100)
			high -= 2;
		if (low > high)
			return swaps;
		unsigned char kept = text[low];

		text[low] = text[high];
		text[high] = kept;
		low++;
		swaps++;
	}
}

/* Decisions of three ways by one comparison. */
__attribute__((noinline)) int order(const unsigned char *a, const unsigned char *b, int n)
{
	for (int i = 0; i < n; i++)
		for (int k = i; k < n; k += 2)
			if (a[k] != b[k])
				return a[k] > b[k];
	return -1;
}

__attribute__((noinline)) int never(unsigned from, unsigned to)
{
	int sum = 0;

	for (; from < to; from += 2)
		for (unsigned k = from; k < to && !(k & 64); k++)
			sum += text[k];
	return sum;
}

int main(void)
{
	for (unsigned i = 0; i < sizeof(text); i++)
		text[i] = (unsigned char)(i * 2654435761u >> 13);
	for (int i = 0; i < 300; i++)
		list[i] = (struct wide){ i % 11, { i, 2 * i, 3, 4, i } };
	for (unsigned i = 1; i < 300; i++) {
		sink += up(i, 3 * i) + up(0u - i, i) + down(i) + comes_round(i % 40);
		sink += far(list, list + i) + far(list + i, list + i);
		sink += (unsigned)partition((int)i, (int)(4095 - i));
		sink += (unsigned)order(text, text + i % 8, (int)i) + (unsigned)never(i, 300);
	}
	return sink == 42;
}
