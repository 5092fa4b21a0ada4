/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * People give rarog scripts, archives, core dumps and programs of other machines; each gets a
 * sentence that names it and says what would work. Reference: System V gABI 4.1, "ELF Header".
 */
#include "binary/file-kind.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"

static const struct {
	const char *magic;
	size_t length;
	const char *what; /* after "PATH: " */
} other_files[] = {
	{ "!<arch>\n", 8, "a static library (.a), not a program; link it into one first" },
	{ "!<thin>\n", 8, "a static library (.a), not a program; link it into one first" },
	{ "MZ", 2, "a Windows program; only ELF programs for x86-64 are supported" },
	{ "\xcf\xfa\xed\xfe", 4, "a macOS program; only ELF programs for x86-64 are supported" },
	{ "\xca\xfe\xba\xbe", 4, "a Java class or macOS file; give the native ELF program" },
	{ "\x1f\x8b", 2, "compressed by gzip; unpack it first" },
	{ "\xfd"
	  "7zXZ",
	  5, "compressed by xz; unpack it first" },
	{ "\x28\xb5\x2f\xfd", 4, "compressed by zstd; unpack it first" },
	{ "BC\xc0\xde", 4, "LLVM bitcode; compile it to a program first" },
};

static const struct {
	uint16_t machine;
	const char *name;
} machines[] = {
	{ EM_386, "32-bit x86" },      { EM_AARCH64, "64-bit ARM" }, { EM_ARM, "32-bit ARM" },
	{ EM_RISCV, "RISC-V" },        { EM_PPC64, "64-bit POWER" }, { EM_PPC, "32-bit PowerPC" },
	{ EM_S390, "IBM z" },          { EM_MIPS, "MIPS" },          { EM_SPARCV9, "64-bit SPARC" },
	{ EM_BPF, "the BPF machine" },
};

static int refuse_script(const char *path, size_t n, const uint8_t *bytes)
{
	size_t start = 2;

	while (start < n && (bytes[start] == ' ' || bytes[start] == '\t'))
		start++;
	size_t end = start;

	while (end < n && bytes[end] > ' ' && bytes[end] < 0x7f)
		end++;
	return rarog_fail(
		-ENOEXEC,
		"%s: a script for %.*s, not an ELF program; name the program that it starts", path,
		(int)(end - start), (const char *)bytes + start);
}

static int refuse_other(const char *path, size_t n, const uint8_t *bytes)
{
	if (n == 0)
		return rarog_fail(-ENOEXEC, "%s: an empty file, not an ELF program", path);
	if (n >= 2 && memcmp(bytes, "#!", 2) == 0)
		return refuse_script(path, n, bytes);
	for (size_t i = 0; i < RAROG_COUNT(other_files); i++)
		if (n >= other_files[i].length &&
		    memcmp(bytes, other_files[i].magic, other_files[i].length) == 0)
			return rarog_fail(-ENOEXEC, "%s: %s", path, other_files[i].what);
	return rarog_fail(-ENOEXEC,
			  "%s: not an ELF file; give a program or shared library for x86-64", path);
}

static const char *machine_name(uint16_t machine)
{
	for (size_t i = 0; i < RAROG_COUNT(machines); i++)
		if (machines[i].machine == machine)
			return machines[i].name;
	return "another machine";
}

static int refuse_machine(const char *path, const Elf64_Ehdr *header)
{
	const char *name = machine_name(header->e_machine);

	if (header->e_ident[EI_DATA] != ELFDATA2LSB)
		return rarog_fail(-ENOEXEC, "%s: a big-endian ELF file; only x86-64 is supported",
				  path);
	if (header->e_machine == EM_X86_64)
		name = "x32 (x86-64 with 32-bit pointers)";
	return rarog_fail(-ENOEXEC, "%s: an ELF file for %s; only 64-bit x86-64 is supported", path,
			  name);
}

static int check_type(const char *path, const Elf64_Ehdr *header)
{
	switch (header->e_type) {
	case ET_EXEC:
	case ET_DYN:
		return 0;
	case ET_REL:
		return rarog_fail(-ENOEXEC, "%s: an object file (.o), not a program; link it first",
				  path);
	case ET_CORE:
		return rarog_fail(-ENOEXEC, "%s: a core dump; give the program that it came from",
				  path);
	default:
		return rarog_fail(-ENOEXEC, "%s: an ELF file of unknown type %u", path,
				  header->e_type);
	}
}

int rarog_file_kind_check(const char *path, size_t n, const uint8_t *bytes)
{
	Elf64_Ehdr header = { 0 };

	if (n < SELFMAG || memcmp(bytes, ELFMAG, SELFMAG) != 0)
		return refuse_other(path, n, bytes);
	memcpy(&header, bytes, n < sizeof(header) ? n : sizeof(header));
	/* e_type and e_machine stand at the same place in both classes */
	if (n > offsetof(Elf64_Ehdr, e_version) &&
	    (header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_ident[EI_CLASS] != ELFCLASS64 ||
	     header.e_machine != EM_X86_64))
		return refuse_machine(path, &header);
	if (n < sizeof(header))
		return rarog_fail(-EINVAL, "%s: cut off in the ELF header", path);
	return check_type(path, &header);
}
