/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Data without names: local labels are in no symbol table. What each function reads is defined from outside. */
	.macro function name
	.globl \name
	.type \name, @function
\name:
	.cfi_startproc
	.endm
	.macro end name
	ret
	.cfi_endproc
	.size \name, . - \name
	.endm

	.text
#ifdef MOVED
	function before
	mov $1, %eax
	end before
#endif
	function main
	sub $8, %rsp
	.cfi_adjust_cfa_offset 8
	call counts
	call lists
	call sums
	call middle
	call far
	call points
	call aliased
	call imports
	call loops
	call backwards
	call years
	call packs
	xor %eax, %eax
	add $8, %rsp
	.cfi_adjust_cfa_offset -8
	end main
	function counts
	incl COUNTER(%rip)
	end counts
	function lists
	lea .Llist(%rip), %rax
	end lists
	function sums
	lea .Ltable(%rip), %rax
	end sums
	function middle
	mov .Ltable + 8(%rip), %eax
	end middle
	function far
	lea .Lfar(%rip), %rax
	end far
	function points
	lea .Lpointers(%rip), %rax
	end points
	function aliased
	lea large(%rip), %rax
	end aliased
	function imports
	mov place(%rip), %rax
	end imports

	function loops
	lea looped - 8(%rip), %rax /* it counts from 1 */
	end loops

	function backwards
	lea reversed + 24(%rip), %rax /* it ends before the beginning */
	mov -8(%rax), %rax
	end backwards
	function years
#ifdef ABSOLUTE
	mov of_years - 4 * 1970(,%rax,4), %eax
#else
	lea of_years - 4 * 1970(%rip), %rax
#endif
	add $AFTER, %eax
	end years
	function packs
	lea packed(%rip), %rax
	end packs

	/* What others may refer to need not be referred to. */
	.globl named, before_list, before_table, before_far, before_looped, before_pointers
	.section .rodata
	.type named, @object
named:	.quad 5
	.size named, 8
#ifdef MOVED
	.globl more
	.type more, @object
more:	.quad 5
	.size more, 8
	.globl named2
	.type named2, @object
named2:	.quad 5
	.size named2, 8
#endif
	.type before_list, @object
before_list: .quad 5
	.size before_list, 8
.Llist:	.asciz "one"
	.asciz LAST
	.byte 0
	.balign 8
	.type before_table, @object
before_table: .quad 5
	.size before_table, 8
.Ltable: .long 1, 2, 3, FOURTH
	.type before_far, @object
before_far: .quad 5
	.size before_far, 8
.Lfar:	.fill 1250, 4, 3
	.long LATE
	.globl small, large
	.type small, @object
	.type large, @object
small:
large:	.long 1, 2, ALIASED
	.size small, 4
	.size large, 12

	.balign 8
	.type before_looped, @object
before_looped: .quad 5, 6
	.size before_looped, 16
	.globl looped
	.type looped, @object
looped:	.quad 1, 2, LOOPED
	.size looped, 24

	.type reversed, @object
reversed: .quad 1, 2, REVERSED
	.size reversed, 24
	.globl after_reversed
	.type after_reversed, @object
after_reversed: .quad 1, 2
	.size after_reversed, 16
	.type of_years, @object
of_years: .long 1, 2, YEAR
	.size of_years, 12
.Lpacked: .asciz PACKED

	.section .data.rel.ro, "aw"
	.globl packed
	.type packed, @object
packed:	.byte 5
	.quad .Lpacked
	.size packed, 9
	.balign 8
	.type before_pointers, @object
before_pointers: .quad 5
	.size before_pointers, 8
.Lpointers:
	.quad counts, POINTER
	.data
	.balign 8
	.globl place
	.type place, @object
place:	.quad environ + ADDEND
	.size place, 8
	.bss
	.balign 8
	.globl known
	.type known, @object
known:	.zero 8
	.size known, 8
.Lone:	.zero 4
.Ltwo:	.zero 4
	.section .note.GNU-stack, "", @progbits
