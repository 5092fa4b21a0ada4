/* SPDX-License-Identifier: MIT */
/*
 * The probes: what runs at every traced call. A stub (made by rarog, see layout.h) is
 *
 *	 0  push %rax
 *	 1  mov  $event,%eax         0x8000 | id << 16
 *	 6  call enter
 *	11  pop  %rax                resume: recorded
 *	12  lea  8(%rsp),%rsp        drop the return address: it is on the shadow stack
 *	17  call body                CALL and RET stay paired (return stack buffer)
 *	22  jmp  leave
 *	27  pop  %rax                pass: not recorded
 *	28  jmp  body
 *	32  body: displaced instructions, jump back
 *
 * The fast path handles the ordinary call and nothing else; whatever is unusual (new thread, fork,
 * signal inside a probe, longjmp, other stack, full chunk, long time) goes to C before anything was
 * changed but the busy mark. All registers are preserved; flags are dead at entry and return.
 *
 * Signal safety: the busy mark (the slot of the running probe) sends a probe in a signal handler
 * that hit this one to the slow path, which records it on a strand of its own.
 */
#include "layout.h"

	.section .entries, "a"
	.globl	rarog_agent_entries
rarog_agent_entries:
	.long	enter
	.long	enter_within
	.long	enter_root
	.long	enter_below
	.long	leave
	.long	count_slow
	.long	unhook
	.long	set_ip
	.long	loaded

	.text

/* now in %rax; clobbers %rdx */
.macro TICKS
	rdtsc
	shl	$32, %rdx
	or	%rdx, %rax
.endm

/*
 * Entry probe. Stack: rsi, rcx, rdx, resume address, rax, return address (the slot).
 * %esi: event word without the time.
 */
#define AT_RESUME 24
#define AT_SLOT   40

.macro ENTER kind
	push	%rdx
	push	%rcx
	push	%rsi
	mov	%eax, %esi
	mov	%fs:0, %rdx
	cmp	%gs:RAROG_GS_OWNER, %rdx
	jne	enter_slow_\kind
	cmpq	$0, %gs:RAROG_GS_BUSY
	jne	enter_slow_\kind
	mov	%gs:RAROG_GS_TOP, %rcx
.ifc \kind,within
	cmp	%gs:RAROG_GS_WITHIN, %rcx
	jbe	enter_pass
.endif
.ifc \kind,below
	cmp	%gs:RAROG_GS_WITHIN, %rcx
	ja	enter_pass
.endif
	lea	AT_SLOT(%rsp), %rdx
	mov	%rdx, %gs:RAROG_GS_BUSY
	cmp	%gs:RAROG_GS_LIMIT, %rcx
	jae	enter_marked_\kind
	mov	(RAROG_FRAME_SLOT - RAROG_FRAME_SIZE)(%rcx), %rax
	sub	%rdx, %rax
	dec	%rax
	cmp	$RAROG_NEAR_BYTES, %rax
	jae	enter_far_\kind
	mov	%rdx, RAROG_FRAME_SLOT(%rcx)
	mov	AT_SLOT(%rsp), %rdx
	mov	%rdx, RAROG_FRAME_RETURN(%rcx)
	mov	AT_RESUME(%rsp), %rdx
	mov	%rdx, RAROG_FRAME_STUB(%rcx)
	mov	%gs:RAROG_GS_CURSOR, %rcx
	cmp	%gs:RAROG_GS_END, %rcx
	jae	enter_marked_\kind
	TICKS
	mov	%rax, %rdx
	sub	%gs:RAROG_GS_LAST, %rax
	cmp	$0x7ffe, %rax
	ja	enter_marked_\kind
	or	%eax, %esi
	mov	%esi, (%rcx)
	add	$4, %rcx
	mov	%rcx, %gs:RAROG_GS_CURSOR
	mov	%rdx, %gs:RAROG_GS_LAST
	addq	$RAROG_FRAME_SIZE, %gs:RAROG_GS_TOP
	movq	$0, %gs:RAROG_GS_BUSY
	pop	%rsi
	pop	%rcx
	pop	%rdx
	ret

/*
 * The slot is that of the innermost frame and holds the return address into that frame's stub
 * (which may be another module's): a tail call. The caller ends, the callee takes over its frame:
 * chains need no memory.
 */
enter_far_\kind:
	cmp	$-1, %rax
	jne	enter_marked_\kind
	mov	AT_SLOT(%rsp), %rax
	sub	(RAROG_FRAME_STUB - RAROG_FRAME_SIZE)(%rcx), %rax
	cmp	$(RAROG_STUB_RETURN - RAROG_STUB_RESUME), %rax
	jne	enter_marked_\kind
	TICKS
	mov	%rax, %rdx
	sub	%gs:RAROG_GS_LAST, %rax
	cmp	$0x7fff, %rax
	ja	enter_marked_\kind
	push	%rdi
	mov	%gs:RAROG_GS_CURSOR, %rdi
	cmp	%gs:RAROG_GS_END, %rdi
	jae	1f
	mov	%rdx, %gs:RAROG_GS_LAST
	mov	%ax, (%rdi)
	mov	%esi, 2(%rdi)
	mov	8 + AT_RESUME(%rsp), %rdx
	mov	%rdx, (RAROG_FRAME_STUB - RAROG_FRAME_SIZE)(%rcx)
	addq	$6, %gs:RAROG_GS_CURSOR
	pop	%rdi
	movq	$0, %gs:RAROG_GS_BUSY
	pop	%rsi
	pop	%rcx
	pop	%rdx
	ret
1:	pop	%rdi
	jmp	enter_marked_\kind

enter_marked_\kind:			/* the busy mark is ours: the slow path sets its own */
	movq	$0, %gs:RAROG_GS_BUSY
	jmp	enter_slow_\kind
.endm

enter_pass:
	addq	$(RAROG_STUB_PASS - RAROG_STUB_RESUME), AT_RESUME(%rsp)
	pop	%rsi
	pop	%rcx
	pop	%rdx
	ret

/* Save what C may change, call function(pointer to the saved registers, kind). */
.macro SAVE
	push	%rdi
	push	%r8
	push	%r9
	push	%r10
	push	%r11
	push	%rbp
	mov	%rsp, %rbp
	mov	%rsp, %rdi
	and	$-16, %rsp
	cld
.endm

.macro RESTORE
	mov	%rbp, %rsp
	pop	%rbp
	pop	%r11
	pop	%r10
	pop	%r9
	pop	%r8
	pop	%rdi
.endm

.macro ENTER_SLOW kind, number
enter_slow_\kind:
	SAVE
	mov	%esi, %edx		/* event word */
	mov	$\number, %esi
	call	rarog_agent_enter
	RESTORE
	pop	%rsi
	pop	%rcx
	pop	%rdx
	ret
.endm

	.p2align 6
enter:
	ENTER plain
	.p2align 6
enter_within:
	ENTER within
	.p2align 6
enter_below:
	ENTER below
enter_root:				/* the function that --within or --not-below names */
	push	%rdx
	push	%rcx
	push	%rsi
	mov	%eax, %esi
	jmp	enter_slow_root

	ENTER_SLOW plain, 0
	ENTER_SLOW within, 1
	ENTER_SLOW below, 2
	ENTER_SLOW root, 3

/*
 * Exit probe. Stack: rsi, rcx, rdx, rax, slot (below the caller's stack pointer by 8 on arrival).
 */
#define AT_EXIT_SLOT 32

	.p2align 6
leave:
	lea	-8(%rsp), %rsp
	push	%rax
	push	%rdx
	push	%rcx
	push	%rsi
	TICKS
	mov	%fs:0, %rsi
	cmp	%gs:RAROG_GS_OWNER, %rsi
	jne	leave_slow
	cmpq	$0, %gs:RAROG_GS_BUSY
	jne	leave_slow
	mov	%gs:RAROG_GS_TOP, %rcx
	lea	AT_EXIT_SLOT(%rsp), %rdx
	mov	%rdx, %gs:RAROG_GS_BUSY
	cmp	(RAROG_FRAME_SLOT - RAROG_FRAME_SIZE)(%rcx), %rdx
	jne	leave_marked
	mov	%rax, %rdx
	sub	%gs:RAROG_GS_LAST, %rax
	cmp	$0x7fff, %rax
	ja	leave_slow_now
	mov	%gs:RAROG_GS_CURSOR, %rsi
	cmp	%gs:RAROG_GS_END, %rsi
	jae	leave_slow_now
	mov	%ax, (%rsi)
	add	$2, %rsi
	mov	%rsi, %gs:RAROG_GS_CURSOR
	mov	%rdx, %gs:RAROG_GS_LAST
	mov	(RAROG_FRAME_RETURN - RAROG_FRAME_SIZE)(%rcx), %rdx
	mov	%rdx, AT_EXIT_SLOT(%rsp)
	sub	$RAROG_FRAME_SIZE, %rcx
	mov	%rcx, %gs:RAROG_GS_TOP
	movq	$0, %gs:RAROG_GS_BUSY
	pop	%rsi
	pop	%rcx
	pop	%rdx
	pop	%rax
	ret

leave_slow_now:
	mov	%rdx, %rax
leave_marked:
	movq	$0, %gs:RAROG_GS_BUSY
leave_slow:				/* %rax: now */
	SAVE
	mov	%rax, %rsi
	call	rarog_agent_leave
	RESTORE
	pop	%rsi
	pop	%rcx
	pop	%rdx
	pop	%rax
	ret

/*
 * Count stubs (see emit.c) come here when the thread has no counters yet. Stack: return to the
 * stub, rax. Everything is preserved.
 */
count_slow:
	push	%rdx
	push	%rcx
	push	%rsi
	SAVE
	call	rarog_agent_count
	RESTORE
	pop	%rsi
	pop	%rcx
	pop	%rdx
	ret

/*
 * Hooks at the entries of the unwinder's functions. Stack: return to the hook stub, then the
 * hooked function's own return address.
 */
.macro HOOK function
	push	%rax
	push	%rdx
	push	%rcx
	push	%rsi
	SAVE
	call	\function
	RESTORE
	pop	%rsi
	pop	%rcx
	pop	%rdx
	pop	%rax
	ret
.endm

unhook:
	HOOK rarog_agent_unhook

set_ip:
	HOOK rarog_agent_set_ip

loaded:
	HOOK rarog_agent_loaded

/*
 * Where the unwinder "returns" to instead of the landing pad. All registers but %rsp are the landing
 * pad's; the red zone below %rsp may be in use.
 */
	.globl	rarog_agent_landing
	.hidden	rarog_agent_landing
rarog_agent_landing:
	lea	-136(%rsp), %rsp
	push	%rax
	push	%rdx
	push	%rcx
	push	%rsi
	SAVE
	call	rarog_agent_landed	/* writes the landing pad's address into the slot */
	RESTORE
	pop	%rsi
	pop	%rcx
	pop	%rdx
	pop	%rax
	ret	$128

	.section .note.GNU-stack, "", @progbits
