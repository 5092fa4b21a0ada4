/* SPDX-License-Identifier: GPL-3.0-or-later */
/* 1,000 calls of each: one returns through a pointer at times, one has a table of its own. */
static volatile int sum;
__attribute__((noinline)) int other(int x) { return sum += x; }
int (*volatile pointer)(int) = other;
__attribute__((noinline)) int through(int x)
{
	if (x % 4) return pointer(x);
	sum ^= x;
	return x * 3;
}
__attribute__((noinline)) int table(int x)
{
	switch (x % 8) {
	case 0: return sum += 3;
	case 1: return sum ^= 5;
	case 2: return sum -= x;
	case 3: return sum *= 3;
	case 4: return sum |= 9;
	case 5: return sum &= 0xffff;
	case 6: return ~sum;
	default: return sum + 11;
	}
}
int main(void)
{
	for (int i = 0; i < 1000; i++) sum += through(i) + table(i);
	return 0;
}
