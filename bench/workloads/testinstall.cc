// SPDX-License-Identifier: GPL-3.0-or-later
// re2's testinstall.cc, whose main() is test_install() here, as often as the first argument says.
#include <cstdlib>

int test_install();

int main(int argc, char **argv)
{
	int failed = 0;

	for (int i = argc > 1 ? std::atoi(argv[1]) : 100; i > 0; i--)
		failed |= test_install();
	return failed;
}
