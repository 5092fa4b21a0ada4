/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Code areas lie near the object that they serve, each in a memfd of its own: writable here while
 * it is made, executable there, never both. An area stays for as long as its image: a library that
 * is closed and loaded again at the same place finds it still there, and only the patches, which
 * went with the library's pages, are written again.
 */
#include "collect/trace/inline/area.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/abi.h"
#include "base/error.h"
#include "base/log.h"
#include "collect/trace/inline/maps.h"

#define PAGE    4096ull
#define NOWHERE UINT64_MAX

#define RUN_MOST  (64 * 1024) /* bytes of code written at once */
#define JMP_REL32 0xe9

static int is_error(int64_t result)
{
	return result < 0 && result > -4096;
}

/* A code area in the making: our mapping, theirs, and the patches that lead into it. */
struct area {
	struct rarog_emitter emitter;
	uint8_t *memory;
	size_t size;
	RAROG_VEC(struct rarog_patch) patches;
};

static void area_release(struct area *area)
{
	if (area->memory)
		munmap(area->memory, area->size);
	rarog_vec_release(&area->patches);
}

/* Other threads of the process map memory, too, and may have been quicker. */
#define TRIES 8

static int64_t map_near(struct rarog_remote *remote, size_t size, uint64_t low, uint64_t high,
			int their_fd)
{
	int64_t address = -ENOMEM;

	for (int i = 0; i < TRIES && is_error(address); i++) {
		uint64_t wanted = rarog_maps_gap_near(remote->pid, low, high, size);

		if (wanted == 0)
			return -ENOMEM;
		address = rarog_remote_map(remote, wanted, size, PROT_READ | PROT_EXEC,
					   MAP_SHARED | MAP_FIXED_NOREPLACE, their_fd, 0);
	}
	return address;
}

static int area_init(struct area *area, struct rarog_image *image, struct rarog_remote *remote,
		     size_t n, uint64_t low, uint64_t high)
{
	struct rarog_area header = image->header;
	int64_t address;
	int fd, their_fd;

	area->size = rarog_emit_size(n);
	fd = rarog_remote_memfd(remote, area->size, &their_fd);
	if (fd < 0)
		return fd;
	area->memory = mmap(NULL, area->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	address = map_near(remote, area->size, low, high, their_fd);
	rarog_remote_close_fd(remote, their_fd);
	if (area->memory == MAP_FAILED) {
		area->memory = NULL;
		return rarog_oom();
	}
	if (is_error(address))
		return rarog_fail(-ENOMEM, "process %d: cannot map code near its program",
				  (int)remote->pid);
	header.serial = ++image->areas_made;
	if (image->areas_made == 1)
		image->born = (uint64_t)address + rarog_emit_born();
	if (rarog_vec_push(&image->places, (struct rarog_area_place){ (uint64_t)address, area->size,
								      header.serial }) < 0)
		return rarog_oom();
	rarog_emit_start(&area->emitter, area->memory, (uint64_t)address, area->size, &header);
	return 0;
}

/* At an entry, to the five bytes before it. */
static int add_short_jump(struct area *area, uint64_t entry, const uint8_t code[])
{
	const uint8_t distance = (uint8_t) - (RAROG_SHORT_PATCH_SIZE + RAROG_PATCH_SIZE);

	return rarog_vec_push(&area->patches,
			      (struct rarog_patch){ .address = entry,
						    .n = RAROG_SHORT_PATCH_SIZE,
						    .bytes = { 0xeb, distance },
						    .original = { code[0], code[1] } });
}

static int emit_probe(struct area *area, struct rarog_module *m, uint64_t bias,
		      const struct rarog_probe *probe, uint32_t id)
{
	const struct rarog_site *site = &m->sites[probe->function];
	bool before = site->kind == RAROG_SITE_NOPS_BEFORE;
	uint64_t from = rarog_module_place(m, probe);
	size_t nops = before ? RAROG_PATCH_SIZE : 0;
	const uint8_t *bytes = rarog_binary_bytes(m->binary, from - nops, nops + site->length);
	const uint8_t *code = bytes ? bytes + nops : NULL;
	struct rarog_patch patch = {
		.address = bias + from - nops,
		.n = RAROG_PATCH_SIZE,
	};
	int r;

	if (!code)
		return -EFAULT;
	memcpy(patch.original, bytes, sizeof(patch.original));
	area->emitter.every = probe->every;
	r = rarog_emit_stub(&area->emitter, probe->kind, id, bias + from, site->length, code,
			    patch.address, patch.bytes);
	if (r == 0)
		r = rarog_vec_push(&area->patches, patch);
	return r < 0 || !before ? r : add_short_jump(area, bias + from, code);
}

static int compare_patches(const void *a, const void *b)
{
	const struct rarog_patch *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

/* A run of patches close together: a system call and a page copy for each run, not for each patch.
 * A short jump is in the run of the long one that it leads to. Return: patches in the run. */
static size_t run_length(size_t n, const struct rarog_patch patches[], uint64_t *ret_size)
{
	uint64_t start = patches[0].address, end = start;
	size_t i = 0;

	while (i < n && (patches[i].n == RAROG_SHORT_PATCH_SIZE ||
			 (patches[i].address + RAROG_PATCH_SIZE - start <= RUN_MOST &&
			  patches[i].address - end < 2 * PAGE))) {
		end = patches[i].address + patches[i].n;
		i++;
	}
	*ret_size = end - start;
	return i;
}

static bool is_avoided(const struct rarog_image *image, uint64_t entry)
{
	for (size_t i = 0; i < image->avoid.n; i++)
		if (image->avoid.v[i] == entry)
			return true;
	return false;
}

/* Only what is as the file has it is replaced: somebody else may have been here. And a short jump
 * only where the long one was put. */
static void put_patch(struct rarog_image *image, uint8_t *at, const struct rarog_patch *patch)
{
	bool leads = patch->n != RAROG_SHORT_PATCH_SIZE || at[-RAROG_PATCH_SIZE] == JMP_REL32;

	if (leads && memcmp(at, patch->original, patch->n) == 0 &&
	    !is_avoided(image, patch->address))
		memcpy(at, patch->bytes, patch->n);
	else if (memcmp(at, patch->bytes, patch->n) != 0)
		image->avoided++;
}

static void put_original(struct rarog_image *image, uint8_t *at, const struct rarog_patch *patch)
{
	(void)image;
	if (memcmp(at, patch->bytes, patch->n) == 0)
		memcpy(at, patch->original, patch->n);
}

static void put_original_short(struct rarog_image *image, uint8_t *at,
			       const struct rarog_patch *patch)
{
	if (patch->n == RAROG_SHORT_PATCH_SIZE)
		put_original(image, at, patch);
}

static int change_code(struct rarog_image *image, struct rarog_remote *remote, size_t n,
		       const struct rarog_patch patches[],
		       void (*put)(struct rarog_image *image, uint8_t *at,
				   const struct rarog_patch *patch))
{
	uint8_t buffer[RUN_MOST + RAROG_SHORT_PATCH_SIZE];
	uint64_t size;

	for (size_t done = 0, length; done < n; done += length) {
		uint64_t start = patches[done].address;
		int r;

		length = run_length(n - done, patches + done, &size);
		r = rarog_remote_read(remote, start, size, buffer);
		if (r < 0)
			return r;
		for (size_t i = done; i < done + length; i++)
			put(image, buffer + (patches[i].address - start), &patches[i]);
		r = rarog_remote_write(remote, start, size, buffer);
		if (r < 0)
			return r;
	}
	return 0;
}

static int write_patches(struct rarog_image *image, struct rarog_remote *remote, size_t n,
			 struct rarog_patch patches[])
{
	qsort(patches, n, sizeof(*patches), compare_patches);
	return change_code(image, remote, n, patches, put_patch);
}

/* --- modules in a process --- */

static int tell_sampled(struct rarog_image *image, const struct rarog_module *m)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < m->probes.n; i++)
		r = rarog_recorder_sample(image->recorder, (uint32_t)(m->locations + (long)i),
					  m->probes.v[i].every);
	return r;
}

/* Names only; source lines cost a look into DWARF and are added after the run. */
static int add_locations(struct rarog_image *image, struct rarog_module *m, uint64_t bias)
{
	const struct rarog_function *functions;
	struct rarog_location *locations;
	size_t n = m->probes.n;
	struct rarog_profile_binary binary = {
		.path = m->path,
		.build_id = rarog_binary_build_id(m->binary),
		.load_bias = bias,
	};

	if (m->locations >= 0 || n == 0)
		return 0;
	rarog_binary_functions(m->binary, &functions);
	locations = calloc(n, sizeof(*locations));
	if (!locations)
		return rarog_oom();
	for (size_t i = 0; i < n; i++) {
		const struct rarog_function *f = &functions[m->probes.v[i].function];

		locations[i] = (struct rarog_location){
			.kind = RAROG_LOCATION_FUNCTION,
			.address = f->address,
			.size = f->size,
			.name = f->name,
		};
	}
	m->locations = rarog_recorder_add_locations(image->recorder, &binary, n, locations);
	free(locations);
	return m->locations < 0 ? (int)m->locations : tell_sampled(image, m);
}

/* The module's first function id in this image. */
static long module_ids(struct rarog_image *image, struct rarog_module *m)
{
	for (size_t i = 0; i < image->first_ids.n; i++)
		if (image->first_ids.v[i] == m)
			return image->first_id.v[i];
	if (image->ids->n + m->probes.n > RAROG_ID_WIDE)
		return rarog_fail(-E2BIG, "%s: more than %d functions; choose some with --func",
				  m->path, RAROG_ID_WIDE);
	if (rarog_vec_push(&image->first_ids, m) < 0 ||
	    rarog_vec_push(&image->first_id, image->ids->n) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < m->probes.n; i++)
		image->ids->locations[image->ids->n + i] = (uint32_t)(m->locations + (long)i);
	__atomic_fetch_add(&image->ids->n, (uint32_t)m->probes.n, __ATOMIC_RELEASE);
	return image->ids->n - (long)m->probes.n;
}

static int emit_module(struct area *area, struct rarog_module *m, uint64_t bias, uint32_t first_id)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < m->hooks.n; i++)
		r = emit_probe(area, m, bias, &m->hooks.v[i], 0);
	if (r < 0)
		return rarog_fail(r, "%s: cannot hook the unwinder", m->path);
	for (uint32_t i = 0; i < m->probes.n; i++) {
		r = emit_probe(area, m, bias, &m->probes.v[i], first_id + i);
		if (r < 0)
			rarog_debug(RAROG_LOG_INSTALL, "%s: function %u: %s", m->path,
				    m->probes.v[i].function, strerror(-r));
	}
	return 0;
}

static void code_range(const struct rarog_module *m, uint64_t *ret_low, uint64_t *ret_high)
{
	const struct rarog_segment *segments;
	size_t n = rarog_binary_segments(m->binary, &segments);

	*ret_low = NOWHERE;
	*ret_high = 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t end = segments[i].vaddr + segments[i].memory_size;

		*ret_low = segments[i].vaddr < *ret_low ? segments[i].vaddr : *ret_low;
		*ret_high = end > *ret_high ? end : *ret_high;
	}
}

/* --- modules that come back --- */

/* Where the area of @m at @bias lies; NULL: there is none. */
static struct rarog_installed *find_installed(struct rarog_image *image,
					      const struct rarog_module *m, uint64_t bias)
{
	for (size_t i = 0; i < image->installed.n; i++)
		if (image->installed.v[i].module == m && image->installed.v[i].bias == bias)
			return &image->installed.v[i];
	return NULL;
}

bool rarog_area_is_there(struct rarog_remote *remote, const struct rarog_image *image,
			 const struct rarog_area_place *place)
{
	struct rarog_area expected = image->header, found;

	expected.serial = place->serial;
	return rarog_remote_read(remote, place->address, sizeof(found), &found) == 0 &&
	       memcmp(&expected, &found, sizeof(found)) == 0;
}

static bool has_area(struct rarog_remote *remote, const struct rarog_image *image,
		     const struct rarog_installed *installed)
{
	const struct rarog_area_place place = { .address = installed->address,
						.serial = installed->serial };

	return rarog_area_is_there(remote, image, &place);
}

/* Patches are few bytes, so that coming back is only writing them again; the latest area counts. */
static int keep(struct rarog_image *image, struct rarog_module *m, uint64_t bias, struct area *area)
{
	struct rarog_installed *known = find_installed(image, m, bias);
	struct rarog_installed now = {
		.module = m,
		.bias = bias,
		.address = area->emitter.address,
		.serial = image->areas_made,
		.n_patches = area->patches.n,
		.patches = area->patches.v,
	};
	int r = known ? 0 : rarog_vec_push(&image->installed, now);

	if (r < 0)
		return r;
	if (known) {
		free(known->patches);
		*known = now;
	}
	area->patches.v = NULL; /* moved */
	area->patches.n = 0;
	return 0;
}

/* A library that is loaded at ever new addresses: areas are never taken away, because returns may
 * still lead there. */
#define AREAS_MOST 256

static bool are_too_many(const struct rarog_image *image, const struct rarog_module *m)
{
	size_t n = 0;

	for (size_t i = 0; i < image->installed.n; i++)
		n += image->installed.v[i].module == m;
	return n >= AREAS_MOST;
}

static int install_new(struct rarog_image *image, struct rarog_remote *remote,
		       struct rarog_module *m, uint64_t bias)
{
	rarog_cleanup(area_release) struct area area = { 0 };
	struct rarog_installed *installed;
	uint64_t low, high;
	long first_id = 0;
	int r;

	code_range(m, &low, &high);
	r = area_init(&area, image, remote, m->probes.n + m->hooks.n, bias + low, bias + high);
	if (r == 0)
		r = add_locations(image, m, bias);
	if (r == 0 && m->probes.n > 0)
		first_id = module_ids(image, m);
	if (r < 0 || first_id < 0)
		return r < 0 ? r : (int)first_id;
	r = emit_module(&area, m, bias, (uint32_t)first_id);
	if (r < 0)
		return r;
	rarog_debug(RAROG_LOG_INSTALL, "%s: %zu patches, %zu bytes of code at %#llx", m->path,
		    area.patches.n, area.emitter.used, (unsigned long long)area.emitter.address);
	r = keep(image, m, bias, &area);
	if (r < 0)
		return r;
	installed = find_installed(image, m, bias);
	return write_patches(image, remote, installed->n_patches, installed->patches);
}

int rarog_area_install(struct rarog_image *image, struct rarog_remote *remote,
		       struct rarog_module *m, uint64_t bias)
{
	struct rarog_installed *installed = find_installed(image, m, bias);

	if (m->probes.n + m->hooks.n == 0)
		return 0;
	if (installed && has_area(remote, image, installed))
		return write_patches(image, remote, installed->n_patches, installed->patches);
	if (are_too_many(image, m))
		return rarog_fail(-E2BIG, "it was loaded at %d different addresses", AREAS_MOST);
	return install_new(image, remote, m, bias);
}

static bool has_short(size_t n, const struct rarog_patch patches[])
{
	for (size_t i = 0; i < n; i++)
		if (patches[i].n == RAROG_SHORT_PATCH_SIZE)
			return true;
	return false;
}

/* Short jumps first: should we be killed before the rest, one to bytes that do not lead on any more
 * would come back to itself for ever. */
static int restore_module(struct rarog_image *image, struct rarog_remote *remote,
			  const struct rarog_installed *installed)
{
	size_t n = installed->n_patches;
	int r = 0;

	if (has_short(n, installed->patches))
		r = change_code(image, remote, n, installed->patches, put_original_short);

	if (r < 0)
		return r;
	return change_code(image, remote, n, installed->patches, put_original);
}

int rarog_area_restore(struct rarog_image *image, struct rarog_remote *remote)
{
	int result = 0;

	for (size_t i = 0; i < image->installed.n; i++) {
		const struct rarog_installed *installed = &image->installed.v[i];
		int r = restore_module(image, remote, installed);

		/* of a library that is not there any more nothing can be read */
		if (r < 0)
			rarog_debug(RAROG_LOG_INSTALL, "%s: %s", installed->module->path,
				    rarog_error_message());
		if (r < 0 && r != -EFAULT)
			result = r;
	}
	return result;
}

int64_t rarog_area_unmap(struct rarog_image *image, struct rarog_remote *remote)
{
	int64_t result = 0;

	for (size_t i = 0; i < image->places.n; i++) {
		const struct rarog_area_place *place = &image->places.v[i];
		int64_t r = 0;

		if (rarog_area_is_there(remote, image, place))
			r = remote->call(
				remote, SYS_munmap,
				(int64_t[6]){ (int64_t)place->address, (int64_t)place->size });
		result = result < 0 ? result : r;
	}
	return result;
}

void rarog_areas_release(struct rarog_image *image)
{
	rarog_vec_release(&image->places);
	rarog_vec_release(&image->avoid);
	for (size_t i = 0; i < image->installed.n; i++)
		free(image->installed.v[i].patches);
	rarog_vec_release(&image->installed);
}
