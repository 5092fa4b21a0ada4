/* SPDX-License-Identifier: MIT */
/* The agent's bytes as data of rarog. */
	.section .rodata
	.globl	rarog_agent_blob, rarog_agent_blob_end
	.p2align 6
rarog_agent_blob:
	.incbin	BLOB
rarog_agent_blob_end:
	.skip	16, 0xcc	/* a reader of the last instructions reads as much of each */
	.section .note.GNU-stack, "", @progbits
