/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions whose names say where rarog_probe_places() must put the probe: quick_N__… N bytes from
 * the entry, slow__… at the entry, none__… nowhere; told_N__… at the entry, or N bytes from it for
 * an engine that is told of faults; counted_N__… the same for one that is told and only counts;
 * …__asks: that sees its return address. Never run.
 */

.macro function name
	.p2align 4
	.globl	\name
	.type	\name, @function
\name:
	.cfi_startproc
.endm

.macro close name
	.cfi_endproc
	.size	\name, . - \name
.endm

	.text
function _start
	call	quick_0__push
	hlt
close _start

function quick_0__push
	push	%rbx
	pop	%rbx
	ret
close quick_0__push

function quick_0__push_r12
	push	%r12
	pop	%r12
	ret
close quick_0__push_r12

function quick_0__nop
	nop
	ret
close quick_0__nop

function quick_0__nop5
	.byte	0x0f, 0x1f, 0x44, 0x00, 0x08
	ret
close quick_0__nop5

function quick_0__call
	call	quick_0__nop
	ret
close quick_0__call

function quick_4__endbr
	endbr64
	push	%rbp
	pop	%rbp
	ret
close quick_4__endbr

function quick_2__branch
	test	%edi, %edi
	jz	1f
	xor	%eax, %eax
1:	ret
close quick_2__branch

function quick_11__own_variable
	mov	variable(%rip), %eax
	lea	8(%rdi,%rsi,4), %rdi
	push	%rdi
	pop	%rdi
	ret
close quick_11__own_variable

function quick_6__wide_register
	vpbroadcastb %esi, %ymm17
	jmp	quick_0__nop
close quick_6__wide_register

function quick_5__argument_on_stack
	mov	8(%rsp), %rax
	push	%rax
	pop	%rax
	ret
close quick_5__argument_on_stack

/* What may fault may end otherwise than by going on. */
function told_2__load
	mov	(%rdi), %eax
	push	%rax
	pop	%rax
	ret
close told_2__load

function told_6__store
	mov	%eax, variable(%rip)
	push	%rax
	pop	%rax
	ret
close told_6__store

function told_10__more_than_loads
	mov	(%rdi), %rax
	mov	%rax, (%rsi)
	addsd	(%rsi), %xmm0
	jmp	quick_0__nop
close told_10__more_than_loads

function told_8__thread_local
	mov	%fs:0, %eax
	push	%rax
	pop	%rax
	ret
close told_8__thread_local

/* Such a nop becomes a call, whose return address would be where this may have written. */
function slow__long_nop_behind_store
	mov	%rax, (%rdi)
	.byte	0x0f, 0x1f, 0x44, 0x00, 0x08
	ret
close slow__long_nop_behind_store

function told_3__long_nop_behind_load
	mov	(%rdi), %rax
	.byte	0x0f, 0x1f, 0x44, 0x00, 0x08
	ret
close told_3__long_nop_behind_load

function slow__below_stack
	mov	%rax, -8(%rsp)
	push	%rax
	pop	%rax
	ret
close slow__below_stack

/* It is not one instruction but many. */
function slow__string
	rep stosb
	push	%rax
	pop	%rax
	ret
close slow__string

/* The return address would not be on top. */
function counted_4__sub
	sub	$24, %rsp
	call	quick_0__nop
	add	$24, %rsp
	ret
close counted_4__sub

function counted_10__load_and_sub
	sub	$24, %rsp
	mov	16(%rdi), %rax
	test	%eax, %eax
	jz	1f
	xor	%eax, %eax
1:	add	$24, %rsp
	ret
close counted_10__load_and_sub

/* A thread that jumps there has not come by the entry. */
function slow__entered
	mov	%edi, %eax
	.globl	behind_entry
behind_entry:
	push	%rax
	pop	%rax
	ret
close slow__entered

function quick_0__enters
	jmp	behind_entry
close quick_0__enters

function slow__loop
	xor	%eax, %eax
	mov	%edi, %ecx
1:	push	%rcx
	pop	%rcx
	dec	%ecx
	jnz	1b
	ret
close slow__loop

function slow__ret
	ret
close slow__ret

/* The kernel's copy of such instructions does nothing. */
function none__evex_load
	vmovdqu64 (%rdi), %ymm18
	push	%rax
	pop	%rax
	ret
close none__evex_load

function none__own_loop
	dec	%edi
	jnz	none__own_loop
	ret
close none__own_loop

function slow__asks
	mov	(%rsp), %rax
	ret
close slow__asks

/* Nops that the program finds by a table, to write to them. */
.macro sled name
	function \name
	.pushsection __patchable_function_entries, "awo", @progbits, .text
	.quad	\name
	.popsection
	.nops	5, 5
.endm

sled quick_5__behind_sled
	push	%rbx
	pop	%rbx
	ret
close quick_5__behind_sled

sled none__only_sled
	ret
close none__only_sled

/* Other nops are no sled. */
function quick_0__nops_of_no_table
	.nops	5, 5
	ret
close quick_0__nops_of_no_table

function quick_0__reads_sleds
	push	%rbx
	lea	__start___patchable_function_entries(%rip), %rax
	lea	__stop___patchable_function_entries(%rip), %rcx
	pop	%rbx
	ret
close quick_0__reads_sleds

	.data
	.p2align 4
variable:
	.quad	1, 2, 3, 4
	.section .note.GNU-stack, "", @progbits
