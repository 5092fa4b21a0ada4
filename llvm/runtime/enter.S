/* SPDX-License-Identifier: MIT */
/*
 * Called where a function begins, by code that takes all registers to be kept (LLVM's
 * preserve_all). The vectors' upper halves are kept by xsave, of which 2,688 bytes can be used by
 * the state named here (x87, SSE, AVX, AVX-512), and 64 for its alignment; without it there are none.
 */
	.text
	.globl	__rarog_enter_thread
	.hidden	__rarog_enter_thread
	.type	__rarog_enter_thread, @function
__rarog_enter_thread:
	.cfi_startproc
	endbr64
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	pushq	%rax
	pushq	%rbx
	pushq	%rcx
	pushq	%rdx
	pushq	%rsi
	pushq	%rdi
	pushq	%r8
	pushq	%r9
	pushq	%r10
	pushq	%r11
	subq	$2752, %rsp
	andq	$-64, %rsp
	movl	$1, %eax
	cpuid
	xorl	%ebx, %ebx
	btl	$27, %ecx		/* OSXSAVE */
	jnc	2f
	movl	$0xe7, %ebx		/* what to save */
	xorl	%eax, %eax
	movl	$8, %ecx		/* the header has to be zero */
1:	movq	%rax, 504(%rsp,%rcx,8)
	decl	%ecx
	jnz	1b
	movl	%ebx, %eax
	xorl	%edx, %edx
	xsave64	(%rsp)
	jmp	3f
2:	fxsave64 (%rsp)
3:	call	rarog_runtime_enter
	testl	%ebx, %ebx
	jz	4f
	movl	%ebx, %eax
	xorl	%edx, %edx
	xrstor64 (%rsp)
	jmp	5f
4:	fxrstor64 (%rsp)
5:	leaq	-80(%rbp), %rsp
	popq	%r11
	popq	%r10
	popq	%r9
	popq	%r8
	popq	%rdi
	popq	%rsi
	popq	%rdx
	popq	%rcx
	popq	%rbx
	popq	%rax
	popq	%rbp
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_endproc
	.size	__rarog_enter_thread, . - __rarog_enter_thread
	.section .note.GNU-stack, "", @progbits
