/* SPDX-License-Identifier: MIT */
/* What edge.S is at the end, for mold: that takes the end of a section to be that of its last byte. */
	.section rarog_counters, "awR", @nobits
	.balign 4096
	.skip 4096
	.section .note.GNU-stack, "", @progbits
