/* SPDX-License-Identifier: MIT */
/*
 * The probes: what runs at every traced call. rarog_stub is copied for every patched function, with
 * its event word and its distances to what all share filled in (emit.c); the displaced instructions
 * follow it. So an ordinary call takes no jump more than it must, which the shared code that it
 * falls back to would cost (1 ns of 26).
 *
 * The fast paths handle the ordinary call and nothing else; whatever is unusual (new thread, fork,
 * tail call, signal inside a probe, longjmp, other stack, full chunk, long time) goes to the shared
 * code before anything was changed but the busy mark. All registers are preserved; flags are dead at
 * entry and return. CALL and RET stay paired (return stack buffer): the stub moves the return
 * address to the shadow stack and calls the body.
 *
 * Signal safety: the busy mark (the slot of the running probe) sends a probe in a signal handler
 * that hit this one to the slow path, which records it on a strand of its own. Where rarog sees
 * signals before they arrive it does not come to that: it takes the probe back first, or to its
 * end, as the zone tells that was interrupted (layout.h).
 */
#include "layout.h"

	.section .entries, "a"
	.globl	rarog_agent_entries
rarog_agent_entries:
	.long	enter
	.long	enter_within
	.long	enter_root
	.long	enter_below
	.long	enter_within_gated
	.long	enter_below_gated
	.long	leave
	.long	count_slow
	.long	unhook
	.long	set_ip
	.long	loaded
	.long	born
	.long	swap_context
	.long	set_context
	.long	jump_stack
	.long	tell_first
	.long	tell_second
	.long	prctl
	.long	walked
	.long	mark_point
	.long	mark_begin
	.long	mark_end
	.long	mark_point_values
	.long	mark_begin_values
	.long	mark_end_values
	.long	values
	.long	wait
	.long	wait_end
	.long	rarog_stub_return - rarog_stub_resume
.macro ZONE stub, from, to, kind
	.long	\stub\()_\from - \stub
	.long	\stub\()_\to - \stub
	.long	\kind
.endm
.macro PLACES stub		/* struct rarog_agent_stub */
	.long	\stub
	.long	\stub\()_end - \stub
	.long	\stub\()_marked - \stub
	.long	\stub\()_slow - \stub
	.long	\stub\()_event_fast - \stub
	.long	\stub\()_event - \stub
	.long	\stub\()_enter - \stub
	.long	\stub\()_leave - \stub
	.long	\stub\()_call_body + 1 - \stub
	.long	\stub\()_value_set - \stub
	.long	\stub\()_gate - \stub
	ZONE	\stub, checked, topped, RAROG_ZONE_ENTER
	ZONE	\stub, topped, written, RAROG_ZONE_ENTER_PUSHED
	ZONE	\stub, written, entered, RAROG_ZONE_ENTERED
	ZONE	\stub, marked, pop, RAROG_ZONE_ENTER
	ZONE	\stub, leave_checked, leave_timed, RAROG_ZONE_LEAVE
	ZONE	\stub, leave_timed, leave_popped, RAROG_ZONE_LEAVE_TIMED
	ZONE	\stub, leave_popped, leave_written, RAROG_ZONE_LEAVE_POPPED
	ZONE	\stub, leave_written, left, RAROG_ZONE_LEFT
	ZONE	\stub, leave_late, leave_slow, RAROG_ZONE_LEAVE
.endm
	PLACES	rarog_stub
	PLACES	ordered_stub

	.text

/* now in %rax; clobbers %rdx */
.macro TICKS
	rdtsc
	shl	$32, %rdx
	or	%rdx, %rax
.endm

/* What emit.c fills in. */
.macro HOLE opcode, label
	.byte	\opcode
\label:	.long	0
.endm
#define OR_EAX  0x0d
#define MOV_EAX 0xb8
#define CALL    0xe8
#define JMP     0xe9

/*
 * The stub. Stack: rcx, rdx, rax, return address (the slot).
 *
 * There are two: in the ordered one (--compensate) the clock waits for what the program did before.
 * A nop in the only one, to be made a fence, would cost each call 0.5 ns. What the agent reaches
 * from the resume address is at the same distance in both (agent.lds).
 */
#define AT_STUB_SLOT 24
#define ORDER_SIZE   3

.macro ORDER is_ordered
.if \is_ordered
	lfence
.endif
.endm
/* the bytes of the fences between the return and the resume address */
.macro ORDER_PAD is_ordered
.if !\is_ordered
	.skip	2 * ORDER_SIZE, 0xcc
.endif
.endm

.macro STUB stub, is_ordered
	.p2align 6
\stub\():
	push	%rax
	push	%rdx
	push	%rcx
	mov	%fs:0, %rdx
	cmp	%gs:RAROG_GS_OWNER, %rdx
\stub\()_checked:
	jne	\stub\()_pop
	cmpq	$0, %gs:RAROG_GS_BUSY
	jne	\stub\()_pop
	mov	%gs:RAROG_GS_TOP, %rcx
	lea	AT_STUB_SLOT(%rsp), %rdx
	mov	%rdx, %gs:RAROG_GS_BUSY
	cmp	%gs:RAROG_GS_LIMIT, %rcx
	jae	\stub\()_marked
	mov	(RAROG_FRAME_SLOT - RAROG_FRAME_SIZE)(%rcx), %rax
	sub	%rdx, %rax
	dec	%rax
	cmp	$RAROG_NEAR_BYTES, %rax
	jae	\stub\()_marked
	mov	%rdx, RAROG_FRAME_SLOT(%rcx)
	mov	AT_STUB_SLOT(%rsp), %rdx
	mov	%rdx, RAROG_FRAME_RETURN(%rcx)
	lea	\stub\()_resume(%rip), %rdx
	mov	%rdx, RAROG_FRAME_STUB(%rcx)
	mov	%gs:RAROG_GS_CURSOR, %rdx
	cmp	%gs:RAROG_GS_END, %rdx
	jae	\stub\()_marked
	ORDER	\is_ordered
	TICKS
	mov	%rax, %rdx
	sub	%gs:RAROG_GS_LAST, %rax
	cmp	$0x7ffe, %rax
	ja	\stub\()_marked
	add	$RAROG_FRAME_SIZE, %rcx
	mov	%rcx, %gs:RAROG_GS_TOP
\stub\()_topped:
	mov	%gs:RAROG_GS_CURSOR, %rcx
	HOLE	OR_EAX, \stub\()_event_fast	/* 0x8000 | id << 16 */
	mov	%eax, (%rcx)
	add	$4, %rcx
	mov	%rcx, %gs:RAROG_GS_CURSOR
\stub\()_written:
	mov	%rdx, %gs:RAROG_GS_LAST
	movq	$0, %gs:RAROG_GS_BUSY
\stub\()_entered:
	pop	%rcx
	pop	%rdx
\stub\()_call:
	pop	%rax
	lea	8(%rsp), %rsp		/* the return address is on the shadow stack */
\stub\()_call_body:
	call	\stub\()_end		/* the body */
\stub\()_return:
	lea	-8(%rsp), %rsp
	push	%rax
	push	%rdx
	push	%rcx
	ORDER	\is_ordered
	TICKS
	mov	%fs:0, %rdx
	cmp	%gs:RAROG_GS_OWNER, %rdx
\stub\()_leave_checked:
	jne	\stub\()_leave_slow
	cmpq	$0, %gs:RAROG_GS_BUSY
	jne	\stub\()_leave_slow
	mov	%gs:RAROG_GS_TOP, %rcx
	lea	AT_STUB_SLOT(%rsp), %rdx
	mov	%rdx, %gs:RAROG_GS_BUSY
	cmp	(RAROG_FRAME_SLOT - RAROG_FRAME_SIZE)(%rcx), %rdx
	jne	\stub\()_leave_marked
	mov	%gs:RAROG_GS_CURSOR, %rdx
	cmp	%gs:RAROG_GS_END, %rdx
	jae	\stub\()_leave_marked
	mov	%rax, %rdx
	sub	%gs:RAROG_GS_LAST, %rax
	cmp	$0x7fff, %rax
	ja	\stub\()_leave_late
	mov	%rdx, %gs:RAROG_GS_LAST
\stub\()_leave_timed:
	mov	(RAROG_FRAME_RETURN - RAROG_FRAME_SIZE)(%rcx), %rdx
	mov	%rdx, AT_STUB_SLOT(%rsp)
	sub	$RAROG_FRAME_SIZE, %rcx
	mov	%rcx, %gs:RAROG_GS_TOP
\stub\()_leave_popped:
	mov	%gs:RAROG_GS_CURSOR, %rcx
	mov	%ax, (%rcx)
	add	$2, %rcx
	mov	%rcx, %gs:RAROG_GS_CURSOR
\stub\()_leave_written:
	movq	$0, %gs:RAROG_GS_BUSY
\stub\()_left:
	pop	%rcx
	pop	%rdx
	pop	%rax
	ret
	ORDER_PAD \is_ordered

\stub\()_leave_late:
	mov	%rdx, %rax
\stub\()_leave_marked:
	movq	$0, %gs:RAROG_GS_BUSY
\stub\()_leave_slow:
	push	%rsi
	HOLE	JMP, \stub\()_leave

\stub\()_marked:
	movq	$0, %gs:RAROG_GS_BUSY
\stub\()_pop:
	pop	%rcx
	pop	%rdx
	pop	%rax
\stub\()_slow:				/* --within and --not-below begin here */
	push	%rax
	ORDER	\is_ordered
	HOLE	MOV_EAX, \stub\()_event
	HOLE	CALL, \stub\()_enter
\stub\()_resume:			/* recorded */
	jmp	\stub\()_call
\stub\()_pass:			/* not recorded */
	pop	%rax
	jmp	\stub\()_end
\stub\()_value_set:
	.long	0
\stub\()_gate:
	.long	0
	.p2align 4, 0xcc
\stub\()_end:
.endm

.macro SEEN stub			/* by the agent's C, and by agent.lds */
	.irp	label, resume, return, pass, event, value_set, gate
	.globl	\stub\()_\label
	.hidden	\stub\()_\label
	.endr
.endm
	SEEN	rarog_stub
	SEEN	ordered_stub
	STUB	rarog_stub, 0
	STUB	ordered_stub, 1

/*
 * Entry probe, of calls that the stub cannot do alone. Stack: rsi, rcx, rdx, resume address, rax,
 * return address (the slot).
 * %esi: event word without the time.
 */
#define AT_RESUME 24
#define AT_SLOT   40

/* Unless a signal waits, for whomever (AWAIT). */
.macro ENTERED
	mov	rarog_area(%rip), %rdx
	cmpl	$0, RAROG_CONTROL_HELD(%rdx)
	jne	entered_held
	pop	%rsi
	pop	%rcx
	pop	%rdx
	ret
.endm

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
	ENTERED

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
	cmp	$(rarog_stub_return - rarog_stub_resume), %rax
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
	ENTERED
1:	pop	%rdi
	jmp	enter_marked_\kind

enter_marked_\kind:			/* the busy mark is ours: the slow path sets its own */
	movq	$0, %gs:RAROG_GS_BUSY
	jmp	enter_slow_\kind
.endm

enter_pass:
	addq	$(rarog_stub_pass - rarog_stub_resume), AT_RESUME(%rsp)
	ENTERED

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

/*
 * Does a signal wait until this thread comes out of the agent? Then it waits, too, until rarog has
 * stopped it and done what is left for it, which is to restore and to return (agent-settle.c); or
 * for some milliseconds, if it does not. Most often no signal waits, which
 * is all that is asked here.
 */
.macro AWAIT
	mov	rarog_area(%rip), %rdi	/* the control record */
	cmpl	$0, RAROG_CONTROL_HELD(%rdi)
	je	9f
	call	wait
9:
.endm

#define WAIT_TURNS 0x100000

wait:
	xor	%eax, %eax
	mov	%fs:0, %rsi
	cmp	%gs:RAROG_GS_OWNER, %rsi
	jne	1f
	mov	%gs:RAROG_GS_TID, %eax
1:	mov	$WAIT_TURNS, %ecx
2:	mov	RAROG_CONTROL_HELD(%rdi), %edx
3:	sub	$1, %edx
	jb	5f
	cmp	RAROG_CONTROL_HELD_AT(%rdi, %rdx, 8), %rsi
	jne	3b
	test	%eax, %eax		/* has no strand: may be a forked process's, too */
	jz	4f
	cmp	RAROG_CONTROL_HELD_BY(%rdi, %rdx, 4), %eax
	jne	3b
4:	pause
	dec	%ecx
	jnz	2b
	movl	$0, RAROG_CONTROL_HELD(%rdi)	/* perhaps no thread is there */
5:	ret
wait_end:

entered_held:
	SAVE
enter_done:
	AWAIT
	RESTORE
	pop	%rsi
	pop	%rcx
	pop	%rdx
	ret

.macro ENTER_SLOW kind, number
enter_slow_\kind:
	SAVE
	mov	%esi, %edx		/* event word */
	mov	$\number, %esi
	call	rarog_agent_enter
	jmp	enter_done
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

.macro ENTER_ASKING kind		/* what is to be done only C knows */
enter_\kind:
	push	%rdx
	push	%rcx
	push	%rsi
	mov	%eax, %esi
	jmp	enter_slow_\kind
.endm
	ENTER_ASKING root		/* the function that --within or --not-below names */
	ENTER_ASKING within_gated
	ENTER_ASKING below_gated

	ENTER_SLOW plain, 0
	ENTER_SLOW within, 1
	ENTER_SLOW below, 2
	ENTER_SLOW root, 3
	ENTER_SLOW within_gated, 4
	ENTER_SLOW below_gated, 5

/*
 * Exit probe, of calls that the stub cannot do alone. Stack: rsi, rcx, rdx, rax, slot. %rax: now
 */
leave:
	SAVE
	mov	%rax, %rsi
	call	rarog_agent_leave
	AWAIT
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
	jmp	enter_done

/*
 * Hooks at the entries of the unwinder's functions. Stack: return to the hook stub, then the
 * hooked function's own return address.
 */
.macro HOOK_SAVE
	push	%rax
	push	%rdx
	push	%rcx
	push	%rsi
	SAVE
.endm

.macro HOOK_RESTORE
	RESTORE
	pop	%rsi
	pop	%rcx
	pop	%rdx
	pop	%rax
.endm

.macro HOOK function
	HOOK_SAVE
	call	\function
	AWAIT
	HOOK_RESTORE
	ret
.endm

unhook:
	HOOK rarog_agent_unhook

set_ip:
	HOOK rarog_agent_set_ip

loaded:
	HOOK rarog_agent_loaded

/*
 * What comes back to the context that is saved comes here first, if the agent says so: the function
 * is called from a place of ours, with the stack aligned as it was. The true return address stays
 * where it is, but a context may be come back to more than once (setcontext), and then another
 * address may stand there. So it is also in a register that is saved with the context, %r8, and in
 * %r9 mixed with the place: a swapcontext that saves less is believed the stack.
 */
swap_context:
	HOOK_SAVE
	call	rarog_agent_swap_context
	test	%eax, %eax
	jz	1f
	HOOK_RESTORE
	push	(%rsp)			/* the return address … */
	push	(%rsp)			/* … and the way back to the stub */
	push	%rax
	lea	swapped(%rip), %rax
	mov	%rax, 16(%rsp)
	mov	32(%rsp), %r8
	lea	32(%rsp), %r9
	xor	%r8, %r9
	pop	%rax
	ret
1:	AWAIT
	HOOK_RESTORE
	ret

swapped:
	lea	8(%rsp), %rsp
	xor	%r8, %r9
	cmp	%rsp, %r9
	jne	1f
	mov	%r8, (%rsp)
1:	HOOK rarog_agent_swapped

set_context:
	HOOK rarog_agent_set_context

jump_stack:
	HOOK rarog_agent_jump_stack

tell_first:
	HOOK rarog_agent_tell_first

tell_second:
	HOOK rarog_agent_tell_second

prctl:
	HOOK rarog_agent_prctl

walked:
	HOOK rarog_agent_walked

/*
 * Captured values that take more than copying registers. Stack: return to the stub, rax, the slot.
 * %rax: what to capture. Vector registers may hold parameters: only their low halves can.
 */
values:
	HOOK_SAVE
	sub	$64, %rsp
	movq	%xmm0, (%rsp)
	movq	%xmm1, 8(%rsp)
	movq	%xmm2, 16(%rsp)
	movq	%xmm3, 24(%rsp)
	movq	%xmm4, 32(%rsp)
	movq	%xmm5, 40(%rsp)
	movq	%xmm6, 48(%rsp)
	movq	%xmm7, 56(%rsp)
	mov	%rsp, %rsi
	call	rarog_agent_values
	AWAIT
	HOOK_RESTORE
	ret

/*
 * Marks. Their stubs (emit-mark.c) have gone below the red zone and saved the flags.
 */
mark_point:
	HOOK rarog_agent_mark_point

mark_begin:
	HOOK rarog_agent_mark_begin

mark_end:
	HOOK rarog_agent_mark_end

/* … with values: these may be in any register. */
.macro MARK_VALUES function
	HOOK_SAVE
	push	%r15			/* of 16 bytes each two */
	push	%r15
	push	%r14
	push	%r13
	push	%r12
	push	%rbx
	sub	$128, %rsp
.irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	movq	%xmm\number, 8*\number(%rsp)
.endr
	mov	%rsp, %rsi
	call	\function
	AWAIT
	HOOK_RESTORE
	ret
.endm

mark_point_values:
	MARK_VALUES rarog_agent_mark_point_values

mark_begin_values:
	MARK_VALUES rarog_agent_mark_begin_values

mark_end_values:
	MARK_VALUES rarog_agent_mark_end_values

/*
 * Where rarog sends a thread that has not run yet; after its red zone stands where it goes on.
 */
born:
	pushfq
	HOOK_SAVE
	call	rarog_agent_born
	HOOK_RESTORE
	popfq
	ret	$128

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
	AWAIT
	RESTORE
	pop	%rsi
	pop	%rcx
	pop	%rdx
	pop	%rax
	ret	$128

	.section .note.GNU-stack, "", @progbits
