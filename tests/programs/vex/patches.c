#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
int answer(void);
__asm__("answer: mov $1, %eax\n ret\n .type answer, @function\n .size answer, . - answer\n");
int main(void)
{
	void *page = (void *)((uintptr_t)answer & ~4095ul);
	int before = answer();
	if (mprotect(page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC)) return 77;
	((unsigned char *)answer)[1] = 2;
	mprotect(page, 8192, PROT_READ | PROT_EXEC);
	return !printf("%d %d\n", before, answer());
}
