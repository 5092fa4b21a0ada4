/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that checks whether its code was changed: against the sum that it takes at first from
 * its file. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern const char __executable_start[], etext[];

__attribute__((noinline)) static unsigned long checksum(const char *p, const char *end)
{
	unsigned long sum = 0;

	for (; p < end; p++)
		sum = sum * 31 + (unsigned char)*p;
	return sum;
}

int main(void)
{
	size_t size = (size_t)(etext - __executable_start);
	char *file = malloc(size);
	int fd = open("/proc/self/exe", O_RDONLY);

	if (!file || fd < 0 || read(fd, file, size) != (ssize_t)size)
		return 77;
	printf("my code is %s\n", checksum(file, file + size) == checksum(__executable_start, etext)
					  ? "as it was"
					  : "tampered with");
	free(file);
	return close(fd);
}
