/* SPDX-License-Identifier: GPL-3.0-or-later */
/* h() takes an argument on the stack and pops it as it returns, which compilers do in other calling
 * conventions. main() calls g() a thousand times, g() calls h(); exit status 6. */
	.globl main, h, g
	.text
h:	.cfi_startproc
	nopl 0(%rax,%rax)
	mov 8(%rsp), %rax
	ret $8
	.cfi_endproc
	.type h,@function
	.size h,.-h
g:	.cfi_startproc
	nopl 0(%rax,%rax)
	push $5
	.cfi_adjust_cfa_offset 8
	call h
	.cfi_adjust_cfa_offset -8
	add $1,%rax
	ret
	.cfi_endproc
	.type g,@function
	.size g,.-g
main:	.cfi_startproc
	push %rbx
	.cfi_adjust_cfa_offset 8
	mov $1000,%ebx
1:	call g
	dec %ebx
	jnz 1b
	pop %rbx
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
	.type main,@function
	.size main,.-main
	.section .note.GNU-stack,"",@progbits
