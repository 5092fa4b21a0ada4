/* What it executes can be counted by reading it. */
.globl _start, twice, loop, tail, last, unwinding
.type _start, @function
.type twice, @function
.type loop, @function
.type tail, @function
.type last, @function
.text
_start:	mov $1000, %ebx
1:	call twice
	dec %ebx
	jnz 1b
	mov $231, %eax
	mov $7, %edi
	syscall
.size _start, . - _start
twice:	mov $3, %ecx
	call loop
	call tail
	ret
.size twice, . - twice
loop:	nop
1:	dec %ecx
	jnz 1b
	ret
.size loop, . - loop
tail:	nop
	jmp last
.size tail, . - tail
last:	lea next(%rip), %rax
	call *%rax
	ret
.size last, . - last
next:	ret
.type next, @function
.size next, . - next
.data
.quad 1 # without writable data valgrind reads no symbols
