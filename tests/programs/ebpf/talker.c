#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) void work(void) { __asm__ volatile("push %%rbx; pop %%rbx" ::: "memory"); }
/* teller CALLS [CALLS OF A CHILD [FILE TO SAY THAT IT IS THERE, AND WAIT]] */
int main(int argc, char **argv)
{
	char c;
	if (argc > 3) {
		work();
		close(creat(argv[3], 0600));
		if (read(0, &c, 1) != 1) return 1;
	}
	if (argc > 2 && fork() == 0) argv++;
	for (long i = atol(argv[1]); i > 0; i--) work();
	wait(NULL);
	return 0;
}
