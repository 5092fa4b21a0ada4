/* What each function does 1000 times stands beside its name. */
.macro function name
.globl \name
.type \name, @function
\name:
.endm
.macro end name
.size \name, . - \name
.endm
.text
function _start		# 9 calls: 9 stores of 8
mov $1000, %ebx
lea room(%rip), %rsi
1:	call widths
call changes
call stack
call locked
call repeats
call unused
call bits
call wide
call strings
dec %ebx
jnz 1b
mov $231, %eax
mov $7, %edi
syscall
end _start
function widths		# loads 1 2 4 8 and 8 of ret: 5, 23 bytes; stores 1 2 4 8: 4, 15
movb (%rsi), %al
movw (%rsi), %ax
movl (%rsi), %eax
movq (%rsi), %rax
movb %al, (%rsi)
movw %ax, (%rsi)
movl %eax, (%rsi)
movq %rax, (%rsi)
ret
end widths
function changes	# addl, incq, adcb: load and store each; cmp, test load: 4 8 1 4 1 8; 4 8 1
addl $1, (%rsi)
incq (%rsi)
adcb $0, (%rsi)
cmpl $1, (%rsi)
testb $1, (%rsi)
ret
end changes
function stack		# push, pop; push of memory loads, too: loads 8 8 8 8, stores 8 8
push %rax
push (%rsi)
pop %rax
pop %rax
ret
end stack
function locked		# each one load and one store: 4 8 1 4 16, ret
lock incl (%rsi)
lock xaddq %rax, (%rsi)
xchgb %al, (%rsi)
lock cmpxchgl %ecx, (%rsi)
push %rbx
xor %ebx, %ebx
lock cmpxchg16b (%rsi)
pop %rbx
ret
end locked
function repeats	# 5 stores of 8, 3 loads and stores of 1, none, 3 pairs of loads of 1
lea room(%rip), %rdi
mov $5, %ecx
rep stosq
lea room(%rip), %rdi
mov $3, %ecx
rep movsb
mov $0, %ecx
rep stosb
lea room(%rip), %rdi
lea room(%rip), %rsi
mov $3, %ecx
repe cmpsb
lea room(%rip), %rsi
ret
end repeats
function unused		# the processor loads what nobody uses
movl (%rsi), %eax
movl $1, %eax
cmpl $1, (%rsi)
cmpl $2, (%rsi)
andl $0, (%rsi)
orl $-1, (%rsi)
nopl (%rsi)
prefetcht0 (%rsi)
lea (%rsi), %rax
ret
end unused
function bits		# of registers: nothing; of memory a load, and a store
bt %eax, %ecx
bts %rax, %rcx
btc %ax, %cx
bt %r8, %r9
btl $1, (%rsi)
btsl $1, (%rsi)
ret
end bits
function wide		# 16 16 8 4 10 load, 16 16 8 4 10 store
movups (%rsi), %xmm0
movaps %xmm0, (%rsi)
movdqa (%rsi), %xmm0
movdqu %xmm0, (%rsi)
movsd (%rsi), %xmm0
movsd %xmm0, (%rsi)
movss (%rsi), %xmm0
movss %xmm0, (%rsi)
fldt (%rsi)
fstpt (%rsi)
ret
end wide
function strings	# movs: both; stos: a store; lods, scas: a load
mov %rsi, %rdi
movsq
stosl
lodsw
scasb
lea room(%rip), %rsi
ret
end strings
.data
.balign 64
room:	.fill 4096
