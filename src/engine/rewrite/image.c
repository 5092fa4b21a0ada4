/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/rewrite/image.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <x86intrin.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "engine/rewrite/mapping.h"
#include "engine/rewrite/rounds.h"
#include "engine/rewrite/row.h"
#include "engine/rewrite/values.h"
#include "plan/conflict.h"
#include "process/maps.h"

#define PAGE     4096ull
#define ROUND(n) (((uint64_t)(n) + PAGE - 1) & ~(PAGE - 1))

#define ROWS_MOST        1024
#define LIBRARIES_STRIDE (UINT64_C(32) << 20) /* of a row where libraries may come */

static bool is_error(int64_t result)
{
	return result < 0 && result > -4096;
}

/* --- counters --- */

#define ASIDE (UINT64_C(128) << 30)

/* Far from where the program's next mapping would be: what it maps is then where it is without us.
 */
static int64_t map_rows(struct rarog_remote *remote, uint64_t size, int fd)
{
	int64_t next = rarog_remote_map(remote, 0, size, PROT_NONE,
					MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (is_error(next))
		return next;
	remote->call(remote, SYS_munmap, (int64_t[6]){ next, (int64_t)size });
	return rarog_remote_map(remote,
				(uint64_t)next > ASIDE ? (uint64_t)next - ASIDE : (uint64_t)next,
				size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
}

static int make_rows(struct rarog_rewrite_image *image, struct rarog_remote *remote)
{
	int their_fd, fd = rarog_remote_memfd(remote, image->size, &their_fd);
	int64_t base;

	if (fd < 0)
		return fd;
	image->rows =
		mmap(NULL, image->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
	close(fd);
	base = map_rows(remote, image->size, their_fd);
	rarog_remote_close_fd(remote, their_fd);
	if (image->rows == MAP_FAILED) {
		image->rows = NULL;
		return rarog_oom();
	}
	if (is_error(base))
		return rarog_fail((int)base,
				  "process %d: no room for %llu MiB of address space (ulimit -v?)",
				  (int)remote->pid, (unsigned long long)(image->size >> 20));
	image->base = (uint64_t)base;
	rarog_remote_hide(remote, image->base, image->size);
	return 0;
}

static uint64_t *words_of(const struct rarog_rewrite_image *image, uint32_t row)
{
	return (void *)(image->rows + row * image->stride);
}

static void copy_open(const struct rarog_rewrite_module *m, const uint64_t *from, uint64_t *to)
{
	for (size_t i = 0; i < m->functions.n; i++) {
		const struct rarog_rewrite_shape *shape = &m->functions.v[i].shape;

		if (shape->first_loop == RAROG_NO_EDGE)
			return;
		for (uint32_t k = 0; k < shape->loops.list.n; k++) {
			uint32_t word = rarog_rounds_word(shape, k) + RAROG_ROUNDS_NOW;

			to[word] = from ? from[word] : 0;
		}
	}
}

/* Its loops are open; NULL: none are. */
static void open_loops(const struct rarog_rewrite_image *image, const uint64_t *from, uint64_t *to)
{
	for (size_t i = 0; i < image->there.n; i++)
		copy_open(image->there.v[i].module, from, to);
}

/* The second half of a row. */
static uint64_t *inside_of(const struct rarog_rewrite_image *image, uint64_t *words)
{
	return words + image->half / sizeof(*words);
}

uint64_t rarog_rewrite_image_gs(const struct rarog_rewrite_image *image, uint32_t row,
				bool is_inside)
{
	return image->base + row * image->stride + (is_inside ? image->half : 0);
}

void rarog_rewrite_image_inherit(struct rarog_rewrite_image *image, uint32_t from, uint32_t row)
{
	uint64_t *theirs = words_of(image, from), *words = words_of(image, row);

	open_loops(image, theirs, words);
	if (image->half == 0)
		return;
	open_loops(image, inside_of(image, theirs), inside_of(image, words));
	inside_of(image, words)[RAROG_ROW_ROOT] = inside_of(image, theirs)[RAROG_ROW_ROOT];
}

static void begin_half(const struct rarog_rewrite_image *image, uint32_t row, bool is_inside,
		       uint64_t *words)
{
	words[RAROG_ROW_CELL] = RAROG_ROW_OUTSIDE;
	words[RAROG_ROW_LAST] = __rdtsc();
	words[RAROG_ROW_PEER] = is_inside ? 0 : rarog_rewrite_image_gs(image, row, true);
	words[RAROG_ROW_BACK] = rarog_rewrite_image_gs(image, row, false);
	words[RAROG_ROW_ROOT] = UINT64_MAX;
	open_loops(image, NULL, words);
}

/* Its time begins with that of no block. */
static uint32_t begin_row(struct rarog_rewrite_image *image, uint32_t row)
{
	uint64_t *words = words_of(image, row);

	begin_half(image, row, false, words);
	if (image->half > 0)
		begin_half(image, row, true, inside_of(image, words));
	return row;
}

uint32_t rarog_rewrite_image_row(struct rarog_rewrite_image *image)
{
	image->n_tasks++;
	if (image->free_rows.n > 0)
		return begin_row(image, image->free_rows.v[--image->free_rows.n]);
	if (image->n_rows < ROWS_MOST - 1)
		return begin_row(image, ++image->n_rows);
	image->n_unknown++;
	return 0;
}

void rarog_rewrite_image_give_back(struct rarog_rewrite_image *image, uint32_t row)
{
	image->n_tasks--;
	if (row > 0 && rarog_vec_push(&image->free_rows, row) < 0)
		rarog_error_clear(); /* it is not used again */
}

void rarog_rewrite_image_sample(struct rarog_rewrite_image *image, uint64_t address)
{
	for (size_t i = 0; i < image->there.n; i++)
		if (rarog_rewrite_mapping_sample(image->there.v[i].module,
						 address - image->there.v[i].bias))
			return;
}

uint64_t rarog_rewrite_image_original(const struct rarog_rewrite_image *image, uint64_t address)
{
	uint64_t original = 0;

	for (size_t i = 0; original == 0 && i < image->there.n; i++) {
		const struct rarog_rewrite_there *there = &image->there.v[i];

		original = rarog_rewrite_mapping_original(there->module, address - there->bias);
		original += original ? there->bias : 0;
	}
	return original;
}

bool rarog_rewrite_image_is_midway(const struct rarog_rewrite_image *image, uint64_t address)
{
	bool is_midway = false;

	for (size_t i = 0; !is_midway && i < image->there.n; i++)
		is_midway = rarog_rewrite_mapping_is_midway(image->there.v[i].module,
							    address - image->there.v[i].bias);
	return is_midway;
}

static bool is_changed(const struct rarog_rewrite_image *image, uint64_t address)
{
	for (size_t i = 0; i < image->changed.n; i++)
		if (address - image->changed.v[i].address < image->changed.v[i].size)
			return true;
	return false;
}

uint64_t rarog_rewrite_image_copied(const struct rarog_rewrite_image *image, uint64_t address)
{
	for (size_t i = 0; i < image->there.n; i++) {
		const struct rarog_rewrite_there *there = &image->there.v[i];
		uint64_t copy = rarog_rewrite_mapping_copied(there->module, address - there->bias);

		if (copy && !is_changed(image, address))
			return copy + there->bias;
	}
	return address;
}

/* --- copies --- */

/* Is what is mapped there ours? */
static bool has_copies(struct rarog_remote *remote, const struct rarog_rewrite_module *m,
		       uint64_t bias)
{
	uint8_t there[64];
	size_t n = m->copies.code.n < sizeof(there) ? m->copies.code.n : sizeof(there);
	bool is_same = rarog_remote_read(remote, bias + m->distance, n, there) == 0 &&
		       memcmp(there, m->copies.code.v, n) == 0;

	if (!is_same)
		rarog_error_clear();
	return is_same;
}

static void fill(const struct rarog_rewrite_module *m, uint64_t bias, uint8_t *memory)
{
	memcpy(memory, m->copies.code.v, m->copies.code.n);
	for (size_t i = 0; i < m->copies.absolute.n; i++) {
		const struct rarog_copy_absolute *absolute = &m->copies.absolute.v[i];
		uint64_t address = absolute->address + bias;
		uint32_t low = (uint32_t)address, high = (uint32_t)(address >> 32);

		memcpy(memory + absolute->low, &low, sizeof(low));
		memcpy(memory + absolute->high, &high, sizeof(high));
	}
}

/* Return: 0; -EEXIST: something is there; -errno with message. */
static int map_copies(struct rarog_remote *remote, const struct rarog_rewrite_module *m,
		      uint64_t bias)
{
	uint64_t size = ROUND(m->copies.code.n);
	int their_fd, fd = rarog_remote_memfd(remote, size, &their_fd);
	int64_t theirs;
	uint8_t *ours;

	if (fd < 0)
		return fd;
	ours = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (ours == MAP_FAILED) {
		rarog_remote_close_fd(remote, their_fd);
		return rarog_oom();
	}
	fill(m, bias, ours);
	munmap(ours, size);
	theirs = rarog_remote_map(remote, bias + m->distance, size, PROT_READ | PROT_EXEC,
				  MAP_SHARED | MAP_FIXED_NOREPLACE, their_fd, 0);
	rarog_remote_close_fd(remote, their_fd);
	if (theirs == -EEXIST)
		return has_copies(remote, m, bias) ? 0 : -EEXIST;
	return is_error(theirs)
		       ? rarog_fail((int)theirs, "process %d: cannot map code near its program",
				    (int)remote->pid)
		       : 0;
}

static int choose_distance(struct rarog_remote *remote, struct rarog_rewrite_module *m,
			   uint64_t bias)
{
	uint64_t address = rarog_maps_gap_near(remote->pid, bias + m->low, bias + m->high,
					       ROUND(m->room) + PAGE);

	if (address == 0)
		return rarog_fail(-ENOMEM,
				  "process %d: no room for code within 2 GiB of its program",
				  (int)remote->pid);
	return rarog_rewrite_module_copy(m, ROUND(address) - bias);
}

static int place_copies(struct rarog_remote *remote, struct rarog_rewrite_module *m, uint64_t bias)
{
	int r = m->distance ? map_copies(remote, m, bias) : -EEXIST;

	if (r != -EEXIST)
		return r;
	r = choose_distance(remote, m, bias);
	if (r == 0)
		r = map_copies(remote, m, bias);
	return r == -EEXIST ? rarog_fail(r, "process %d: cannot map code near its program",
					 (int)remote->pid)
			    : r;
}

/* --- jumps --- */

static int by_address(const void *a, const void *b)
{
	const struct rarog_overwrite *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

/* Memory as the file has it, with the jumps of one function put in; @n of them. They are there
 * already where a library is looked at once more. */
static int write_function(struct rarog_rewrite_image *image, struct rarog_remote *remote,
			  const struct rarog_rewrite_module *m,
			  const struct rarog_rewrite_shape *shape, uint64_t bias, size_t n,
			  const struct rarog_overwrite list[n])
{
	const struct rarog_function *f = shape->function;
	size_t size = f->size + shape->padding;
	const uint8_t *file = rarog_binary_bytes(m->binary, f->address, size);
	rarog_cleanup(rarog_freep) uint8_t *bytes = malloc(size), *wanted = malloc(size);
	int r = bytes && wanted && file ? 0 : rarog_oom();

	if (r == 0)
		r = rarog_remote_read(remote, bias + f->address, size, bytes);
	if (r < 0)
		return r;
	memcpy(wanted, file, size);
	for (size_t i = 0; i < n; i++)
		memcpy(wanted + (list[i].address - f->address), list[i].bytes, list[i].n);
	if (memcmp(bytes, wanted, size) == 0)
		return 0;
	if (memcmp(bytes, file, size) != 0) {
		rarog_debug(RAROG_LOG_INSTALL, "%s: %s is not as in the file", m->path, f->name);
		return rarog_vec_push(
			       &image->changed,
			       (struct rarog_rewrite_changed){ bias + f->address, f->size }) < 0
			       ? rarog_oom()
			       : 0;
	}
	return rarog_remote_write(remote, bias + f->address, size, wanted);
}

static int write_jumps(struct rarog_rewrite_image *image, struct rarog_remote *remote,
		       struct rarog_rewrite_module *m, uint64_t bias)
{
	const struct rarog_overwrite *list = m->overwrites.list.v;
	size_t n = m->overwrites.list.n, at = 0;
	int r = 0;

	if (n > 1)
		qsort(m->overwrites.list.v, n, sizeof(*list), by_address);
	for (size_t i = 0; r == 0 && i < m->functions.n; i++) {
		const struct rarog_rewrite_shape *shape = &m->functions.v[i].shape;
		uint64_t start = shape->function->address;
		size_t first = at;

		while (at < n && list[at].address - start < shape->function->size + shape->padding)
			at++;
		if (at > first)
			r = write_function(image, remote, m, shape, bias, at - first, list + first);
	}
	return r;
}

static int install(struct rarog_rewrite_image *image, struct rarog_remote *remote,
		   struct rarog_rewrite_module *m, uint64_t bias)
{
	int r = m->functions.n > 0 ? place_copies(remote, m, bias) : 0;

	if (r == 0 && m->functions.n > 0)
		r = write_jumps(image, remote, m, bias);
	if (r < 0)
		return r;
	m->was_there = true;
	for (size_t i = 0; i < image->there.n; i++)
		if (image->there.v[i].module == m) {
			image->there.v[i].bias = bias;
			return 0;
		}
	rarog_debug(RAROG_LOG_INSTALL, "%s: %zu functions, %zu bytes of copies at %#llx, %zu left",
		    m->path, m->functions.n, m->copies.code.n,
		    (unsigned long long)(bias + m->distance), m->left.n);
	return rarog_vec_push(&image->there, (struct rarog_rewrite_there){ m, bias }) < 0
		       ? rarog_oom()
		       : 0;
}

/* --- images --- */

static int fill_image(struct rarog_rewrite_image *image, struct rarog_remote *remote,
		      const char *program)
{
	struct rarog_rewrite_module *m;
	int r = rarog_rewrite_module_get(image->modules, program, &m);

	if (r < 0)
		return r;
	image->stride = image->modules->plan->libraries
				? LIBRARIES_STRIDE
				: ROUND((m->first_counter + m->n_counters + 1) * sizeof(uint64_t));
	if ((m->first_counter + m->n_counters + 1) * sizeof(uint64_t) > image->stride)
		return rarog_fail(-ENOSPC, "%s: too many counters", program);
	if (image->modules->plan->roots.include.n > 0) {
		image->half = image->stride;
		image->stride *= 2;
	}
	image->size = image->stride * ROWS_MOST;
	r = make_rows(image, remote);
	return r < 0 ? r
		     : install(image, remote, m,
			       rarog_auxiliary(remote->pid, AT_ENTRY) -
				       rarog_binary_entry(m->binary));
}

int rarog_rewrite_image_new(struct rarog_rewrite_modules *modules, struct rarog_remote *remote,
			    const char *program, struct rarog_rewrite_image **ret_image)
{
	struct rarog_rewrite_image *image = calloc(1, sizeof(*image));
	int r;

	if (!image)
		return rarog_oom();
	image->modules = modules;
	r = fill_image(image, remote, program);
	if (r < 0)
		rarog_rewrite_image_free(image);
	else
		*ret_image = image;
	return r;
}

static bool is_there(struct rarog_remote *remote, const struct rarog_rewrite_module *m,
		     uint64_t bias)
{
	const struct rarog_overwrite *first = m->overwrites.list.v;
	uint8_t bytes[sizeof(first->bytes)];

	return m->overwrites.list.n > 0 &&
	       rarog_remote_read(remote, bias + first->address, first->n, bytes) == 0 &&
	       memcmp(bytes, first->bytes, first->n) == 0;
}

static int add_library(struct rarog_rewrite_image *image, struct rarog_remote *remote,
		       const struct rarog_mapped *object)
{
	struct rarog_rewrite_module *m;
	int r = rarog_rewrite_module_get(image->modules, object->path, &m);

	if (r < 0 || is_there(remote, m, object->bias))
		return r;
	if (rarog_conflict_gs(object->path))
		return rarog_fail(-ENOTSUP,
				  "%s uses the %%gs register itself: the program may go wrong, do "
				  "not use this engine for it",
				  object->path);
	if ((m->first_counter + m->n_counters) * sizeof(uint64_t) >
	    (image->half ? image->half : image->stride))
		return rarog_fail(-ENOSPC, "%s: too many counters", object->path);
	return install(image, remote, m, object->bias);
}

int rarog_rewrite_image_libraries(struct rarog_rewrite_image *image, struct rarog_remote *remote)
{
	struct rarog_mapped *objects;
	long n = rarog_maps_objects(remote->pid, &objects);
	int r = n < 0 ? (int)n : 0;

	for (long i = 0; r == 0 && i < n; i++)
		if (objects[i].is_library) {
			int one = add_library(image, remote, &objects[i]);

			if (one < 0)
				rarog_warn("%s", rarog_error_message());
		}
	rarog_maps_free(n, objects);
	return r;
}

/* Values are added up otherwise. */
static void gather_row(struct rarog_rewrite_module *m, const uint64_t *words)
{
	words += m->first_counter;
	for (size_t i = 0; i < m->functions.n; i++) {
		const struct rarog_rewrite_shape *shape = &m->functions.v[i].shape;
		uint32_t at = shape->first_counter - m->first_counter;
		uint32_t value = shape->first_value - m->first_counter;
		uint32_t end = i + 1 < m->functions.n ? m->functions.v[i + 1].shape.first_counter -
								m->first_counter
						      : m->n_counters;

		for (; at < value; at++)
			rarog_row_add(&m->counts[at], words[at]);
		for (size_t k = 0; k < shape->values.all.n; k++, at += RAROG_ROW_VALUES_WORDS)
			rarog_rewrite_values_add(&m->counts[at], &words[at]);
		for (; at < end; at++)
			rarog_row_add(&m->counts[at], words[at]);
	}
}

static void gather(struct rarog_rewrite_image *image)
{
	size_t half = image->modules->plan->within ? image->half / sizeof(uint64_t) : 0;

	for (size_t i = 0; i < image->there.n; i++)
		for (uint32_t row = 1; row <= image->n_rows; row++)
			gather_row(image->there.v[i].module, words_of(image, row) + half);
}

void rarog_rewrite_image_free(struct rarog_rewrite_image *image)
{
	if (!image)
		return;
	if (image->rows) {
		gather(image);
		munmap(image->rows, image->size);
	}
	rarog_vec_release(&image->free_rows);
	rarog_vec_release(&image->there);
	rarog_vec_release(&image->changed);
	free(image);
}
