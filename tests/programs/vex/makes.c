#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
static long room[8];
__attribute__((noinline)) void twice(void) { __asm__ volatile("movq %%rax, %0\n movl %%eax, %0\n" : "=m"(room[0])); }
int main(void)
{
	/* mov (%rdi), %eax; ret — then mov %eax, (%rdi); ret */
	static const unsigned char codes[2][3] = { { 0x8b, 0x07, 0xc3 }, { 0x89, 0x07, 0xc3 } };
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; i < 20; i++) {
		memcpy(page, codes[i % 2], 3);
		((void (*)(long *))page)(room);
	}
	twice();
	if (fork() == 0) {
		twice();
		twice();
		_exit(0);
	}
	return wait(NULL) < 0;
}
