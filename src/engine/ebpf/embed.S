/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The object file of trace.bpf.c as data of rarog. */
	.section .rodata
	.globl	rarog_ebpf_object, rarog_ebpf_object_end
	.p2align 6
rarog_ebpf_object:
	.incbin	OBJECT
rarog_ebpf_object_end:
	.section .note.GNU-stack, "", @progbits
