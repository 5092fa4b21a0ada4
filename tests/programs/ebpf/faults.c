/* peek: a function whose probe stands after a load: it faults, and what becomes of that */
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#define HOLE ((void *)0x10000000)
long peek(const long *from);
__asm__(".globl peek\n.type peek, @function\npeek:\n.cfi_startproc\n"
	"mov (%rdi), %rax\ntest %rax, %rax\njz 1f\nxor %eax, %eax\n1: ret\n"
	".cfi_endproc\n.size peek, . - peek\n");
static sigjmp_buf out;
static void jump(int number) { siglongjmp(out, number); }
static void mend(int number)
{
	(void)number;
	mmap(HOLE, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}
int main(int argc, char **argv)
{
	volatile int tries = 0;
	long there = 1;
	for (int i = 0; i < 5; i++) peek(&there);
	if (argc > 1) signal(SIGSEGV, strcmp(argv[1], "jump") == 0 ? jump : mend);
	sigsetjmp(out, 1);
	if (tries++ < 3) peek(HOLE);
	return argc == 1;
}
