/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libelf maps the file and knows its odd corners (more than 65,000 sections, alignment); what it
 * lets pass is checked here once, so that the rest of the folder need not: every table, section
 * and segment lies inside the file, every section's name ends in its string table.
 *
 * The file is mapped: if someone cuts it off while it is read, the kernel sends SIGBUS, as it does
 * to the dynamic linker.
 */
#include "binary/elf-file.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/str.h"
#include "binary/file-kind.h"

#define HEAD_BYTES 256 /* of the file, to judge what it is */

static bool inside(const struct rarog_elf *elf, uint64_t offset, uint64_t n)
{
	return offset <= elf->size && n <= elf->size - offset;
}

static int fail_elf(const struct rarog_elf *elf, const char *part)
{
	return rarog_fail(-EINVAL, "%s: damaged ELF file: %s: %s", elf->path, part, elf_errmsg(-1));
}

static int fail_outside(const struct rarog_elf *elf, const char *part, size_t nr)
{
	return rarog_fail(-EINVAL,
			  "%s: %s %zu reaches beyond the end of the file (%zu bytes); the file is "
			  "cut off or damaged",
			  elf->path, part, nr, elf->size);
}

/* The tables themselves: libelf hides one that does not fit, which would look like none. */
static int check_tables(const struct rarog_elf *elf)
{
	const Elf64_Ehdr *h = elf->header;

	if (h->e_phnum > 0 && (h->e_phentsize != sizeof(Elf64_Phdr) ||
			       !inside(elf, h->e_phoff, h->e_phnum * sizeof(Elf64_Phdr))))
		return rarog_fail(-EINVAL,
				  "%s: the program headers lie outside the file; it is cut off or "
				  "damaged",
				  elf->path);
	if (h->e_shoff > 0 &&
	    (h->e_shentsize != sizeof(Elf64_Shdr) ||
	     !inside(elf, h->e_shoff, (h->e_shnum ? h->e_shnum : 1) * sizeof(Elf64_Shdr))))
		return rarog_fail(-EINVAL,
				  "%s: the section headers lie outside the file; it is cut off or "
				  "damaged",
				  elf->path);
	return 0;
}

static int check_segment(const struct rarog_elf *elf, size_t nr)
{
	const Elf64_Phdr *p = &elf->segments[nr];

	if (p->p_type != PT_LOAD)
		return 0;
	if (!inside(elf, p->p_offset, p->p_filesz))
		return fail_outside(elf, "segment", nr);
	if (p->p_filesz > p->p_memsz || p->p_vaddr + p->p_memsz < p->p_vaddr)
		return rarog_fail(-EINVAL, "%s: segment %zu has an impossible size", elf->path, nr);
	return 0;
}

static int read_segments(struct rarog_elf *elf)
{
	size_t n = 0;
	int r = 0;

	if (elf_getphdrnum(elf->elf, &n) < 0)
		return fail_elf(elf, "program headers");
	if (elf->role == RAROG_ELF_DEBUG)
		n = 0; /* they describe the program's file */
	elf->segments = calloc(n ? n : 1, sizeof(*elf->segments));
	if (!elf->segments)
		return rarog_oom();
	for (size_t i = 0; r == 0 && i < n; i++) {
		if (!gelf_getphdr(elf->elf, (int)i, &elf->segments[i]))
			return fail_elf(elf, "program headers");
		r = check_segment(elf, i);
	}
	elf->n_segments = n;
	return r;
}

static int read_section(struct rarog_elf *elf, size_t names, Elf_Scn *scn)
{
	struct rarog_elf_section *section = &elf->sections[elf->n_sections];
	size_t nr = elf_ndxscn(scn);

	section->scn = scn;
	section->header = gelf_getshdr(scn, &elf->headers[elf->n_sections]);
	if (!section->header)
		return fail_elf(elf, "section headers");
	if (section->header->sh_type != SHT_NOBITS &&
	    !inside(elf, section->header->sh_offset, section->header->sh_size))
		return fail_outside(elf, "section", nr);
	section->name = elf_strptr(elf->elf, names, section->header->sh_name);
	if (!section->name)
		return rarog_fail(-EINVAL, "%s: the name of section %zu lies outside its table",
				  elf->path, nr);
	elf->n_sections++;
	return 0;
}

static int read_sections(struct rarog_elf *elf)
{
	size_t n = 0, names = 0;
	Elf_Scn *scn = NULL;
	int r = 0;

	if (elf->header->e_shoff == 0)
		return 0; /* a program runs without section headers */
	if (elf_getshdrnum(elf->elf, &n) < 0 || elf_getshdrstrndx(elf->elf, &names) < 0)
		return fail_elf(elf, "section headers");
	if (!inside(elf, elf->header->e_shoff, n * sizeof(Elf64_Shdr)))
		return fail_outside(elf, "section header", n);
	elf->sections = calloc(n ? n : 1, sizeof(*elf->sections));
	elf->headers = calloc(n ? n : 1, sizeof(*elf->headers));
	if (!elf->sections || !elf->headers)
		return rarog_oom();
	while (r == 0 && elf->n_sections < n && (scn = elf_nextscn(elf->elf, scn)))
		r = read_section(elf, names, scn);
	return r;
}

/* Notes: namesz, descsz, type (4 bytes each), name, descriptor, both padded to @align. */
static const uint8_t *find_build_id(size_t n, const uint8_t *notes, uint64_t align, size_t *ret_n)
{
	uint64_t mask = align == 8 ? 7 : 3;

	for (uint64_t at = 0; at + 12 <= n;) {
		uint32_t head[3];

		memcpy(head, notes + at, sizeof(head));
		uint64_t name = at + 12;
		uint64_t descriptor = (name + head[0] + mask) & ~mask;

		if (descriptor + head[1] > n)
			return NULL;
		if (head[2] == NT_GNU_BUILD_ID && head[0] == 4 &&
		    memcmp(notes + name, "GNU", 4) == 0) {
			*ret_n = head[1];
			return notes + descriptor;
		}
		at = (descriptor + head[1] + mask) & ~mask;
	}
	return NULL;
}

static const uint8_t *build_id_bytes(const struct rarog_elf *elf, size_t *ret_n)
{
	const uint8_t *id = NULL;

	for (size_t i = 0; i < elf->n_segments && !id; i++) {
		const Elf64_Phdr *p = &elf->segments[i];

		if (p->p_type == PT_NOTE && inside(elf, p->p_offset, p->p_filesz))
			id = find_build_id(p->p_filesz, elf->bytes + p->p_offset, p->p_align,
					   ret_n);
	}
	for (size_t i = 0; i < elf->n_sections && !id; i++) {
		const Elf64_Shdr *h = elf->sections[i].header;

		if (h->sh_type == SHT_NOTE)
			id = find_build_id(h->sh_size, elf->bytes + h->sh_offset, h->sh_addralign,
					   ret_n);
	}
	return id;
}

static int read_build_id(struct rarog_elf *elf)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	size_t n = 0;
	const uint8_t *id = build_id_bytes(elf, &n);
	int r = rarog_str_add(&text, "");

	for (size_t i = 0; id && i < n && i < 64 && r == 0; i++)
		r = rarog_str_addf(&text, "%02x", id[i]);
	elf->build_id = r == 0 ? rarog_str_take(&text) : NULL;
	return elf->build_id ? 0 : rarog_oom();
}

/* After elf->elf is there: check and index everything. */
static int read_headers(struct rarog_elf *elf)
{
	int r;

	elf->bytes = (const uint8_t *)elf_rawfile(elf->elf, &elf->size);
	elf->header = elf64_getehdr(elf->elf);
	if (!elf->bytes || !elf->header)
		return fail_elf(elf, "ELF header");
	r = rarog_file_kind_check(elf->path, elf->size, elf->bytes);
	if (r == 0)
		r = check_tables(elf);
	if (r == 0)
		r = read_segments(elf);
	if (r == 0)
		r = read_sections(elf);
	if (r == 0)
		r = read_build_id(elf);
	return r;
}

/* Messages call it @name. */
static int open_regular(const char *path, const char *name)
{
	struct stat st;
	/* O_NONBLOCK: opening a FIFO must not wait */
	rarog_cleanup(rarog_closep) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return rarog_fail_errno("%s", name);
	if (fstat(fd, &st) < 0)
		return rarog_fail_errno("%s", name);
	if (S_ISDIR(st.st_mode))
		return rarog_fail(-ENOEXEC, "%s: a directory, not an ELF program", name);
	if (!S_ISREG(st.st_mode))
		return rarog_fail(-ENOEXEC, "%s: not a regular file", name);
	return rarog_take_fd(&fd);
}

static int check_head(const struct rarog_elf *elf)
{
	uint8_t head[HEAD_BYTES];
	ssize_t n = pread(elf->fd, head, sizeof(head), 0);

	if (n < 0)
		return rarog_fail_errno("%s: cannot read", elf->path);
	return rarog_file_kind_check(elf->path, (size_t)n, head);
}

static struct rarog_elf *elf_new(const char *path, enum rarog_elf_role role)
{
	struct rarog_elf *elf = calloc(1, sizeof(*elf));

	if (!elf)
		return NULL;
	elf->fd = -1;
	elf->role = role;
	elf->path = strdup(path);
	if (!elf->path)
		rarog_elf_free(rarog_take(elf));
	return elf;
}

/* A file that is mapped may be cut short, or written anew, while we have it: by strip(1), or
 * by a program that replaces a library after closing it. */
#define COPY_MOST (64 << 20) /* bytes; larger ones are mapped */

/* NULL: it is too large, or not there any more. */
static char *copy_of(int fd, size_t *ret_n)
{
	struct stat st;
	char *copy;
	size_t n = 0;
	ssize_t got = 1;

	if (fstat(fd, &st) < 0 || st.st_size > COPY_MOST ||
	    !(copy = malloc((size_t)st.st_size + 1)))
		return NULL;
	while (got > 0 && n < (size_t)st.st_size) {
		got = pread(fd, copy + n, (size_t)st.st_size - n, (off_t)n);
		n += got > 0 ? (size_t)got : 0;
	}
	*ret_n = n;
	return copy;
}

static Elf *begin(struct rarog_elf *elf)
{
	size_t n;

	elf_version(EV_CURRENT);
	elf->image = copy_of(elf->fd, &n);
	return elf->image ? elf_memory(elf->image, n)
			  : elf_begin(elf->fd, ELF_C_READ_MMAP_PRIVATE, NULL);
}

int rarog_elf_open_as(const char *path, const char *name, enum rarog_elf_role role,
		      struct rarog_elf **ret_elf)
{
	rarog_cleanup(rarog_elf_freep) struct rarog_elf *elf = elf_new(name, role);
	int r;

	if (!elf)
		return rarog_oom();
	elf->fd = open_regular(path, name);
	if (elf->fd < 0)
		return elf->fd;
	r = check_head(elf);
	if (r < 0)
		return r;
	elf->elf = begin(elf);
	if (!elf->elf)
		return fail_elf(elf, "file");
	r = read_headers(elf);
	if (r < 0)
		return r;
	*ret_elf = rarog_take(elf);
	return 0;
}

int rarog_elf_open(const char *path, enum rarog_elf_role role, struct rarog_elf **ret_elf)
{
	return rarog_elf_open_as(path, path, role, ret_elf);
}

int rarog_elf_open_memory(const char *name, enum rarog_elf_role role, size_t n,
			  const uint8_t *bytes, struct rarog_elf **ret_elf)
{
	rarog_cleanup(rarog_elf_freep) struct rarog_elf *elf = elf_new(name, role);
	int r = rarog_file_kind_check(name, n, bytes);

	if (r < 0)
		return r;
	if (!elf)
		return rarog_oom();
	elf_version(EV_CURRENT);
	/* libdw changes headers in place when it decompresses sections: it gets a copy */
	elf->image = malloc(n);
	if (!elf->image)
		return rarog_oom();
	memcpy(elf->image, bytes, n);
	elf->elf = elf_memory(elf->image, n);
	if (!elf->elf)
		return fail_elf(elf, "file");
	r = read_headers(elf);
	if (r < 0)
		return r;
	*ret_elf = rarog_take(elf);
	return 0;
}

void rarog_elf_free(struct rarog_elf *elf)
{
	if (!elf)
		return;
	elf_end(elf->elf);
	rarog_closep(&elf->fd);
	free(elf->image);
	free(elf->segments);
	free(elf->sections);
	free(elf->headers);
	free(elf->build_id);
	free(elf->path);
	free(elf);
}

const struct rarog_elf_section *rarog_elf_section(const struct rarog_elf *elf, const char *name)
{
	for (size_t i = 0; i < elf->n_sections; i++)
		if (strcmp(elf->sections[i].name, name) == 0)
			return &elf->sections[i];
	return NULL;
}

const uint8_t *rarog_elf_section_bytes(const struct rarog_elf *elf,
				       const struct rarog_elf_section *section, size_t *ret_n)
{
	if (!section || section->header->sh_type == SHT_NOBITS)
		return NULL;
	*ret_n = section->header->sh_size;
	return elf->bytes + section->header->sh_offset;
}

/* Nothing becomes a thousandth by deflate. */
#define MOST_PACKED 1032

const uint8_t *rarog_elf_section_unpacked(const struct rarog_elf_section *section, size_t *ret_n)
{
	GElf_Chdr packed;
	Elf_Data *data;

	if (section->header->sh_type == SHT_NOBITS)
		return NULL;
	/* unpacked once, it has no such head any more */
	if (section->header->sh_flags & SHF_COMPRESSED && gelf_getchdr(section->scn, &packed) &&
	    (packed.ch_size / MOST_PACKED > section->header->sh_size ||
	     elf_compress(section->scn, 0, 0) < 0))
		return NULL;
	data = elf_getdata(section->scn, NULL);
	*ret_n = data && data->d_buf ? data->d_size : 0;
	return *ret_n > 0 ? data->d_buf : NULL;
}

const uint8_t *rarog_elf_bytes(const struct rarog_elf *elf, uint64_t vaddr, size_t *ret_n)
{
	for (size_t i = 0; i < elf->n_segments; i++) {
		const Elf64_Phdr *p = &elf->segments[i];

		if (p->p_type != PT_LOAD || vaddr < p->p_vaddr || vaddr - p->p_vaddr >= p->p_filesz)
			continue;
		*ret_n = p->p_filesz - (vaddr - p->p_vaddr);
		return elf->bytes + p->p_offset + (vaddr - p->p_vaddr);
	}
	return NULL;
}

const char *rarog_elf_interpreter(const struct rarog_elf *elf)
{
	for (size_t i = 0; i < elf->n_segments; i++) {
		const Elf64_Phdr *p = &elf->segments[i];

		if (p->p_type != PT_INTERP || !inside(elf, p->p_offset, p->p_filesz))
			continue;
		if (memchr(elf->bytes + p->p_offset, '\0', p->p_filesz))
			return (const char *)elf->bytes + p->p_offset;
	}
	return NULL;
}
