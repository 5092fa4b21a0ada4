.globl count
.type count, @function
.text
count:	dec %edi
	jnz count
	mov %esi, %eax
	ret
.size count, . - count
