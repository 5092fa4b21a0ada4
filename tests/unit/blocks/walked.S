/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A library without code of its own: test-machine-use.c writes a function into the arena, and its
 * jump tables, both into the file's bytes and into memory.
 */
	.text
	.p2align 4
	.globl	arena
	.type	arena, @function
arena:
	.cfi_startproc
	.fill	8192, 1, 0xcc
	.cfi_endproc
	.size	arena, . - arena

/* What a callee may do: change every register that is the callee's. */
	.p2align 4
	.globl	helper
	.type	helper, @function
helper:
	.cfi_startproc
	movabsq	$0x123456789abcdef, %rax
	movq	%rax, %rcx
	movq	%rax, %rdx
	movq	%rax, %rsi
	movq	%rax, %rdi
	movq	%rax, %r8
	movq	%rax, %r9
	movq	%rax, %r10
	movq	%rax, %r11
	ret
	.cfi_endproc
	.size	helper, . - helper

	.section .rodata
	.p2align 4
	.globl	tables
tables:
	.skip	4096

	.bss
	.p2align 6
	.globl	counters
counters:
	.skip	8 * 16
	.skip	64
	.globl	tally
tally:
	.skip	8 * 64
	.globl	sink
sink:
	.skip	8

	.section .note.GNU-stack, "", @progbits
