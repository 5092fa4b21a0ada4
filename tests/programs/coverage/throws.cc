// Exceptions: thrown through frames with destructors, caught by type, thrown again, from a constructor.
#include <cstdio>
#include <stdexcept>
#include <string>

static int alive, gone;

struct Guard {
	Guard() { alive++; }
	~Guard() { alive--; gone++; }
};

struct Picky {
	Guard guard;
	explicit Picky(int n)
	{
		if (n == 3)
			throw std::out_of_range("three");
		value = n;
	}
	int value;
};

static int risky(int n)
{
	Guard guard;

	if (n % 4 == 1)
		throw n;
	if (n % 4 == 2)
		throw std::runtime_error("two");
	Picky picky(n);
	return picky.value;
}

static int safe(int n)
{
	try {
		return risky(n);
	} catch (int e) {
		return -e;
	} catch (const std::out_of_range &e) {
		throw;
	} catch (const std::exception &e) {
		std::string text = e.what();
		return static_cast<int>(text.size());
	}
	return 1000;
}

// clang-format off: its end is on a line with code, which exceptions are told to arrive at
static int several(int n)
{
	for (int i = 0; i < n; i++) {
		try {
			n -= risky(4 * (i / 2) + i % 2);
		} catch (int e) {
			n++;
		}
	}
	return n; }
// clang-format on

int main()
{
	int sum = several(9);

	for (int i = 0; i < 8; i++) {
		try {
			sum += safe(i);
			sum++;
		} catch (...) {
			sum += 50;
		}
	}
	std::printf("%d %d %d\n", sum, alive, gone);
	return 0;
}
