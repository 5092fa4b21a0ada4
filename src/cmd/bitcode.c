/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An archive is a magic word and members: a head of 60 bytes, whose length is decimal text at 48,
 * then as many bytes, and one more if that is odd (ar(5)). Of a thin one only names are there; its
 * members' lengths are those of files elsewhere, so the files are asked.
 *
 * Fat objects (-ffat-lto-objects) are machine code that has the bitcode in a section; their
 * counters are what bitcode's are, whichever of both the linker takes.
 */
#include "cmd/bitcode.h"

#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"

#define ARCHIVE      "!<arch>\n"
#define THIN         "!<thin>\n"
#define MAGIC        8 /* bytes of these */
#define HEAD         60
#define NAME         16 /* bytes at its beginning */
#define LENGTH       48 /* where the length is … */
#define LENGTH_BYTES 10
#define MOST_MEMBERS 100000
#define MOST_NAMES   (1 << 24)
#define FAT          ".llvm.lto"

static bool is_bitcode(const char *magic)
{
	static const char *const kinds[] = { "BC\xC0\xDE", "\xDE\xC0\x17\x0B" };

	return memcmp(magic, kinds[0], 4) == 0 || memcmp(magic, kinds[1], 4) == 0;
}

/* Where in the file an object's section names are. */
static bool find_names(int fd, uint64_t at, Elf64_Shdr *ret_names)
{
	Elf64_Ehdr head;

	return pread(fd, &head, sizeof(head), (off_t)at) == sizeof(head) &&
	       memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_ident[EI_CLASS] == ELFCLASS64 &&
	       head.e_type == ET_REL &&
	       pread(fd, ret_names, sizeof(*ret_names),
		     (off_t)(at + head.e_shoff + head.e_shstrndx * sizeof(*ret_names))) ==
		       sizeof(*ret_names) &&
	       ret_names->sh_size < MOST_NAMES;
}

static bool is_fat(int fd, uint64_t at)
{
	rarog_cleanup(rarog_freep) char *text = NULL;
	Elf64_Shdr names;
	ssize_t n;

	if (!find_names(fd, at, &names))
		return false;
	text = malloc(names.sh_size + 1);
	n = text ? pread(fd, text, names.sh_size, (off_t)(at + names.sh_offset)) : -1;
	return n > 0 && memmem(text, (size_t)n, FAT, sizeof(FAT));
}

/* What begins at @at. */
static bool is_for_linker(int fd, uint64_t at)
{
	char magic[4];

	return pread(fd, magic, sizeof(magic), (off_t)at) == sizeof(magic) &&
	       (is_bitcode(magic) || is_fat(fd, at));
}

/* -1: cannot be read, or is no file. */
static int open_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat status;

	if (fd >= 0 && (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode))) {
		close(fd);
		return -1;
	}
	return fd;
}

static bool begins_with_bitcode(const char *path)
{
	int fd = open_file(path);
	bool is = fd >= 0 && is_for_linker(fd, 0);

	if (fd >= 0)
		close(fd);
	return is;
}

/* --- archives --- */

struct archive {
	int fd;
	bool is_thin;
	const char *path;
	char *names; /* the member "//": those that are too long for a head */
	size_t n_names;
};

/* Symbols and names: their bytes are in thin archives, too. */
static bool is_table(const char *head)
{
	return head[0] == '/' && (head[1] == ' ' || head[1] == '/' || head[1] == 'S');
}

static void read_names(struct archive *archive, uint64_t at, uint64_t size)
{
	if (archive->names || size >= MOST_NAMES)
		return;
	archive->names = calloc(size + 1, 1);
	if (archive->names && pread(archive->fd, archive->names, size, (off_t)at) == (ssize_t)size)
		archive->n_names = size;
}

/* Of a thin archive: the file is named from where the archive is. */
static bool is_file_bitcode(const struct archive *archive, const char *head)
{
	rarog_cleanup(rarog_freep) char *path = NULL;
	const char *slash = strrchr(archive->path, '/'), *name = head;
	size_t folder = slash ? (size_t)(slash - archive->path) + 1 : 0, length = NAME;
	const char *end;

	if (head[0] == '/') {
		size_t at = strtoul(head + 1, NULL, 10);

		if (at >= archive->n_names)
			return false;
		name = archive->names + at;
		length = archive->n_names - at;
	}
	/* ended by a slash and, in the table, a line's end; folders have slashes, too */
	end = head[0] == '/' ? memchr(name, '\n', length) : memrchr(name, '/', length);
	if (end)
		length = (size_t)(end - name) - (head[0] == '/' && end > name && end[-1] == '/');
	path = rarog_asprintf("%.*s%.*s", *name == '/' ? 0 : (int)folder, archive->path,
			      (int)length, name);
	return path && begins_with_bitcode(path);
}

static bool is_member_bitcode(const struct archive *archive, const char *head, uint64_t at)
{
	return archive->is_thin ? is_file_bitcode(archive, head) : is_for_linker(archive->fd, at);
}

static bool search(struct archive *archive)
{
	uint64_t at = MAGIC;

	for (int i = 0; i < MOST_MEMBERS; i++) {
		char head[HEAD + 1] = { 0 }, length[LENGTH_BYTES + 1] = { 0 };
		uint64_t size;

		if (pread(archive->fd, head, HEAD, (off_t)at) != HEAD)
			return false;
		memcpy(length, head + LENGTH, LENGTH_BYTES);
		size = strtoul(length, NULL, 10);
		at += HEAD;
		if (memcmp(head, "//", 2) == 0)
			read_names(archive, at, size);
		else if (!is_table(head) && is_member_bitcode(archive, head, at))
			return true;
		if (!archive->is_thin || is_table(head))
			at += size + size % 2;
	}
	return false;
}

bool rarog_bitcode_in(const char *path)
{
	struct archive archive = { .fd = open_file(path), .path = path };
	char magic[MAGIC] = { 0 };
	bool is = false;

	if (archive.fd < 0)
		return false;
	if (pread(archive.fd, magic, sizeof(magic), 0) >= 4) {
		archive.is_thin = memcmp(magic, THIN, MAGIC) == 0;
		is = is_for_linker(archive.fd, 0) ||
		     ((archive.is_thin || memcmp(magic, ARCHIVE, MAGIC) == 0) && search(&archive));
	}
	close(archive.fd);
	free(archive.names);
	return is;
}

/* --- libraries --- */

void rarog_library_words_add_folder(struct rarog_library_words *words, const char *folder)
{
	char *text = strdup(folder);

	if (!text || rarog_vec_push(&words->folders, text) < 0)
		free(text);
}

void rarog_library_words_add_name(struct rarog_library_words *words, const char *name)
{
	char *text = strdup(name);

	if (!text || rarog_vec_push(&words->names, text) < 0)
		free(text);
}

void rarog_library_words_release(struct rarog_library_words *words)
{
	for (size_t i = 0; i < words->folders.n; i++)
		free(words->folders.v[i]);
	for (size_t i = 0; i < words->names.n; i++)
		free(words->names.v[i]);
	rarog_vec_release(&words->folders);
	rarog_vec_release(&words->names);
}

/* In one folder: 1 it is an archive with bitcode, 0 it is something else, -1 it is not there. */
static int look_in(const char *folder, const char *name, bool is_static)
{
	rarog_cleanup(rarog_freep) char *shared = rarog_asprintf("%s/lib%s.so", folder, name);
	rarog_cleanup(rarog_freep) char *archive =
		*name == ':' ? rarog_asprintf("%s/%s", folder, name + 1)
			     : rarog_asprintf("%s/lib%s.a", folder, name);

	if (*name != ':' && !is_static && shared && access(shared, F_OK) == 0)
		return 0;
	return !archive || access(archive, F_OK) < 0 ? -1 : rarog_bitcode_in(archive);
}

bool rarog_library_words_bitcode(const struct rarog_library_words *words, bool is_static)
{
	for (size_t i = 0; i < words->names.n; i++)
		for (size_t k = 0; k < words->folders.n; k++) {
			int is = look_in(words->folders.v[k], words->names.v[i], is_static);

			if (is > 0)
				return true;
			if (is == 0)
				break;
		}
	return false;
}
