/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions with places for instrumentation, named after the kind of site that rarog_patch_sites()
 * must choose, and the tables that name them, with records that no compiler writes among those that
 * it does. Never run.
 */

.macro open name
	.globl	\name
	.type	\name, @function
\name:
	.cfi_startproc
.endm

.macro close name
	.cfi_endproc
	.size	\name, . - \name
.endm

.macro nops_at place
	.pushsection __patchable_function_entries, "aw", @progbits
	.quad	\place
	.popsection
.endm

.macro xray_at place, function, kind
	.pushsection xray_instr_map, "a", @progbits
9:	.quad	\place - 9b
	.quad	\function - (9b + 8)
	.byte	\kind, 1, 2
	.zero	13
	.popsection
.endm

.macro xray_sled
	.byte	0xeb, 0x09
	.byte	0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x02, 0x00, 0x00
.endm

.macro xray_exit
	ret
	.byte	0x2e, 0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x02, 0x00, 0x00
.endm

	.text
open _start
	hlt
close _start

	.p2align 4
open nops__plain
	nops_at nops__plain
	.skip	5, 0x90
	ret
close nops__plain

	.p2align 4
open nops__endbr
	endbr64
1:	nops_at 1b
	.skip	5, 0x90
	ret
close nops__endbr

	.p2align 4
1:	nops_at 1b
	.skip	5, 0x90
open nops_before__short
	nop
	nop
	ret
close nops_before__short
1:	nops_at 1b			/* not padding of the function above */
	.skip	5, 0x90
open nops_before__loop
	nop
	nop
2:	dec	%edi
	jnz	2b
	ret
close nops_before__loop

/* Four bytes before are too few, two at the entry as well. */
1:	nops_at 1b
	.skip	4, 0x90
open short__few
	nop
	ret
close short__few
open entry__behind_few
	mov	$1, %eax
	ret
close entry__behind_few

	.p2align 4
open behind_xray__plain
	xray_at behind_xray__plain, behind_xray__plain, 0
	xray_sled
	mov	$1, %eax
1:	xray_at 1b, behind_xray__plain, 1
	xray_exit
close behind_xray__plain

	.p2align 4
open sled__return_at_once
	xray_at sled__return_at_once, sled__return_at_once, 0
	xray_sled
	nop
1:	xray_at 1b, sled__return_at_once, 1
	xray_exit
close sled__return_at_once

	.p2align 4
open target__loop_behind_xray
	xray_at target__loop_behind_xray, target__loop_behind_xray, 0
	xray_sled
1:	sub	$1, %edi
	jnz	1b
	mov	$1, %eax
	ret
close target__loop_behind_xray

/* Without unwind information and calls: the table is the only proof. */
	.p2align 4
	.globl	nops__unproven
	.type	nops__unproven, @function
nops__unproven:
	nops_at nops__unproven
	.skip	5, 0x90
	ret
	.size	nops__unproven, . - nops__unproven

	.p2align 4
	.globl	no_fde__without_sled
	.type	no_fde__without_sled, @function
no_fde__without_sled:
	.skip	5, 0x90
	ret
	.size	no_fde__without_sled, . - no_fde__without_sled

/* Neither a symbol nor unwind information. */
	.p2align 4
.Lnameless:
	nops_at .Lnameless
	.skip	5, 0x90
	ret
	.p2align 4

/* A record that points into a function makes none of it. */
open entry__pointed_into
	mov	$1, %eax
	mov	$2, %eax
1:	nops_at 1b
	nop
	nop
	ret
close entry__pointed_into

open entry__not_nops
	mov	$1, %eax
2:	mov	$2, %eax
	ret
close entry__not_nops

	/* no code; no nops; twice; cut off */
	nops_at 0
	nops_at 0x7fffffffffffffff
	nops_at 2b
	nops_at nops__plain
	.pushsection __patchable_function_entries
	.byte	1, 2, 3
	.popsection
	.pushsection xray_instr_map
	.quad	0x4141414141414141, -1
	.byte	0, 1, 2
	.zero	13
	.quad	1, 2
	.popsection
	.section .note.GNU-stack, "", @progbits
