/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/vex/harvest.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "base/lower-bound.h"
#include "base/str.h"
#include "process/maps.h"

#define LOG_MOST (1 << 20) /* bytes of what Valgrind says that are looked at */

int rarog_vex_harvest_open(struct rarog_vex_harvest *ret_harvest)
{
	*ret_harvest = (struct rarog_vex_harvest){ 0 };
	return rarog_scratch_folder_make("vex", &ret_harvest->folder);
}

/* --- files --- */

static int add_counts(struct rarog_vex_harvest *harvest, const char *path)
{
	struct rarog_vex_counted *counted = NULL;
	int r = rarog_vex_counted_read(path, &counted);

	if (r == -EINVAL) {
		rarog_debug(RAROG_LOG_CMD, "%s", rarog_error_message());
		harvest->n_unread++;
		return 0;
	}
	if (r < 0)
		return r;
	harvest->n_lost += counted->head->has_lost;
	harvest->n_running += rarog_maps_has((pid_t)counted->head->pid, path);
	if (rarog_vec_push(&harvest->processes, counted) == 0)
		return 0;
	rarog_vex_counted_free(counted);
	return rarog_oom();
}

/* What Valgrind ends a program with, which it cannot run any further. */
static const char *last_words(const char *text)
{
	static const char mark[] = "the 'impossible' happened:";
	const char *at = strstr(text, mark);

	at = at ? at + strlen(mark) : NULL;
	return at ? at + strspn(at, " \n") : NULL;
}

/* NULL: it cannot be read, or is empty. A log of thousands of stacks is long. */
static char *log_beginning(const char *path)
{
	rarog_cleanup(rarog_fclosep) FILE *file = fopen(path, "re");
	char *text = file ? calloc(1, LOG_MOST + 1) : NULL;

	if (text && fread(text, 1, LOG_MOST, file) > 0)
		return text;
	free(text);
	return NULL;
}

/* Lines begin with "==PID== ". What ended a program counts more than any other. */
static int add_complaint(struct rarog_vex_harvest *harvest, const char *path)
{
	rarog_cleanup(rarog_freep) char *text = log_beginning(path);
	const char *from, *end = text ? last_words(text) : NULL;

	if (!text)
		return 0;
	harvest->n_complaints++;
	harvest->n_ended += end != NULL;
	if (harvest->complaint && (!end || harvest->n_ended > 1))
		return 0;
	from = strstr(text, "== ");
	from = end ? end : from ? from + 3 : text;
	free(harvest->complaint);
	harvest->complaint = strndup(from, strcspn(from, "\n"));
	return harvest->complaint ? 0 : rarog_oom();
}

static int by_pid(const void *a, const void *b)
{
	const struct rarog_vex_counted *x = *(struct rarog_vex_counted *const *)a;
	const struct rarog_vex_counted *y = *(struct rarog_vex_counted *const *)b;

	return (x->head->pid > y->head->pid) - (x->head->pid < y->head->pid);
}

/* Files of one process stand in the order of its programs already. */
static void sort_processes(struct rarog_vex_harvest *harvest)
{
	for (size_t i = 1; i < harvest->processes.n; i++)
		for (size_t k = i;
		     k > 0 && by_pid(&harvest->processes.v[k - 1], &harvest->processes.v[k]) > 0;
		     k--) {
			struct rarog_vex_counted *moved = harvest->processes.v[k];

			harvest->processes.v[k] = harvest->processes.v[k - 1];
			harvest->processes.v[k - 1] = moved;
		}
}

static int read_folder(struct rarog_vex_harvest *harvest)
{
	struct dirent **entries = NULL;
	int n = scandir(harvest->folder.path, &entries, NULL, versionsort), r = 0;

	if (n < 0)
		return rarog_fail_errno("%s", harvest->folder.path);
	for (int i = 0; i < n; i++) {
		rarog_cleanup(rarog_freep) char *path =
			rarog_asprintf("%s/%s", harvest->folder.path, entries[i]->d_name);

		if (r == 0 && !path)
			r = rarog_oom();
		if (r == 0 && rarog_ends_with(path, ".vex"))
			r = add_counts(harvest, path);
		else if (r == 0 && rarog_ends_with(path, ".log"))
			r = add_complaint(harvest, path);
		free(entries[i]);
	}
	free(entries);
	sort_processes(harvest);
	return r;
}

/* --- images --- */

size_t rarog_vex_harvest_image(const struct rarog_vex_harvest *harvest,
			       const struct rarog_vex_counted *counted, uint32_t object)
{
	const char *path = object ? counted->objects.v[object]->path : "";
	return rarog_lower_bound(i, harvest->images.n, strcmp(harvest->images.v[i].path, path) < 0);
}

static int by_path(const void *a, const void *b)
{
	const struct rarog_vex_image *x = a, *y = b;

	return strcmp(x->path, y->path);
}

static int add_images(struct rarog_vex_harvest *harvest)
{
	size_t n = 0;
	int r = rarog_vec_push(&harvest->images, (struct rarog_vex_image){ .path = "" });

	for (size_t i = 0; i < harvest->processes.n; i++)
		for (size_t k = 1; r == 0 && k < harvest->processes.v[i]->objects.n; k++)
			r = rarog_vec_push(
				&harvest->images,
				(struct rarog_vex_image){
					.path = harvest->processes.v[i]->objects.v[k]->path });
	if (r < 0)
		return rarog_oom();
	qsort(harvest->images.v, harvest->images.n, sizeof(*harvest->images.v), by_path);
	for (size_t i = 0; i < harvest->images.n; i++)
		if (n == 0 || by_path(&harvest->images.v[n - 1], &harvest->images.v[i]) != 0)
			harvest->images.v[n++] = harvest->images.v[i];
	harvest->images.n = n;
	return 0;
}

static uint64_t bias_of(const struct rarog_vex_counted *counted, uint32_t object)
{
	return object ? counted->objects.v[object]->bias : 0;
}

static int add_touch(struct rarog_vex_harvest *harvest, const struct rarog_vex_counted *counted,
		     const struct rarog_vex_access *access)
{
	size_t image = rarog_vex_harvest_image(harvest, counted, access->object);
	uint64_t n = access->block ? counted->blocks.v[access->block - 1]->count : access->count;
	const struct rarog_vex_touch touch = {
		access->address - bias_of(counted, access->object),
		{ .loads = n * access->loads,
		  .stores = n * access->stores,
		  .load_bytes = n * access->load_bytes,
		  .store_bytes = n * access->store_bytes },
	};

	return n > 0 ? rarog_vec_push(&harvest->images.v[image].touches, touch) : 0;
}

static int add_run(struct rarog_vex_image *image, const struct rarog_vex_block *block,
		   uint64_t bias)
{
	const struct rarog_vex_run run = { block->address - bias, block->count, block->n,
					   block->sizes };
	struct rarog_vex_branch branch = { run.address, block->next - bias, block->went_on };

	for (uint32_t i = 0; i < block->n; i++)
		branch.end += block->sizes[i];
	if (rarog_vec_push(&image->runs, run) < 0)
		return -ENOMEM;
	return block->next ? rarog_vec_push(&image->branches, branch) : 0;
}

static int add_process(struct rarog_vex_harvest *harvest, const struct rarog_vex_counted *counted)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < counted->accesses.n; i++)
		r = add_touch(harvest, counted, counted->accesses.v[i]);
	for (size_t i = 0; r == 0 && i < counted->blocks.n; i++) {
		const struct rarog_vex_block *block = counted->blocks.v[i];
		size_t image = rarog_vex_harvest_image(harvest, counted, block->object);

		r = add_run(&harvest->images.v[image], block, bias_of(counted, block->object));
	}
	for (size_t i = 1; r == 0 && i < counted->functions.n; i++) {
		const struct rarog_vex_function *function = counted->functions.v[i];
		size_t image = rarog_vex_harvest_image(harvest, counted, function->object);
		const struct rarog_vex_entry entry = { function->address -
							       bias_of(counted, function->object),
						       function->calls, function->name };

		r = rarog_vec_push(&harvest->images.v[image].entries, entry);
	}
	return r < 0 ? rarog_oom() : 0;
}

static int by_address(const void *a, const void *b)
{
	const struct rarog_vex_entry *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

static void join_entries(struct rarog_vex_image *image)
{
	size_t n = 0;

	if (image->entries.n > 1)
		qsort(image->entries.v, image->entries.n, sizeof(*image->entries.v), by_address);
	for (size_t i = 0; i < image->entries.n; i++) {
		const struct rarog_vex_entry entry = image->entries.v[i];

		if (n > 0 && image->entries.v[n - 1].address == entry.address)
			image->entries.v[n - 1].calls += entry.calls;
		else
			image->entries.v[n++] = entry;
	}
	image->entries.n = n;
}

static int by_end(const void *a, const void *b)
{
	const struct rarog_vex_branch *x = a, *y = b;

	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return (x->next > y->next) - (x->next < y->next);
}

static void join_branches(struct rarog_vex_image *image)
{
	size_t n = 0;

	if (image->branches.n > 1)
		qsort(image->branches.v, image->branches.n, sizeof(*image->branches.v), by_end);
	for (size_t i = 0; i < image->branches.n; i++) {
		const struct rarog_vex_branch branch = image->branches.v[i];

		if (n > 0 && by_end(&image->branches.v[n - 1], &branch) == 0)
			image->branches.v[n - 1].went_on += branch.went_on;
		else
			image->branches.v[n++] = branch;
	}
	image->branches.n = n;
}

int rarog_vex_harvest_gather(struct rarog_vex_harvest *harvest)
{
	int r = read_folder(harvest);

	if (r == 0)
		r = add_images(harvest);
	for (size_t i = 0; r == 0 && i < harvest->processes.n; i++)
		r = add_process(harvest, harvest->processes.v[i]);
	for (size_t i = 0; r == 0 && i < harvest->images.n; i++) {
		join_entries(&harvest->images.v[i]);
		join_branches(&harvest->images.v[i]);
	}
	return r;
}

/* --- the end --- */

void rarog_vex_harvest_release(struct rarog_vex_harvest *harvest)
{
	rarog_scratch_folder_remove(&harvest->folder);
	for (size_t i = 0; i < harvest->images.n; i++) {
		rarog_vec_release(&harvest->images.v[i].runs);
		rarog_vec_release(&harvest->images.v[i].entries);
		rarog_vec_release(&harvest->images.v[i].touches);
		rarog_vec_release(&harvest->images.v[i].branches);
	}
	for (size_t i = 0; i < harvest->processes.n; i++)
		rarog_vex_counted_free(harvest->processes.v[i]);
	rarog_vec_release(&harvest->images);
	rarog_vec_release(&harvest->processes);
	free(harvest->complaint);
	*harvest = (struct rarog_vex_harvest){ 0 };
}
