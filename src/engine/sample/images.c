/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/sample/images.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/str.h"

/* It is the same in all processes: ours, as a file. Its sections end with the table of them. */
static int copy_vdso(void)
{
	const Elf64_Ehdr *head = (const Elf64_Ehdr *)getauxval(AT_SYSINFO_EHDR);
	int fd = head ? memfd_create("vdso", MFD_CLOEXEC) : -1;

	if (fd >= 0 &&
	    rarog_write_all(fd, head->e_shoff + (size_t)head->e_shnum * head->e_shentsize, head) ==
		    0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

void rarog_images_init(struct rarog_images *images, const struct rarog_spaces *spaces)
{
	*images = (struct rarog_images){ .spaces = spaces, .vdso = copy_vdso() };
	snprintf(images->vdso_path, sizeof(images->vdso_path), "/proc/self/fd/%d", images->vdso);
}

static bool is_vdso(const struct rarog_images *images, uint32_t file)
{
	return images->vdso >= 0 && strcmp(images->spaces->files.v[file].path, "[vdso]") == 0;
}

bool rarog_images_is_generated(const struct rarog_images *images, uint32_t file)
{
	const char *path = images->spaces->files.v[file].path;

	return !is_vdso(images, file) &&
	       (path[0] != '/' || path[1] == '/' || rarog_starts_with(path, "/memfd:") ||
		rarog_starts_with(path, "/dev/zero") || rarog_starts_with(path, "/SYSV"));
}

const char *rarog_images_path(const struct rarog_images *images, uint32_t file)
{
	if (is_vdso(images, file))
		return images->vdso_path;
	if (file < images->list.n && images->list.v[file].file.is_held)
		return images->list.v[file].file.link;
	return images->spaces->files.v[file].path;
}

void rarog_images_release(struct rarog_images *images)
{
	for (size_t i = 0; i < images->list.n; i++) {
		rarog_binary_free(images->list.v[i].binary);
		rarog_mapped_file_release(&images->list.v[i].file);
	}
	rarog_vec_release(&images->list);
	if (images->vdso >= 0)
		close(images->vdso);
	images->vdso = -1;
}

/* NULL: no memory. */
static struct rarog_sampled_image *image_of(struct rarog_images *images, uint32_t file)
{
	while (images->list.n <= file)
		if (rarog_vec_push(&images->list, (struct rarog_sampled_image){ 0 }) < 0)
			return NULL;
	return &images->list.v[file];
}

static struct rarog_sampled_image *look_for(struct rarog_images *images, uint32_t file)
{
	struct rarog_sampled_image *image = image_of(images, file);

	if (!image || image->is_looked_for)
		return image;
	image->is_looked_for = true;
	if (is_vdso(images, file))
		image->is_there = true;
	else if (!rarog_images_is_generated(images, file))
		image->is_there =
			rarog_mapped_file_find(&images->spaces->files.v[file], &image->file) == 0;
	return image;
}

void rarog_images_look(struct rarog_images *images, uint32_t file)
{
	look_for(images, file);
}

/* By its name, where that leads to it: its debug file may lie beside it. */
static int open_image(const struct rarog_images *images, uint32_t file,
		      struct rarog_sampled_image *image)
{
	if (image->file.is_held && rarog_mapped_file_has_name(&images->spaces->files.v[file]))
		rarog_mapped_file_release(&image->file);
	return rarog_binary_open(rarog_images_path(images, file), &image->binary);
}

struct rarog_binary *rarog_images_binary(struct rarog_images *images, uint32_t file)
{
	struct rarog_sampled_image *image = look_for(images, file);

	if (!image)
		return NULL;
	if (!image->is_opened && image->is_there && open_image(images, file, image) < 0)
		rarog_error_clear(); /* its functions have no names */
	image->is_opened = true;
	return image->binary;
}

int rarog_images_bias(struct rarog_images *images, const struct rarog_space_mapping *mapping,
		      uint64_t *ret_bias)
{
	const struct rarog_binary *binary = rarog_images_binary(images, mapping->file);
	const struct rarog_segment *segments;
	size_t n = binary ? rarog_binary_segments(binary, &segments) : 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t first = segments[i].file_offset & ~UINT64_C(4095);

		if (!(segments[i].flags & 1) || mapping->offset < first ||
		    mapping->offset >= segments[i].file_offset + segments[i].file_size)
			continue;
		*ret_bias = mapping->start -
			    (segments[i].vaddr - segments[i].file_offset + mapping->offset);
		return 0;
	}
	return -ENOENT;
}
