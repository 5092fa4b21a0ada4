/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * usage: entry-counts ONLY|- OUTPUT PROGRAM ARGUMENTS…
 *
 * Runs PROGRAM, without randomised addresses, with a breakpoint at the first instruction of each of
 * its functions (FUNC symbols of .symtab and .dynsym; ONLY: a file of addresses, those) and writes
 * how often each was reached: lines "address count name" as callgrind-counts does. A second truth
 * about calls, on the processor itself and at the addresses that the program has without valgrind,
 * for programs whose calls depend on addresses. Slow (two stops a call), for programs of one thread
 * and no children; says so otherwise. Exits as the program did; 125 if it could not count.
 *
 * A breakpoint is int3 in place of the instruction's first byte. When it is hit, the byte comes
 * back for one single step. A signal that arrives in that step waits until it is done: its handler
 * would return to the breakpoint, and that would count twice.
 */
#include <elf.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FAILED = 125, INT3 = 0xcc };

struct entry {
	uint64_t address; /* link-time */
	uint64_t count;
	char *name;
	uint8_t byte;
	bool is_wanted;
};

struct program {
	pid_t pid;
	int memory; /* /proc/PID/mem */
	uint64_t bias;
	uint64_t start; /* link-time address of the ELF header's entry point */
	struct entry *entries;
	size_t n;
};

static int by_address(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

static void add_symbols(struct program *p, Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t n = data ? header->sh_size / header->sh_entsize : 0;

	p->entries = realloc(p->entries, (p->n + n + 1) * sizeof(*p->entries));
	for (size_t i = 0; p->entries && i < n; i++) {
		GElf_Sym symbol;
		int type;

		if (!gelf_getsym(data, (int)i, &symbol))
			errx(FAILED, "%s", elf_errmsg(-1));
		type = GELF_ST_TYPE(symbol.st_info);
		if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol.st_shndx == SHN_UNDEF)
			continue;
		p->entries[p->n++] = (struct entry){
			.address = symbol.st_value,
			.name = strdup(elf_strptr(elf, header->sh_link, symbol.st_name)),
		};
	}
}

static void unique(struct program *p)
{
	size_t kept = 0;

	qsort(p->entries, p->n, sizeof(*p->entries), by_address);
	for (size_t i = 0; i < p->n; i++)
		if (kept == 0 || p->entries[kept - 1].address != p->entries[i].address)
			p->entries[kept++] = p->entries[i];
		else
			free(p->entries[i].name);
	p->n = kept;
}

static void keep_wanted(struct program *p)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->n; i++)
		if (p->entries[i].is_wanted)
			p->entries[kept++] = p->entries[i];
		else
			free(p->entries[i].name);
	p->n = kept;
}

/* A place without a symbol: a function of a stripped program. */
static void add_place(struct program *p, uint64_t address)
{
	p->entries = realloc(p->entries, (p->n + 1) * sizeof(*p->entries));
	if (!p->entries)
		err(FAILED, "entries");
	p->entries[p->n++] = (struct entry){
		.address = address,
		.name = strdup("-"),
		.is_wanted = true,
	};
}

static void keep_only(struct program *p, const char *path)
{
	FILE *f = fopen(path, "re");
	size_t n = p->n;
	char line[4096];

	if (!f)
		err(FAILED, "%s", path);
	while (fgets(line, sizeof(line), f)) {
		struct entry key = { .address = strtoull(line, NULL, 16) };
		struct entry *found = bsearch(&key, p->entries, n, sizeof(key), by_address);

		if (found)
			found->is_wanted = true;
		else
			add_place(p, key.address);
	}
	fclose(f);
	keep_wanted(p);
	unique(p);
}

static void read_symbols(struct program *p, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf = NULL;
	Elf_Scn *section = NULL;
	GElf_Ehdr header;

	elf_version(EV_CURRENT);
	if (fd < 0 || !(elf = elf_begin(fd, ELF_C_READ, NULL)) || !gelf_getehdr(elf, &header))
		errx(FAILED, "%s: not a readable ELF file", path);
	p->start = header.e_entry;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr table;

		if (gelf_getshdr(section, &table) && table.sh_entsize &&
		    (table.sh_type == SHT_SYMTAB || table.sh_type == SHT_DYNSYM))
			add_symbols(p, elf, section, &table);
	}
	elf_end(elf);
	close(fd);
	unique(p);
}

/* Where the program really starts, by the kernel's word to the dynamic linker. */
static uint64_t bias_of(const struct program *p)
{
	char path[64];
	uint64_t word[2];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/auxv", (int)p->pid);
	f = fopen(path, "re");
	while (f && fread(word, sizeof(word), 1, f) == 1)
		if (word[0] == AT_ENTRY) {
			fclose(f);
			return word[1] - p->start;
		}
	errx(FAILED, "no AT_ENTRY in %s", path);
}

static void put(const struct program *p, uint64_t at, uint8_t byte)
{
	if (pwrite(p->memory, &byte, 1, (off_t)at) != 1)
		err(FAILED, "cannot write at %#" PRIx64, at);
}

static void set_breakpoints(struct program *p)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)p->pid);
	p->memory = open(path, O_RDWR | O_CLOEXEC);
	p->bias = bias_of(p);
	for (size_t i = 0; i < p->n; i++) {
		uint64_t at = p->bias + p->entries[i].address;

		if (pread(p->memory, &p->entries[i].byte, 1, (off_t)at) != 1)
			err(FAILED, "cannot read %s", p->entries[i].name);
		put(p, at, INT3);
	}
}

static void resume(const struct program *p, enum __ptrace_request how, int signal)
{
	if (ptrace(how, p->pid, NULL, (void *)(intptr_t)signal) < 0)
		err(FAILED, "ptrace");
}

/* Wait for the next stop. Return: its signal; 0: the program ended, see @ret_status. */
static int next_stop(const struct program *p, int *ret_status)
{
	while (waitpid(p->pid, ret_status, 0) < 0)
		if (errno != EINTR)
			err(FAILED, "waitpid");
	if (!WIFSTOPPED(*ret_status))
		return 0;
	if (*ret_status >> 16)
		errx(FAILED, "the program starts threads, children or other programs");
	return WSTOPSIG(*ret_status);
}

/* The instruction under a breakpoint, with all repetitions. Return: signal to deliver after it. */
static int step_over(const struct program *p, const struct entry *entry, int *ret_status)
{
	const void *rip = (void *)offsetof(struct user_regs_struct, rip);
	uint64_t at = p->bias + entry->address;
	int pending = 0;

	put(p, at, entry->byte);
	if (ptrace(PTRACE_POKEUSER, p->pid, rip, (void *)(uintptr_t)at) < 0)
		err(FAILED, "ptrace");
	do {
		resume(p, PTRACE_SINGLESTEP, 0);
		int signal = next_stop(p, ret_status);
		if (signal == 0)
			return 0;
		if (signal != SIGTRAP)
			pending = signal;
	} while ((uint64_t)ptrace(PTRACE_PEEKUSER, p->pid, rip, NULL) == at);
	put(p, at, INT3);
	return pending;
}

static struct entry *hit(const struct program *p)
{
	long rip = ptrace(PTRACE_PEEKUSER, p->pid, offsetof(struct user_regs_struct, rip), NULL);
	struct entry key = { .address = (uint64_t)rip - 1 - p->bias };

	return bsearch(&key, p->entries, p->n, sizeof(key), by_address);
}

static int count(const struct program *p)
{
	int status = 0, signal = 0;

	for (;;) {
		resume(p, PTRACE_CONT, signal);
		signal = next_stop(p, &status);
		if (signal == 0)
			return status;
		struct entry *entry = signal == SIGTRAP ? hit(p) : NULL;
		if (!entry)
			continue;
		entry->count++;
		signal = step_over(p, entry, &status);
		if (!WIFSTOPPED(status))
			return status;
	}
}

static void start(struct program *p, char **command)
{
	const long options = PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
			     PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC;
	int status;

	p->pid = fork();
	if (p->pid == 0) {
		personality(ADDR_NO_RANDOMIZE);
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execv(command[0], command);
		err(FAILED, "%s", command[0]);
	}
	if (p->pid < 0 || waitpid(p->pid, &status, 0) < 0)
		err(FAILED, "fork");
	if (!WIFSTOPPED(status))
		exit(FAILED);
	if (ptrace(PTRACE_SETOPTIONS, p->pid, NULL, (void *)options) < 0)
		err(FAILED, "ptrace");
}

int main(int n, char **words)
{
	struct program p = { 0 };
	FILE *out;
	int status;

	if (n < 4)
		errx(2, "usage: entry-counts ONLY OUTPUT PROGRAM ARGUMENTS…");
	read_symbols(&p, words[3]);
	if (strcmp(words[1], "-") != 0)
		keep_only(&p, words[1]);
	if (p.n == 0)
		errx(FAILED, "%s: no function symbols", words[3]);
	start(&p, words + 3);
	set_breakpoints(&p);
	status = count(&p);
	out = fopen(words[2], "we");
	for (size_t i = 0; out && i < p.n; i++)
		if (p.entries[i].count)
			fprintf(out, "%#" PRIx64 " %" PRIu64 " %s\n", p.entries[i].address,
				p.entries[i].count, p.entries[i].name);
	if (!out || fclose(out) != 0)
		err(FAILED, "%s", words[2]);
	for (size_t i = 0; i < p.n; i++)
		free(p.entries[i].name);
	free(p.entries);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
