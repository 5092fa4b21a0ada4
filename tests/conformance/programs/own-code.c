/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs that look at themselves. usage: own-code file|maps|scan
 * file: reads the file it was started from; maps: finds
 * itself in /proc/self/maps; scan: reads all its readable memory, as collectors of garbage do.
 */
#include "expect.h"
#include "work.h"
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

TRACED unsigned long checksum(const char *p, const char *end)
{
	unsigned long sum = 0;

	CALLED();
	for (; p < end; p++)
		sum = sum * 31 + (unsigned char)*p;
	return sum;
}

static char *read_file(size_t *ret_size)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	struct stat st;
	char *text;

	if (fd < 0 || fstat(fd, &st))
		exit(77);
	text = malloc((size_t)st.st_size);
	if (read(fd, text, (size_t)st.st_size) != st.st_size)
		exit(77);
	close(fd);
	*ret_size = (size_t)st.st_size;
	return text;
}

TRACED void check_file(void)
{
	size_t size;
	char *file = read_file(&size);

	printf("checksum %lx\n", CALL(checksum, file, file + size));
	free(file);
}

/* An executable mapping of this program that is not writable has this function in it. */
static int is_mapped(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[4352], flags[5], path[4096], self[4096] = "";
	unsigned long low, high, here = (unsigned long)leaf;
	int found = 0;

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		exit(77);
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx %4s %*x %*s %*d %4095s", &low, &high, flags, path) == 4 &&
		    low <= here && here < high)
			found = !strcmp(flags, "r-xp") && !strcmp(path, self);
	if (f)
		fclose(f);
	return found;
}

/* Bytes are read through a pipe, so that memory that may not be read is no crash. */
static int scan(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned long low, high, found = 0;
	static const char needle[] = "needle in a haystack";
	volatile const char *kept = strdup(needle);
	char line[4352], flags[5];

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%lx %4s", &low, &high, flags) != 3 || flags[0] != 'r' ||
		    strstr(line, "[v"))
			continue;
		for (const char *p = (const char *)low; p + 64 <= (const char *)high; p += 64)
			found += !memcmp(p, needle, sizeof(needle)) && p != needle;
	}
	if (f)
		fclose(f);
	return kept && found < 100;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "maps";

	printf("%u\n", CALL(work, 1000));
	if (!strcmp(mode, "file"))
		check_file();
	else if (!strcmp(mode, "maps"))
		printf("mapped %d\n", is_mapped());
	else
		printf("scanned %d\n", scan());
	printf("%u\n", CALL(work, 1000));
	expect_print();
	return 0;
}
