// SPDX-License-Identifier: GPL-3.0-or-later
// Methods and templates that are inlined also where nothing is optimised, with exceptions.
#include <cstdio>
#include <vector>

#define INLINE __attribute__((always_inline))

template <class T> struct stack {
	std::vector<T> items;

	INLINE void push(const T &item)
	{
		if (items.size() >= 3)
			throw 1;
		items.push_back(item);
	}

	INLINE T pop()
	{
		T last = items.back();

		items.pop_back();
		return last;
	}
};

static INLINE inline int guarded(stack<int> &s, int x)
{
	try {
		s.push(x);
	} catch (int) {
		s.pop();
		return 1;
	}
	return 0;
}

int main()
{
	stack<int> numbers;
	stack<double> others;
	int n = 0;

	for (int i = 0; i < 10; i++)
		n += guarded(numbers, i);
	for (int i = 0; i < 3; i++)
		others.push(i);
	while (!others.items.empty())
		n += static_cast<int>(others.pop());
	std::printf("%d\n", n);
}
