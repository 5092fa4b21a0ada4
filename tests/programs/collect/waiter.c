/* Prints "begun", waits with a child of its own until told, and crashes without an argument. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
__attribute__((noinline)) int work(int x)
{
	__asm__ volatile("");
	return x + 1;
}
int main(int argc, char **argv)
{
	int n = 0;
	char c;
	for (int i = 0; i < 100000; i++) n = work(n);
	if (argc < 2) abort();
	if (!dlopen("libz.so.1", RTLD_NOW)) puts("no libz");
	pid_t child = fork();
	if (child > 0) printf("begun %d\n", child), fflush(stdout);
	if (read(0, &c, 1) != 1) _exit(2);
	return n != 100000;
}
