/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fibers of Boost.Context: 8 of them, resumed in turn from nested frames; one ends by an exception.
 */
#include "expect.h"
#include <boost/context/fiber.hpp>
#include <stdexcept>
#include <vector>

namespace context = boost::context;

extern "C" {
TRACED int leaf(int x)
{
	CALLED();
	return x + 1;
}
}

TRACED int yields(context::fiber &back, int depth)
{
	CALLED();
	if (depth) {
		int r = CALL(yields, back, depth - 1);

		return CALL(leaf, r);
	}
	back = std::move(back).resume();
	return CALL(leaf, 1);
}

TRACED context::fiber body(context::fiber back, int who)
{
	CALLED();
	try {
		for (int i = 0; i < 40; i++) {
			CALL(yields, back, (i + who) % 5);
			if (who == 3 && i == 20)
				throw std::runtime_error("enough");
		}
	} catch (const std::runtime_error &) {
		CALL(leaf, who);
	}
	return back;
}

int main()
{
	std::vector<context::fiber> fibers;
	int resumed = 0;

	for (int i = 0; i < 8; i++)
		fibers.emplace_back(
			[i](context::fiber &&back) { return body(std::move(back), i); });
	for (bool left = true; left;) {
		left = false;
		for (auto &fiber : fibers)
			if (fiber) {
				fiber = std::move(fiber).resume();
				resumed++;
				left = true;
			}
	}
	printf("%d\n", resumed);
	expect_print();
	return 0;
}
