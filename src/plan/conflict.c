/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The base of %gs is set by an instruction (F3 [REX] 0F AE /3 with a register, wrgsbase) or by
 * arch_prctl(ARCH_SET_GS), which a program imports or calls by its number. The bytes are looked for
 * without decoding: no file of a Debian 12 system has them by chance, and one that had would only
 * be left unmeasured. A value that is computed (a number not in the code) is not found.
 */
#include "plan/conflict.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"

struct elf_file {
	int fd;
	Elf *elf;
};

static void elf_file_close(struct elf_file *file)
{
	elf_end(file->elf);
	rarog_closep(&file->fd);
}

static struct elf_file elf_file_open(const char *path)
{
	struct elf_file file = { .fd = open(path, O_RDONLY | O_CLOEXEC) };

	if (file.fd >= 0 && elf_version(EV_CURRENT) != EV_NONE)
		file.elf = elf_begin(file.fd, ELF_C_READ_MMAP, NULL);
	return file;
}

/* --- symbols --- */

static bool table_names(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, const char *symbol)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Sym sym;

	for (int i = 0; data && gelf_getsym(data, i, &sym); i++) {
		const char *name = elf_strptr(elf, header->sh_link, sym.st_name);

		/* a library that defines it is the one that others import it from */
		if (name && strcmp(name, symbol) == 0 &&
		    (header->sh_type == SHT_SYMTAB || sym.st_shndx == SHN_UNDEF))
			return true;
	}
	return false;
}

/* Is @symbol imported or, in a static program, linked in? */
static bool uses(Elf *elf, const char *symbol)
{
	static const GElf_Word tables[] = { SHT_DYNSYM, SHT_SYMTAB };

	for (int i = 0; i < 2; i++) {
		Elf_Scn *section = NULL;
		bool any = false;

		while ((section = elf_nextscn(elf, section))) {
			GElf_Shdr header;

			if (!gelf_getshdr(section, &header) || header.sh_type != tables[i])
				continue;
			any = true;
			if (table_names(elf, section, &header, symbol))
				return true;
		}
		if (any)
			return false;
	}
	return false;
}

/* --- code --- */

static bool is_wrgsbase(const uint8_t *code, const uint8_t *at, const uint8_t *end)
{
	if (end - at < 3 || at[2] < 0xd8 || at[2] > 0xdf || at == code)
		return false;
	return at[-1] == 0xf3 || ((at[-1] & 0xf0) == 0x40 && at - code >= 2 && at[-2] == 0xf3);
}

/* mov $imm32,%reg */
static bool is_move(const uint8_t *code, const uint8_t *immediate)
{
	return immediate > code && (immediate[-1] & 0xf8) == 0xb8;
}

#define CLOSE 64 /* bytes between the arguments of one system call */

/* mov $158,… near mov $ARCH_SET_GS,… */
static bool is_system_call(const uint8_t *code, const uint8_t *at, const uint8_t *end)
{
	static const uint8_t number[] = { 0x9e, 0, 0, 0 };
	const uint8_t *from = at - code > CLOSE ? at - CLOSE : code;
	const uint8_t *to = end - at > CLOSE ? at + CLOSE : end;

	for (; (from = memmem(from, (size_t)(to - from), number, sizeof(number))); from++)
		if (is_move(code, from))
			return true;
	return false;
}

bool rarog_conflict_gs_code(size_t n, const uint8_t code[])
{
	static const uint8_t fence[] = { 0x0f, 0xae }, set_gs[] = { 0x01, 0x10, 0, 0 };
	const uint8_t *end = code + n, *at;

	for (at = code; (at = memmem(at, (size_t)(end - at), fence, sizeof(fence))); at++)
		if (is_wrgsbase(code, at, end))
			return true;
	for (at = code; (at = memmem(at, (size_t)(end - at), set_gs, sizeof(set_gs))); at++)
		if (is_move(code, at) && is_system_call(code, at, end))
			return true;
	return false;
}

static bool has_gs_code(Elf *elf)
{
	size_t size, n = 0;
	const char *bytes = elf_rawfile(elf, &size);
	GElf_Phdr segment;

	if (!bytes || elf_getphdrnum(elf, &n) < 0)
		return false;
	for (size_t i = 0; i < n && gelf_getphdr(elf, (int)i, &segment); i++)
		if (segment.p_type == PT_LOAD && segment.p_flags & PF_X &&
		    segment.p_offset < size && segment.p_filesz <= size - segment.p_offset &&
		    rarog_conflict_gs_code(segment.p_filesz,
					   (const uint8_t *)bytes + segment.p_offset))
			return true;
	return false;
}

bool rarog_conflict_gs(const char *path)
{
	rarog_cleanup(elf_file_close) struct elf_file file = elf_file_open(path);

	return file.elf && (uses(file.elf, "arch_prctl") || has_gs_code(file.elf));
}

bool rarog_conflict_ptrace(const char *path)
{
	rarog_cleanup(elf_file_close) struct elf_file file = elf_file_open(path);

	return file.elf && uses(file.elf, "ptrace");
}
