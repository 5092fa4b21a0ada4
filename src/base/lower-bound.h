/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where in a sorted list something stands, or would. */
#ifndef RAROG_BASE_LOWER_BOUND_H
#define RAROG_BASE_LOWER_BOUND_H

#include <stddef.h>

/**
 * rarog_lower_bound() - the first of 0 … @n - 1 for which @is_before is false, @n if there is none
 * @i: the name that a number has in @is_before
 * @is_before: an expression of @i; entries for which it is true come before all others
 */
#define rarog_lower_bound(i, n, is_before)                                                         \
	__extension__({                                                                            \
		size_t low_ = 0, high_ = (n);                                                      \
		while (low_ < high_) {                                                             \
			size_t i = low_ + (high_ - low_) / 2;                                      \
			if (is_before)                                                             \
				low_ = i + 1;                                                      \
			else                                                                       \
				high_ = i;                                                         \
		}                                                                                  \
		low_;                                                                              \
	})

#endif
