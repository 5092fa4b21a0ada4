#include <stdio.h>
#include <string.h>
__attribute__((noinline)) static long count(const char *from, const char *to)
{
	long n = 0;
	for (; from < to - 2; from++) n += memcmp(from, "\x0f\xae\xe8", 3) == 0;
	return n;
}
int main(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512], *from, *to, mode[5];
	long n = 0;
	while (fgets(line, sizeof(line), maps))
		if (strstr(line, "memfd:rarog") && sscanf(line, "%p-%p %4s", (void **)&from, (void **)&to, mode) == 3 &&
		    mode[2] == 'x')
			n += count(from, to);
	printf("%ld\n", n);
	return 0;
}
