#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
/* mov edi, edi; loop: dec rdi; jnz loop; ret */
static const unsigned char code[] = { 0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3 };
int main(void)
{
	char *memory = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[64];
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	FILE *f = fopen(path, "w");
	fprintf(f, "%lx %zx made_long\n%lx %zx made_short\n", (long)memory, sizeof(code), (long)memory + 4096,
		sizeof(code));
	fclose(f);
	memcpy(memory, code, sizeof(code));
	memcpy(memory + 4096, code, sizeof(code));
	((void (*)(long))memory)(300000000);
	((void (*)(long))(memory + 4096))(100000000);
	printf("%s\n", path);
	return 0;
}
