// SPDX-License-Identifier: GPL-3.0-or-later
// Virtual calls, an exception through a function with something to clean up, a static object.
#include <cstdio>
#include <stdexcept>

struct Shape {
	virtual ~Shape() = default;
	virtual int sides() const = 0;
};

struct Square : Shape {
	int sides() const override;
};

struct Triangle : Shape {
	int sides() const override;
};

__attribute__((noinline)) int Square::sides() const { return 4; }

__attribute__((noinline)) int Triangle::sides() const { return 3; }

struct Guard {
	__attribute__((noinline)) ~Guard() { puts("cleaned up"); }
};

__attribute__((noinline)) int throws(int n)
{
	if (n > 1) throw std::runtime_error("too many");
	return n;
}

__attribute__((noinline)) int count(const Shape &shape, int n)
{
	Guard guard;

	return shape.sides() + throws(n);
}

struct Global {
	__attribute__((noinline)) Global() { puts("global"); }
} global;

int main(int argc, char **)
{
	Square square;
	Triangle triangle;
	int sum = count(square, argc);

	try {
		sum += count(triangle, argc + 1);
	} catch (const std::exception &e) {
		puts(e.what());
	}
	return sum == 77;
}
