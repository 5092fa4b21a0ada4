/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Marks for test-marks.c: each a note of the provider "unit" at some nop. */

.macro note name
	.pushsection .note.stapsdt, "", "note"
	.balign	4
	.4byte	992f - 991f, 994f - 993f, 3
991:	.asciz	"stapsdt"
992:	.balign	4
993:	.8byte	.Lmark_\@, _.stapsdt.base, 0
	.asciz	"unit", "\name", ""
994:	.balign	4
	.popsection
.Lmark_\@:
.endm

.macro function name
	.balign	32, 0xcc
	.type	\name, @function
\name:	.cfi_startproc
.endm

.macro end name
	.cfi_endproc
	.size	\name, . - \name
.endm

	.section .stapsdt.base, "aG", "progbits", .stapsdt.base, comdat
	.weak	_.stapsdt.base
	.hidden	_.stapsdt.base
_.stapsdt.base: .space 1

	.text
function m_whole
	note whole
	nop
	.byte	0x0f, 0x1f, 0x40, 0x00
	ret
end m_whole

function m_short
	push	%rbx
	.cfi_adjust_cfa_offset 8
	sub	$16, %rsp
	.cfi_adjust_cfa_offset 16
	note short
	nop
	mov	$7, %rax	/* seven bytes */
	add	$16, %rsp
	.cfi_adjust_cfa_offset -16
	pop	%rbx
	.cfi_adjust_cfa_offset -8
	ret
end m_short

function m_target
	push	%rbp
	.cfi_adjust_cfa_offset 8
	mov	%rsp, %rbp
	.cfi_def_cfa_register %rbp
1:	note target
	nop
	.byte	0x0f, 0x1f, 0x40, 0x00
	dec	%edi
	jnz	1b
	pop	%rbp
	.cfi_def_cfa %rsp, 8
	ret
end m_target

function m_guarded
1:	test	%edi, %edi
	jz	2f
	jmp	3f
	.balign	16
3:	test	%ax, %ax
	je	4f
	note guarded
	nop
4:	dec	%edi
	jnz	1b
2:	ret
end m_guarded

function m_aside
	test	%edi, %edi
	jnz	2f
1:	xor	%eax, %eax
	ret
2:	note aside
	nop
	jmp	1b
	mov	%edi, %eax	/* it is not known what comes here */
	ret
end m_aside

function m_last
	jmp	2f
	.balign	16
2:	note last
	nop
	ud2
end m_last
	.byte	0x06	/* no padding */

function m_behind_call
	jmp	1f
1:	call	m_whole
	note behind_call
	nop
2:	dec	%edi
	jnz	2b
	ret
end m_behind_call

function m_long_nop
	note long_nop
	.byte	0x0f, 0x1f, 0x44, 0x00, 0x00
	ret
end m_long_nop

function m_together
	note together__begin
	nop
	.byte	0x0f, 0x1f, 0x40, 0x00
	call	m_whole
	note together__end
	nop
	.byte	0x0f, 0x1f, 0x40, 0x00
	ret
end m_together

function m_apart
	note apart__begin
	nop
	.byte	0x0f, 0x1f, 0x40, 0x00
	ret
end m_apart

function m_apart_end
	note apart__end
	nop
	.byte	0x0f, 0x1f, 0x40, 0x00
	ret
end m_apart_end

function m_partly
	note partly__begin
	nop
	.byte	0x0f, 0x1f, 0x40, 0x00
	note partly__end
	nop
	.byte	0x0f, 0x1f, 0x40, 0x00
	ret
end m_partly

function m_partly_too
	note partly__begin
	nop
	.byte	0x0f, 0x1f, 0x40, 0x00
	ret
end m_partly_too

	.balign	32, 0xcc
	.type	m_system, @function
m_system:			/* no unwind information */
	note system
	nop
	syscall
	ret
	.size	m_system, . - m_system

	.balign	32, 0xcc
	.type	m_unknown, @function
m_unknown:
	note unknown__begin
	nop
	.byte	0x0f, 0x1f, 0x40, 0x00
	note unknown__end
	nop
	.byte	0x0f, 0x1f, 0x40, 0x00
	ret
	.size	m_unknown, . - m_unknown

	.section .note.GNU-stack, "", @progbits
