/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Inlined calls whose place is known: every line that ends in "INLINED name" is a call site of
 * what is demangled as that name; the test reads them from this file.
 */
#include <cstdio>
#include <vector>

#define ALWAYS inline __attribute__((always_inline))

namespace shapes
{
struct square {
	int side;

	inline __attribute__((always_inline)) int area() const
	{
		return side * side;
	}
};

ALWAYS int twice(int x)
{
	return 2 * x + (x >> 3);
}

ALWAYS int four_times(int x)
{
	return twice(x) + // INLINED shapes::twice(int)
	       twice(x + 1); // INLINED shapes::twice(int)
}
} // namespace shapes

extern "C" {
static ALWAYS int plain(int x)
{
	return x ^ (x << 7);
}
}

int __attribute__((noinline)) first_host(int x)
{
	shapes::square s{ x };
	int sum = plain(x); // INLINED plain(int)

	sum += s.area(); // INLINED shapes::square::area() const
	return sum + shapes::four_times(x); // INLINED shapes::four_times(int)
}

template <class T> int __attribute__((noinline)) second_host(T x)
{
	return plain((int)x) - 1; // INLINED plain(int)
}

int main(int argc, char **)
{
	std::vector<int> v;

	v.push_back(argc);
	return (first_host(argc) + second_host<int>(v[0]) + second_host<char>((char)argc)) == 1;
}
