/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions whose names begin with the verdict that rarog_patch_sites() must reach. Assembled into
 * a position-independent program and, with FIXED, into one linked to a fixed address. Never run.
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

/* Without unwind information. */
.macro bare name
	.p2align 4
	.globl	\name
	.type	\name, @function
\name:
.endm

.macro close_bare name
	.size	\name, . - \name
.endm

	.text

function _start
	call	ok__bare_but_called
	call	no_fde__called_and_jumped_to
	call	ok__plain
	hlt
close _start

function ok__plain
	push	%rbp
	.cfi_def_cfa_offset 16
	mov	%rsp, %rbp
	pop	%rbp
	ret
close ok__plain

function ok__endbr
	endbr64
	push	%rbx
	.cfi_def_cfa_offset 16
	pop	%rbx
	ret
close ok__endbr

function ok__ret_and_nops
	ret
close ok__ret_and_nops

function ok__three_bytes_and_nops
	xor	%eax, %eax
	ret
close ok__three_bytes_and_nops

function ok__ret_and_int3
	ret
close ok__ret_and_int3
	.fill	15, 1, 0xcc

function short__ret
	ret
close short__ret
	.type	ok__behind_short, @function
	.globl	ok__behind_short
ok__behind_short:
	.cfi_startproc
	mov	$1, %eax
	ret
close ok__behind_short

function short__falls_into_the_next
	inc	%eax
close short__falls_into_the_next
	.type	ok__fallen_into, @function
	.globl	ok__fallen_into
ok__fallen_into:
	.cfi_startproc
	mov	$2, %eax
	ret
close ok__fallen_into

function short__constant_behind
	ret
close short__constant_behind
	.byte	0x12, 0x34, 0x56, 0x78, 0x12, 0x34, 0x56, 0x78

function target__own_branch
	test	%edi, %edi
1:	dec	%edi
	jnz	1b
	ret
close target__own_branch

function target__branch_from_another
	xor	%eax, %eax
.Lfrom_another:
	inc	%eax
	inc	%eax
	ret
close target__branch_from_another

function ok__branches_into_another
	test	%edi, %edi
	jne	.Lfrom_another
	mov	$3, %eax
	ret
close ok__branches_into_another

function target__branch_from_cold
	xor	%eax, %eax
.Lfrom_cold:
	inc	%eax
	jo	not_entry__part.cold
	ret
close target__branch_from_cold

function not_entry__part.cold
	mov	$4, %ecx
	jmp	.Lfrom_cold
close not_entry__part.cold

function target__branch_from_nowhere
	xor	%eax, %eax
.Lfrom_nowhere:
	inc	%eax
	inc	%eax
	ret
close target__branch_from_nowhere
	jmp	.Lfrom_nowhere /* in no function */

function ok__has_a_jump_table
	lea	.Ltable(%rip), %rdx
	movslq	(%rdx,%rdi,4), %rax
	add	%rdx, %rax
	jmp	*%rax
1:	mov	$5, %eax
	ret
2:	mov	$6, %eax
	ret
	.section .rodata
	.p2align 2
.Ltable:
	.long	1b - .Ltable, 2b - .Ltable, .Lfrom_table - .Ltable
.Lnext_table:
	.long	3f - .Lnext_table, 1f - .Lnext_table
	.long	0x20202020
	.text
close ok__has_a_jump_table

function target__jump_table
	xor	%eax, %eax
.Lfrom_table:
	inc	%eax
	inc	%eax
	ret
close target__jump_table

function target__own_jump_table
	xor	%eax, %eax
3:	inc	%eax
	lea	.Lnext_table(%rip), %rdx
	movslq	(%rdx,%rdi,4), %rax
	add	%rdx, %rax
	jmp	*%rax
1:	ret
close target__own_jump_table

function target__pointer
	xor	%eax, %eax
.Lfrom_data:
	inc	%eax
	inc	%eax
	ret
	.section .data.rel.ro, "aw"
	.p2align 3
	.quad	.Lfrom_data
	.text
close target__pointer

function target__computed
	xor	%eax, %eax
.Lfrom_lea:
	inc	%eax
	inc	%eax
	ret
close target__computed

function ok__computes
	lea	.Lfrom_lea(%rip), %rax
	jmp	*%rax
close ok__computes

function target__label
	xor	%eax, %eax
	.globl	hand_written_entry
hand_written_entry:
	inc	%eax
	inc	%eax
	ret
close target__label

function ok__read_at_its_entry
	mov	ok__read_at_its_entry(%rip), %eax
	ret
close ok__read_at_its_entry

function target__read
	xor	%eax, %eax
	inc	%eax
	cmpb	$0x42, target__read+3(%rip)
	ret
close target__read

/* Reached by means that are not seen: code after a return. */
function target__block_behind_ret
	xor	%eax, %eax
	ret
	inc	%eax
	inc	%eax
	ret
close target__block_behind_ret

function ok__block_behind_the_window
	mov	%edi, %eax
	nop
	nop
	ret
	inc	%eax
	ret
close ok__block_behind_the_window

function target__landing_pad
	.cfi_personality 0x1b, ok__plain
	.cfi_lsda 0x1b, .Llsda
	nop
	nop
.Lpad:
	call	ok__plain
	ret
.Lpad_end:
	.section .gcc_except_table, "a"
.Llsda:
	.byte	0xff, 0xff, 0x01 /* pads relative to the function, no types, call sites are uleb128 */
	.uleb128 2f - 1f
1:	.uleb128 .Lpad - target__landing_pad
	.uleb128 .Lpad_end - .Lpad
	.uleb128 .Lpad - target__landing_pad
	.uleb128 0
2:
	.text
close target__landing_pad

function loop__conditional
	sub	$1, %edi
	jnz	loop__conditional
	ret
close loop__conditional

function loop__unconditional
	test	%edi, %edi
	je	1f
	dec	%edi
	jmp	loop__unconditional
1:	ret
close loop__unconditional

function ok__recursion
	test	%edi, %edi
	je	1f
	dec	%edi
	call	ok__recursion
1:	ret
close ok__recursion

function ok__tail_called
	mov	$7, %eax
	ret
close ok__tail_called

function ok__tail_calls
	mov	$8, %edi
	jmp	ok__tail_called
close ok__tail_calls

function relocate__call_returns_into_the_window
	call	*%rax
	mov	$9, %eax
	ret
close relocate__call_returns_into_the_window

function relocate__syscall
	syscall
	mov	$9, %eax
	ret
close relocate__syscall

function decode__undefined
	.byte	0x06, 0x06, 0x06, 0x06, 0x06, 0x06
close decode__undefined

bare no_fde__never_called
	mov	$10, %eax
	ret
close_bare no_fde__never_called

bare ok__bare_but_called
	mov	$11, %eax
	ret
close_bare ok__bare_but_called

bare no_fde__called_and_jumped_to
	mov	$12, %eax
	ret
close_bare no_fde__called_and_jumped_to

function ok__jumps_to_bare
	mov	$13, %eax
	jmp	no_fde__called_and_jumped_to
close ok__jumps_to_bare

function cfa__something_on_the_stack
	.cfi_def_cfa_offset 16
	mov	$14, %eax
	pop	%rcx
	.cfi_def_cfa_offset 8
	ret
close cfa__something_on_the_stack

	.globl	__sigsetjmp
	.type	__sigsetjmp, @function
	.p2align 4
__sigsetjmp:
function special__alias
	mov	$15, %eax
	ret
close special__alias
	.size	__sigsetjmp, . - __sigsetjmp

function special__not_a_prefix
	mov	$15, %eax
	ret
close special__not_a_prefix
	.globl	_init
	.type	_init, @function
	.set	_init, special__not_a_prefix
	.size	_init, 6

	.globl	ifunc__resolver
	.type	ifunc__resolver, @gnu_indirect_function
	.p2align 4
ifunc__resolver:
	.cfi_startproc
	lea	ok__plain(%rip), %rax
	ret
close ifunc__resolver

function ok__calls_through_ifunc
	sub	$8, %rsp
	.cfi_def_cfa_offset 16
	call	ifunc__resolver@PLT
	add	$8, %rsp
	.cfi_def_cfa_offset 8
	ret
close ok__calls_through_ifunc

function return__reads_it
	push	%rbx
	.cfi_def_cfa_offset 16
	sub	$24, %rsp
	.cfi_def_cfa_offset 40
	test	%edi, %edi
	je	1f
	mov	32(%rsp), %rax
1:	add	$24, %rsp
	.cfi_def_cfa_offset 16
	pop	%rbx
	.cfi_def_cfa_offset 8
	ret
close return__reads_it

/* As sigsetjmp and setjmp do. */
function return__saves_it
	mov	%rbx, (%rdi)
	lea	8(%rsp), %rdx
	mov	%rdx, 8(%rdi)
	mov	(%rsp), %rax
	mov	%rax, 16(%rdi)
	xor	%eax, %eax
	ret
close return__saves_it

function return__leads_to_what_saves_it
	mov	$1, %esi
	jmp	return__saves_it
close return__leads_to_what_saves_it

/* As vfork does. */
function return__pops_it
	pop	%rdi
	mov	$58, %eax
	syscall
	push	%rdi
	ret
close return__pops_it

/* Their callers' addresses are seen by what they jump to. */
function return__passes_it_on
	lea	1(%rdi), %eax
	test	%edi, %edi
	je	return__reads_it
	ret
close return__passes_it_on

function return__passes_it_on_by_way_of_another
	lea	2(%rdi), %eax
	test	%edi, %edi
	jne	return__passes_it_on
	ret
close return__passes_it_on_by_way_of_another

function ok__jumps_to_what_does_not_look
	lea	3(%rdi), %eax
	test	%edi, %edi
	jne	ok__stack_argument
	ret
close ok__jumps_to_what_does_not_look

function ok__stack_argument
	push	%rbx
	.cfi_def_cfa_offset 16
	mov	16(%rsp), %rax
	pop	%rbx
	.cfi_def_cfa_offset 8
	ret
close ok__stack_argument

function ok__memory_barrier
	lock orq $0, (%rsp)
	ret
close ok__memory_barrier

/* Takes a carry. */
function flags__adds_with_carry
	mov	%rdi, %rax
	adc	%rsi, %rax
	ret
close flags__adds_with_carry

/* bt writes CF only. */
function flags__writes_another_flag
	bt	$3, %rdi
	sete	%al
	ret
close flags__writes_another_flag

function flags__saves_them
	endbr64
	pushf
	pop	%rax
	ret
close flags__saves_them

function ok__writes_before_it_reads
	mov	%rdi, %rax
	cmp	%rsi, %rax
	setb	%al
	sbb	%edx, %edx
	ret
close ok__writes_before_it_reads

function ok__reads_behind_a_call
	push	%rbx
	.cfi_def_cfa_offset 16
	call	ok__flags_written_by_the_caller
	xor	%ecx, %ecx
	sete	%al
	call	ok__flags_for_a_jump
	lea	1(%rax), %rdx
.Lflags_label:
	jc	1f
	cmp	%rdx, %rax
	je	.Lflags_label
1:	pop	%rbx
	.cfi_def_cfa_offset 8
	ret
close ok__reads_behind_a_call

function ok__flags_written_by_the_caller
	mov	$1, %eax
	ret
close ok__flags_written_by_the_caller

function ok__flags_for_a_jump
	mov	$1, %eax
	ret
close ok__flags_for_a_jump

function ok__expects_flags
	mov	$1, %eax
	cmp	$500, %rdi
	call	flags__touches_none
	jb	1f
	call	flags__behind_a_copy
	lea	1(%rax), %rdx
	mov	%rdx, %rbx
	cmovc	%rbx, %rax
	call	flags__behind_a_rotation
	rol	%cl, %eax
	setz	%al
1:	ret
close ok__expects_flags

function flags__touches_none
	mov	%rdi, %rax
	ret
close flags__touches_none

function flags__behind_a_copy
	mov	%rdi, %rax
	ret
close flags__behind_a_copy

function flags__behind_a_rotation
	mov	%rdi, %rax
	ret
close flags__behind_a_rotation

/* The last instruction of its function: what follows is another's. */
function ok__ends_with_a_call
	push	%rax
	call	ok__never_returns
close ok__ends_with_a_call
	.type	flags__follows_a_call, @function
	.globl	flags__follows_a_call
flags__follows_a_call:
	.cfi_startproc
	mov	%rdi, %rax
	jc	1f
	inc	%rax
1:	ret
close flags__follows_a_call

function ok__never_returns
	mov	$1, %eax
	hlt
close ok__never_returns

#ifdef FIXED
function ok__absolute_operand
	movabs	$ok__plain, %rax
	ret
close ok__absolute_operand

function target__absolute_immediate
	xor	%eax, %eax
.Lfrom_immediate:
	inc	%eax
	inc	%eax
	ret
close target__absolute_immediate

function ok__takes_an_absolute_address
	mov	$.Lfrom_immediate, %edi
	ret
close ok__takes_an_absolute_address
#else
function textrel__absolute_operand
	movabs	$ok__plain, %rax
	ret
close textrel__absolute_operand

function textrel__behind_the_window
	push	%rax
	push	%rcx
	movabs	$ok__plain, %rax
	ret
close textrel__behind_the_window

function ok__relocation_further_on
	mov	$16, %eax
	movabs	$ok__plain, %rax
	ret
close ok__relocation_further_on
#endif

	.section .note.GNU-stack, "", @progbits
