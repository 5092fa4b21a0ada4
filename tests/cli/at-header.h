/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A line of a header is in each function that it was inlined into. */
static inline long in_header(long n)
{
	HERE_IN_HEADER; /* counted */
	return n * 3;
}
