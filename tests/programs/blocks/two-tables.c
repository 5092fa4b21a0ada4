/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A loop with two jumps through tables, entered 5 times for 1, 2, 3, 4 and 5 rounds. */
#include <stdio.h>
static unsigned state;
__attribute__((noipa)) static unsigned step(unsigned x) { return x * 2654435761u + state; }
__attribute__((noipa)) unsigned both(unsigned n)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < n; i++) {
		switch (step(i) % 8) {
		case 0: sum += step(1); break;
		case 1: sum ^= step(sum); break;
		case 2: sum -= 7; break;
		case 3: sum *= 3; break;
		case 4: sum += step(2) ^ sum; break;
		case 5: sum |= 9; break;
		case 6: sum = ~sum; break;
		default: sum += 11;
		}
		switch (step(sum) % 8) {
		case 0: sum ^= step(3); break;
		case 1: sum += step(sum); break;
		case 2: sum -= 17; break;
		case 3: sum *= 5; break;
		case 4: sum ^= step(4) + sum; break;
		case 5: sum &= 0xffff; break;
		case 6: sum = -sum; break;
		default: sum ^= 21;
		}
	}
	return sum;
}
int main(void)
{
	unsigned sum = 0;

	for (unsigned n = 1; n <= 5; n++) state = n, sum += both(n);
	printf("%u\n", sum);
	return 0;
}
