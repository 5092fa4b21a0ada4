/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The new segment takes the program header of PT_NOTE, which nothing needs at run time, and lies
 * after everything else in the file and in memory.
 */
#include "patched-file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define SLOT 64 /* bytes of displaced code a function */
#define PAGE 4096ull

struct image {
	uint8_t *bytes; /* the file, then the new segment */
	size_t file_size, size;
	uint64_t bias;    /* load bias */
	uint64_t segment; /* vaddr of the new segment */
};

static Elf64_Phdr *program_headers(const struct image *image, size_t *ret_n)
{
	Elf64_Ehdr header;

	memcpy(&header, image->bytes, sizeof(header));
	*ret_n = header.e_phnum;
	return (Elf64_Phdr *)(void *)(image->bytes + header.e_phoff);
}

static int read_file(const char *path, size_t extra, struct image *image)
{
	rarog_cleanup(rarog_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;

	if (fd < 0 || fstat(fd, &status) < 0)
		return -errno;
	image->file_size = ((size_t)status.st_size + PAGE - 1) & ~(PAGE - 1);
	image->size = image->file_size + extra;
	image->bytes = calloc(1, image->size);
	if (!image->bytes)
		return -ENOMEM;
	return read(fd, image->bytes, (size_t)status.st_size) == status.st_size ? 0 : -EIO;
}

static int add_segment(struct image *image)
{
	size_t n;
	Elf64_Phdr *note = NULL, *ph = program_headers(image, &n);
	uint64_t end = 0;

	for (size_t i = 0; i < n; i++) {
		if (ph[i].p_type == PT_NOTE)
			note = &ph[i];
		else if (ph[i].p_type == PT_LOAD && ph[i].p_vaddr + ph[i].p_memsz > end)
			end = ph[i].p_vaddr + ph[i].p_memsz;
	}
	if (!note)
		return -ENOENT;
	image->segment = (end + PAGE - 1) & ~(PAGE - 1);
	*note = (Elf64_Phdr){
		.p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_offset = image->file_size,
		.p_vaddr = image->segment,
		.p_paddr = image->segment,
		.p_filesz = image->size - image->file_size,
		.p_memsz = image->size - image->file_size,
		.p_align = PAGE,
	};
	return 0;
}

static uint8_t *file_bytes(const struct image *image, uint64_t vaddr)
{
	size_t n;
	Elf64_Phdr *ph = program_headers(image, &n);

	for (size_t i = 0; i < n; i++) {
		if (ph[i].p_type == PT_LOAD && vaddr - ph[i].p_vaddr < ph[i].p_filesz)
			return image->bytes + ph[i].p_offset + (vaddr - ph[i].p_vaddr);
	}
	return NULL;
}

static int patch(struct image *image, size_t slot, uint64_t entry, const struct rarog_site *site)
{
	uint64_t copy = image->segment + slot * SLOT, from = entry + site->offset;
	uint64_t jump = from - (site->kind == RAROG_SITE_NOPS_BEFORE ? RAROG_PATCH_SIZE : 0);
	uint8_t *code = file_bytes(image, from), *at = file_bytes(image, jump);
	int32_t distance = (int32_t)(copy - (jump + RAROG_PATCH_SIZE));

	if (!at || !code)
		return -EINVAL;
	int r = rarog_relocate(site->length, code, image->bias + from, image->bias + copy, SLOT,
			       image->bytes + image->file_size + slot * SLOT);
	if (r < 0)
		return r;
	if (site->kind == RAROG_SITE_NOPS_BEFORE)
		memcpy(code, (const uint8_t[]){ 0xeb, 0xf9 }, RAROG_SHORT_PATCH_SIZE);
	at[0] = 0xe9;
	memcpy(at + 1, &distance, sizeof(distance));
	return 0;
}

static long patch_all(struct image *image, const struct rarog_binary *binary,
		      const struct rarog_site *sites)
{
	const struct rarog_function *functions;
	size_t n = rarog_binary_functions(binary, &functions);
	long patched = 0;

	for (size_t i = 0; i < n; i++) {
		/* loop heads may be patched, too: they are left out because of what they count */
		if (sites[i].verdict != RAROG_SITE_OK && sites[i].verdict != RAROG_SITE_LOOP)
			continue;
		int r = patch(image, i, functions[i].address, &sites[i]);
		if (r < 0)
			return r;
		patched++;
	}
	return patched;
}

static int write_file(const struct image *image, const char *path)
{
	rarog_cleanup(rarog_closep) int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0700);

	if (fd < 0 || fchmod(fd, 0700) < 0)
		return -errno;
	for (size_t done = 0; done < image->size;) {
		ssize_t n = write(fd, image->bytes + done, image->size - done);

		if (n < 0)
			return -errno;
		done += (size_t)n;
	}
	return 0;
}

long patched_file_write(const struct rarog_binary *binary, const char *path)
{
	const struct rarog_function *functions;
	size_t n = rarog_binary_functions(binary, &functions);
	rarog_cleanup(rarog_freep) struct rarog_site *sites = NULL;
	struct image image = { .bias = rarog_binary_is_pie(binary) ? FIXED_LOAD_BIAS : 0 };
	int r = rarog_patch_sites(binary, &sites);

	if (r == 0)
		r = read_file(rarog_binary_path(binary), (n + 1) * SLOT, &image);
	if (r == 0)
		r = add_segment(&image);
	long patched = r < 0 ? r : patch_all(&image, binary, sites);
	if (patched > 0 && (r = write_file(&image, path)) < 0)
		patched = r;
	free(image.bytes);
	return patched;
}
