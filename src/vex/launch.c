/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rarog-vex [OPTION…] PROG [ARG…]: the tool beside this file runs PROG. The tool starts the
 * programs that PROG starts in the same way, so this also decides what it cannot run: programs for
 * other machines run as they are.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_foreign(const char *program)
{
	Elf64_Ehdr head;
	int fd = open(program, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, &head, sizeof(head));

	if (fd >= 0)
		close(fd);
	return n == sizeof(head) && memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 &&
	       (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_machine != EM_X86_64);
}

int main(int argc, char **argv)
{
	char self[PATH_MAX], tool[PATH_MAX + 32];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int program = 1;

	while (program < argc && argv[program][0] == '-')
		program++;
	if (program < argc && strchr(argv[program], '/') && is_foreign(argv[program])) {
		execv(argv[program], argv + program);
		return errno == ENOENT ? 127 : 126;
	}
	if (n < 0)
		return 125;
	self[n] = '\0';
	setenv("VALGRIND_LAUNCHER", self, 1);
	*strrchr(self, '/') = '\0';
	setenv("VALGRIND_LIB", self, 1);
	snprintf(tool, sizeof(tool), "%s/rarog-vex-amd64-linux", self);
	execv(tool, argv);
	fprintf(stderr, "rarog: %s: %s\n", tool, strerror(errno));
	return 125;
}
