/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Function bodies for shapes.c; each with a symbol of its exact size and call frame information. */
#ifdef NO_CFI /* as most people write assembly */
#define CFI_START
#define CFI_END
#else
#define CFI_START .cfi_startproc
#define CFI_END   .cfi_endproc
#endif
	.intel_syntax noprefix
	.text

.macro function name
	.globl \name
	.type \name, @function
	.p2align 4
\name:
	CFI_START
.endm

.macro end name
	CFI_END
	.size \name, . - \name
.endm

function tiny1
	ret
end tiny1

function tiny2
	.byte 0xf3, 0xc3
end tiny2

function tiny3
	xor eax, eax
	ret
end tiny3

function tiny4
	mov rax, rdi
	ret
end tiny4

function tiny5
	lea rax, [rdi + 1]
	ret
end tiny5

function tiny6
	mov eax, 42
	ret
end tiny6

function loop_head
	sub rdi, 1
	jns loop_head
	mov rax, rdi
	ret
end loop_head

function into_window
	xor eax, eax
1:	inc rax
	dec rdi
	jns 1b
	ret
end into_window

function call_first
	call tiny4
	add rax, 5
	ret
end call_first

function jump_first
	jmp tiny4
end jump_first

/* No alignment between these two: control runs from one into the other. */
function falls
	add rdi, 3
	add rdi, 4
	CFI_END
	.size falls, . - falls
	.globl fallen
	.type fallen, @function
fallen:
	CFI_START
	lea rax, [rdi + rdi + 1]
	nop
	ret
end fallen

function shared_a
	mov rax, rdi
	add rax, 11
	jmp .Lmiddle_of_b
end shared_a

function shared_b
	mov rax, rdi
	add rax, 22
.Lmiddle_of_b:
	imul rax, rax, 3
	ret
end shared_b

function rip_first
	mov rax, qword ptr [rip + .Lvalue]
	ret
end rip_first

function cond_first
	jrcxz 1f
1:	test rdi, rdi
	mov eax, 1
	jz 2f
	mov eax, 2
2:	ret
end cond_first

function ret_n
	mov eax, 7
	ret 0
end ret_n

/* Compares, calls a function that touches no flag, and branches on the result of the comparison. */
function flags_in
	cmp rdi, 500
	call tiny4
	jb 1f
	add rax, 1000
1:	ret
end flags_in

/* Jumps through a table: to entries, and after the first instruction of into_six. */
function dispatch
	lea rdx, [rip + .Ltable]
	and esi, 3
	movsxd rax, dword ptr [rdx + rsi * 4]
	add rax, rdx
	jmp rax
end dispatch

function into_six
	lea rdi, [rdi + 6]
.Lsecond:
	lea rax, [rdi + rdi * 2]
	ret
end into_six

	.section .rodata
	.p2align 2
.Ltable:
	.long tiny4 - .Ltable, tiny5 - .Ltable, falls - .Ltable, .Lsecond - .Ltable
	.p2align 3
.Lvalue:
	.quad 1234567
	.section .note.GNU-stack, "", @progbits
