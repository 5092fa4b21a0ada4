/* Where longjmp comes back to no jump can be written: a loop begins one byte after it. */
#include <setjmp.h>

jmp_buf out;
static volatile int sink;

__attribute__((noipa)) void jump(void)
{
	longjmp(out, 1);
}

__attribute__((noipa)) void handle(void)
{
	sink++;
}

void lands(void);
asm(".text\n"
    ".globl lands\n"
    ".type lands, @function\n"
    "lands:\n"
    "	.cfi_startproc\n"
    "	sub $8, %rsp\n"
    "	.cfi_def_cfa_offset 16\n"
    "	lea out(%rip), %rdi\n"
    "	call _setjmp@PLT\n"
    "	nop\n"
    "1:	test %eax, %eax\n"
    "	jne 2f\n"
    "	call jump\n"
    "	mov $1, %eax\n"
    "	jmp 1b\n"
    "2:	call handle\n"
    "	mov $1, %eax\n"
    "	add $8, %rsp\n"
    "	.cfi_def_cfa_offset 8\n"
    "	ret\n"
    "	.cfi_endproc\n"
    ".size lands, .-lands\n");

int main(void)
{
	lands();
	return 0;
}
