/* SPDX-License-Identifier: MIT */
/*
 * Linked before and after everything that has counters, so that these have their pages for themselves: the
 * runtime puts a file there. "R": kept although nothing refers to it.
 */
	.section rarog_counters, "awR", @nobits
	.balign 4096
	.section .note.GNU-stack, "", @progbits
