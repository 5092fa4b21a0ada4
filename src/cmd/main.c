/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

int main(void)
{
	puts("rarog 0.1.0");
	return 0;
}
