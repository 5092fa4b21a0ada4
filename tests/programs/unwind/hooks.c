#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#define BARE __attribute__((no_instrument_function, noinline))
static void *volatile entered;
int forks(void);
BARE void __cyg_profile_func_enter(void *f, void *caller)
{
	if (f == (void *)forks) entered = caller;
}
BARE void __cyg_profile_func_exit(void *f, void *caller)
{
	if (f == (void *)forks && caller != entered) puts("another caller");
}
__attribute__((noinline)) int forks(void) { return fork(); }
BARE int main(void)
{
	int p = forks(), grandchild = 0, status;
	if (p == 0) grandchild = forks() == 0;
	if (!grandchild) wait(&status);
	printf("%s\n", p ? "parent" : grandchild ? "grandchild" : "child");
}
