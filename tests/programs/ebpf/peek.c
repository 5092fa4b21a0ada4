__asm__(".globl peek\n.type peek, @function\npeek:\n.cfi_startproc\n"
	"mov (%rdi), %rax\ntest %rax, %rax\njz 1f\nxor %eax, %eax\n1: ret\n"
	".cfi_endproc\n.size peek, . - peek\n");
