#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>
long *made;
long deepen(long depth);
__asm__(".globl deepen\n.type deepen, @function\ndeepen:\n.cfi_startproc\n"
	"sub $4088, %rsp\n.cfi_def_cfa_offset 4096\nmov %rdi, (%rsp)\ntest %rdi, %rdi\njz 1f\n"
	"inc %rdi\nmov made(%rip), %rax\nmov %rdi, (%rax)\ncall deepen\n"
	"1: add $4088, %rsp\n.cfi_def_cfa_offset 8\nret\n"
	".cfi_endproc\n.size deepen, . - deepen\n");
static void handle(int number) { _exit(number); }
int main(void)
{
	int fd = open("made", O_RDWR | O_CREAT, 0600);
	if (ftruncate(fd, 4096) != 0) return 1;
	made = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	signal(SIGSEGV, handle);
	return (int)deepen(1);
}
