/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All that may lead control elsewhere than a graph of blocks says. */
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <execinfo.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static long ended;

struct guard {
	int value;
	~guard() { ended += value; }
};

__attribute__((noinline)) static int throws(int n)
{
	guard g{ n };

	if (n % 3 == 0)
		throw std::runtime_error("of " + std::to_string(n));
	if (n % 7 == 0)
		throw n;
	return n * 2;
}

__attribute__((noinline)) static int catches(int n)
{
	guard g{ 1 };

	try {
		return throws(n);
	} catch (const std::exception &e) {
		return (int)std::string(e.what()).size();
	} catch (int i) {
		if (i > 30)
			throw;
		return -i;
	}
}

static jmp_buf place;

__attribute__((noinline)) static void jumps(int n)
{
	if (n == 0)
		longjmp(place, 1);
	jumps(n - 1);
	ended++;
}

/* A table of labels, as interpreters have one. */
__attribute__((noinline)) static long interprets(const unsigned char *code, int n)
{
	static void *const labels[] = { &&add, &&times, &&flip, &&minus };
	long sum = 0;
	int i = 0;

	goto *labels[code[0] & 3];
add:
	sum += 1;
	if (++i >= n)
		return sum;
	goto *labels[code[i % 16] & 3];
times:
	sum *= 3;
	if (++i >= n)
		return sum;
	goto *labels[code[i % 16] & 3];
flip:
	sum ^= 5;
	if (++i >= n)
		return sum;
	goto *labels[code[i % 16] & 3];
minus:
	sum -= 2;
	if (++i >= n)
		return sum;
	goto *labels[code[i % 16] & 3];
}

__attribute__((noinline)) static int chooses(int n)
{
	switch (n) {
	case 0: return 5;
	case 1: return 7;
	case 2: return n * 3 + (int)ended;
	case 3: return 11;
	case 4: puts("four"); return 1;
	case 5: return 99;
	case 6: return n ^ 77;
	default: return -1;
	}
}

__attribute__((noinline)) static int depth(void)
{
	void *frames[30];

	return backtrace(frames, 30);
}

static void works(long *result, int n)
{
	long sum = 0;

	for (int i = 0; i < n; i++)
		for (int k = 0; k < (i & 7); k++)
			sum += i ^ k;
	*result = sum;
}

int main()
{
	unsigned char code[16];
	std::vector<std::thread> threads;
	long results[4], sum = 0;

	for (int i = 1; i < 60; i++)
		try {
			sum += catches(i);
		} catch (int n) {
			sum += 1000 * n;
		}
	for (int i = 0; i < 10; i++)
		if (!setjmp(place))
			jumps(i + 3);
	for (int i = 0; i < 16; i++)
		code[i] = (unsigned char)(i * 7 % 11);
	for (int i = 0; i < 40; i++)
		sum += chooses(i % 8);
	printf("%ld %ld %ld, %d frames\n", sum, ended, interprets(code, 5000), depth());
	for (int i = 0; i < 4; i++)
		threads.emplace_back(works, &results[i], 20000 + i);
	for (auto &thread : threads)
		thread.join();
	printf("%ld\n", results[0] + results[1] + results[2] + results[3]);
	exit(5);
}
