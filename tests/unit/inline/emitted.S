/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions that emit-lab.h patches and runs; each begins with a nop as long as the patch. And
 * keeps_registers, which compares what goes into a call with what comes out of it.
 */
	.intel_syntax noprefix
	.text
	.p2align 12
	.globl	emitted_start
emitted_start:

.macro function name
	.globl	\name
	.type	\name, @function
	.p2align 4
\name:	.byte	0x0f, 0x1f, 0x44, 0x00, 0x00
.endm

function leaf
	mov	eax, 1
	ret

function nest
	sub	rsp, 8
	call	leaf
	call	leaf
	add	rsp, 8
	ret

/* recurse(n): n + 1 calls deep, 16 bytes of stack each. */
function recurse
	test	edi, edi
	jz	1f
	sub	rsp, 8
	dec	edi
	call	recurse
	add	rsp, 8
1:	ret

/* tail_a(n): n tail calls of each other in turn. */
function tail_a
	dec	edi
	jns	tail_b
	ret

function tail_b
	dec	edi
	jns	tail_a
	ret

/* spin(ticks) */
function spin
	rdtsc
	mov	esi, eax
1:	rdtsc
	sub	eax, esi
	cmp	eax, edi
	jb	1b
	ret

/* through(f, argument): f(argument) */
function through
	sub	rsp, 8
	mov	rax, rdi
	mov	rdi, rsi
	call	rax
	add	rsp, 8
	ret

/* Layout of struct registers in emit-lab.h. */
.macro each_register do at
	\do	rax, \at+0
	\do	rbx, \at+8
	\do	rcx, \at+16
	\do	rdx, \at+24
	\do	rsi, \at+32
	\do	rdi, \at+40
	\do	rbp, \at+48
	\do	r8, \at+56
	\do	r9, \at+64
	\do	r10, \at+72
	\do	r11, \at+80
	\do	r12, \at+88
	\do	r13, \at+96
	\do	r14, \at+104
	\do	r15, \at+112
.endm

.macro put register at
	mov	qword ptr [rip + \at], \register
.endm

.macro get register at
	mov	\register, qword ptr [rip + \at]
.endm

.macro each_vector do at
	\do	0, \at+128
	\do	1, \at+160
	\do	2, \at+192
	\do	3, \at+224
	\do	4, \at+256
	\do	5, \at+288
	\do	6, \at+320
	\do	7, \at+352
	\do	8, \at+384
	\do	9, \at+416
	\do	10, \at+448
	\do	11, \at+480
	\do	12, \at+512
	\do	13, \at+544
	\do	14, \at+576
	\do	15, \at+608
.endm

.macro get_xmm n at
	movups	xmm\n, xmmword ptr [rip + \at]
.endm
.macro put_xmm n at
	movups	xmmword ptr [rip + \at], xmm\n
.endm
.macro get_ymm n at
	vmovups	ymm\n, ymmword ptr [rip + \at]
.endm
.macro put_ymm n at
	vmovups	ymmword ptr [rip + \at], ymm\n
.endm

/* Store all registers; changes none. */
.macro store at
	each_register put \at
	stmxcsr	dword ptr [rip + \at+120]
	fnstcw	word ptr [rip + \at+124]
	test	byte ptr [rip + registers_avx], 1
	jz	2f
	each_vector put_ymm \at
	jmp	3f
2:	each_vector put_xmm \at
3:
.endm

/* What a function sees that keeps everything as it was. */
function see
	store	registers_seen
	ret

/* Ends its instructions long before their results are there. */
function chain
	mov	eax, 3
	.rept	100
	imul	eax, eax
	.endr
	ret

	.globl	emitted_end
	.p2align 12
emitted_end:

/* Load registers_in, call see() probed, store registers_out. */
	.globl	keeps_registers
	.type	keeps_registers, @function
keeps_registers:
	push	rbx
	push	rbp
	push	r12
	push	r13
	push	r14
	push	r15
	sub	rsp, 24
	stmxcsr	dword ptr [rsp]
	fnstcw	word ptr [rsp + 4]
	ldmxcsr	dword ptr [rip + registers_in + 120]
	fldcw	word ptr [rip + registers_in + 124]
	test	byte ptr [rip + registers_avx], 1
	jz	1f
	each_vector get_ymm registers_in
	jmp	4f
1:	each_vector get_xmm registers_in
4:	each_register get registers_in
	call	see
	store	registers_out
	ldmxcsr	dword ptr [rsp]
	fldcw	word ptr [rsp + 4]
	test	byte ptr [rip + registers_avx], 1
	jz	5f
	vzeroupper
5:	add	rsp, 24
	pop	r15
	pop	r14
	pop	r13
	pop	r12
	pop	rbp
	pop	rbx
	ret

	.bss
	.p2align 5
	.globl	registers_in, registers_seen, registers_out, registers_avx
registers_in:	.skip 640
registers_seen:	.skip 640
registers_out:	.skip 640
registers_avx:	.skip 8
	.section .note.GNU-stack, "", @progbits
