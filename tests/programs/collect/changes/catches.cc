/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a function catches is in no instruction of it. */
#define N __attribute__((noinline, noipa))

N int throws(int x)
{
	if (x > 90) throw x;
	return x;
}

N int catches(int x)
{
	try {
		return throws(x);
	} catch (CAUGHT &) {
		return 1;
	}
}

N int passes(int x)
{
	try {
		return throws(x);
	} catch (...) {
		return 1;
	}
}

int main(int argc, char **) { return catches(argc) + passes(argc) == 0; }
