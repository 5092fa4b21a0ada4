// SPDX-License-Identifier: GPL-3.0-or-later
// Functions whose parameters a test knows. Calls keep optimizers from making them what they are not.
#include <cstdio>
#include <string>
#include <vector>

struct node {
	node *next;
	unsigned length : 20, kind : 12;
	double weight;
};

struct pair {
	int first;
	float second;
};

struct large {
	long many[5];
};

struct owner {
	int *value;
	~owner() { delete value; }
};

struct shape {
	int sides;
	int area(short scale) const;
};

#define OUTSIDE __attribute__((noinline, visibility("default")))

extern "C" OUTSIDE long integers(signed char a, unsigned short b, int c, unsigned long d, bool e, char f, int g, int h)
{
	return a + b + c + (long)d + e + f + g + h;
}

extern "C" OUTSIDE double reals(double a, const void *b, float c, long double d, double e)
{
	return a + (b != nullptr) + c + (double)d + e;
}

extern "C" OUTSIDE long structures(pair a, large b, const node *c, const char *text)
{
	return a.first + b.many[1] + (c ? c->length : 0) + (text ? *text : 0);
}

extern "C" OUTSIDE long library(const std::string &a, std::vector<int> &b, const int &c, owner d)
{
	return (long)(a.size() + b.size()) + c + *d.value;
}

extern "C" OUTSIDE large hidden(int a)
{
	large result = {};
	result.many[0] = a;
	return result;
}

OUTSIDE int shape::area(short scale) const
{
	return sides * scale;
}

int main(int argc, char **argv)
{
	std::vector<int> numbers(3, argc);
	node first = { nullptr, 3, 4, 0.5 };
	shape square = { 4 };
	long sum = integers(1, 2, argc, 4, true, 'f', 7, 8);

	sum += (long)reals(1, argv, 2, 3, 4) + structures({ argc, 2 }, hidden(argc), &first, argv[0]);
	sum += library(argv[0], numbers, argc, owner{ new int(argc) }) + square.area((short)argc);
	std::printf("%ld\n", sum);
	return 0;
}
