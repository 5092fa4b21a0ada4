/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two ways lead to a debug file: the build-id (/usr/lib/debug/.build-id/ab/cdef….debug) and the
 * section .gnu_debuglink (a file name, padding, CRC-32 of the file), looked for beside the program,
 * in its .debug/ and under /usr/lib/debug + its directory. What is found must match: the same
 * build-id, or without one the CRC.
 *
 * Reference: GDB manual, "Debugging Information in Separate Files".
 */
#include "binary/debug-file.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"

#define DEBUG_ROOT "/usr/lib/debug"

/* CRC-32 of IEEE 802.3, reflected; a nibble at a time keeps the table small. */
static uint32_t crc32_bytes(size_t n, const uint8_t *bytes)
{
	static const uint32_t table[16] = {
		0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
		0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
		0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
	};
	uint32_t crc = UINT32_MAX;

	for (size_t i = 0; i < n; i++) {
		crc ^= bytes[i];
		crc = (crc >> 4) ^ table[crc & 15];
		crc = (crc >> 4) ^ table[crc & 15];
	}
	return ~crc;
}

/* .gnu_debuglink: name, NUL, padding to 4 bytes, CRC. */
static const char *read_link(const struct rarog_elf *elf, uint32_t *ret_crc)
{
	size_t n = 0;
	const struct rarog_elf_section *section = rarog_elf_section(elf, ".gnu_debuglink");
	const char *name = (const char *)rarog_elf_section_bytes(elf, section, &n);
	const char *end = name ? memchr(name, '\0', n) : NULL;
	size_t at = end ? ((size_t)(end - name) + 4) & ~(size_t)3 : 0;

	if (!end || end == name || strchr(name, '/') || n < 4 || at > n - 4)
		return NULL;
	memcpy(ret_crc, name + at, sizeof(*ret_crc));
	return name;
}

static bool matches(const struct rarog_elf *elf, const struct rarog_elf *debug, const uint32_t *crc)
{
	if (elf->build_id[0] && debug->build_id[0])
		return strcmp(elf->build_id, debug->build_id) == 0;
	return crc && crc32_bytes(debug->size, debug->bytes) == *crc;
}

/* Open @take_path if it is the debug file of @elf; NULL if not. */
static struct rarog_elf *try_file(const struct rarog_elf *elf, char *take_path, const uint32_t *crc)
{
	rarog_cleanup(rarog_freep) char *path = take_path;
	rarog_cleanup(rarog_elf_freep) struct rarog_elf *debug = NULL;

	if (!path || strcmp(path, elf->path) == 0)
		return NULL;
	if (rarog_elf_open(path, RAROG_ELF_DEBUG, &debug) < 0) {
		rarog_error_clear();
		return NULL;
	}
	return matches(elf, debug, crc) ? rarog_take(debug) : NULL;
}

static struct rarog_elf *find_by_build_id(const struct rarog_elf *elf)
{
	const char *id = elf->build_id;

	if (strlen(id) < 3)
		return NULL;
	return try_file(elf, rarog_asprintf(DEBUG_ROOT "/.build-id/%.2s/%s.debug", id, id + 2),
			NULL);
}

static struct rarog_elf *find_by_link(const struct rarog_elf *elf)
{
	uint32_t crc;
	const char *name = read_link(elf, &crc);
	rarog_cleanup(rarog_freep) char *directory = name ? realpath(elf->path, NULL) : NULL;
	struct rarog_elf *debug;

	if (!directory)
		return NULL;
	*strrchr(directory, '/') = '\0'; /* an absolute path has one */
	debug = try_file(elf, rarog_asprintf("%s/%s", directory, name), &crc);
	if (!debug)
		debug = try_file(elf, rarog_asprintf("%s/.debug/%s", directory, name), &crc);
	if (!debug)
		debug = try_file(elf, rarog_asprintf(DEBUG_ROOT "%s/%s", directory, name), &crc);
	return debug;
}

static bool is_complete(const struct rarog_elf *elf)
{
	return rarog_elf_section(elf, ".symtab") && rarog_elf_section(elf, ".debug_line");
}

struct rarog_elf *rarog_debug_file_find(const struct rarog_elf *elf)
{
	struct rarog_elf *debug = NULL;

	if (is_complete(elf))
		return NULL;
	debug = find_by_build_id(elf);
	return debug ? debug : find_by_link(elf);
}
