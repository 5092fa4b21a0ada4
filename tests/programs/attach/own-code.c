#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
/* until *(int *)argument is not 0 */
static const unsigned char code[] = { 0xf3, 0x90, 0x83, 0x3f, 0x00, 0x74, 0xf9, 0xc3 };
/* Return: the code, where @pid has for itself what is called memfd:rarog; NULL: there is nothing */
static void *place(pid_t pid)
{
	unsigned long start, end;
	char path[64], line[512];
	void *p = MAP_FAILED;
	FILE *f;
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "r");
	while (p == MAP_FAILED && fgets(line, sizeof(line), f))
		if (strstr(line, "r-xs") && strstr(line, "memfd:rarog") && sscanf(line, "%lx-%lx", &start, &end) == 2)
			p = mmap((void *)start, end - start, PROT_READ | PROT_WRITE | PROT_EXEC,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	fclose(f);
	return p == MAP_FAILED ? NULL : memcpy(p, code, sizeof(code));
}
int main(void)
{
	int *over = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	void (*run)(int *);
	void *library, *p;
	char c;
	int go[2], status;
	pid_t child, parent = getpid();
	setbuf(stdout, NULL);
	puts("begun");
	if (pipe(go) < 0 || read(0, &c, 1) != 1) return 2;
	child = fork();
	if (child == 0) {
		if (read(go[0], &c, 1) != 1 || !(p = place(parent))) _exit(2);
		memcpy(&run, &p, sizeof(p));
		puts("placed");
		run(over);
		_exit(0);
	}
	library = dlopen("./libplugin.so", RTLD_NOW);
	if (!library || write(go[1], "x", 1) != 1 || read(0, &c, 1) != 1) return 2;
	*over = 1;
	wait(&status);
	printf("ended %d\n", status);
	return 0;
}
