#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
__attribute__((noinline)) void work(void) { __asm__ volatile("push %%rbx; pop %%rbx" ::: "memory"); }
static void await(void)
{
	char c;
	int fd;
	close(creat("ready", 0600));
	fd = open("go", O_RDONLY);
	if (read(fd, &c, 1) != 1) abort();
	close(fd);
}
int main(int argc, char **argv)
{
	char line[256];
	FILE *status = fopen("/proc/self/status", "r");
	if (argc > 2) await();
	for (long n = atol(argv[1]); n > 0; n--) work();
	close(creat("made", 0600));
	while (fgets(line, sizeof(line), status))
		if (!strncmp(line, "CapPrm", 6) || !strncmp(line, "NoNewPrivs", 10)) fputs(line, stdout);
	printf("%d %d\n", (int)getuid(), (int)geteuid());
	return 7;
}
