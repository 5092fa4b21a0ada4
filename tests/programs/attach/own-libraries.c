#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
static long calls(long (*f)(long))
{
	long n = 0;
	for (int i = 0; i < 100; i++) n += f(i);
	return n;
}
static long (*load(void))(long)
{
	void *library = dlopen("./libplugin.so", RTLD_NOW);
	return (long (*)(long))dlsym(library, "plug");
}
/* Take what another process has for itself, less than a gigabyte below the library. Return: how much. */
static int block(pid_t pid)
{
	unsigned long start[64], end[64], library = 0;
	char path[64], line[512];
	int n = 0, done = 0;
	FILE *f;
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "r");
	while (n < 64 && fgets(line, sizeof(line), f) && sscanf(line, "%lx-%lx", &start[n], &end[n]) == 2)
		if (strstr(line, "memfd:rarog"))
			n++;
		else if (!library && strstr(line, "libplugin"))
			library = start[n];
	fclose(f);
	for (int i = 0; i < n; i++)
		done += start[i] < library && library - start[i] < 0x40000000ul &&
			mmap((void *)start[i], end[i] - start[i], PROT_NONE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != MAP_FAILED;
	return done;
}
int main(void)
{
	long (*f)(long);
	char c;
	int up[2], down[2], status;
	pid_t child;
	setbuf(stdout, NULL);
	puts("begun");
	if (pipe(up) < 0 || pipe(down) < 0 || read(0, &c, 1) != 1) return 2;
	child = fork();
	if (child == 0) {
		f = load();
		calls(f);
		if (write(up[1], "x", 1) != 1 || read(down[0], &c, 1) != 1) _exit(2);
		printf("child %ld\n", calls(f));
		_exit(0);
	}
	if (read(up[0], &c, 1) != 1) return 2;
	printf("blocked %d\n", block(child));
	f = load();
	printf("loaded %ld\n", calls(f));
	if (read(0, &c, 1) != 1 || write(down[1], "x", 1) != 1) return 2;
	wait(&status);
	printf("parent %ld, status %d\n", calls(f), status);
	return 0;
}
