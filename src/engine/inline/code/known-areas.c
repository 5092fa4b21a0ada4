/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The processes of an image share what is known of its areas, not the areas: what one has mapped
 * after the fork the others have not, or elsewhere. An area begins with what tells which it is.
 */
#include "engine/inline/code/known-areas.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "engine/inline/code/emit.h"
#include "engine/inline/code/gates.h"

/* Of all patches, their semaphores, and of where areas are. Writers of patches are called back. */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

/* A thread that changes image->places holds both, so that one that only asks whether an address is
 * in one of them, at each signal, does not wait for a look. */
static pthread_mutex_t places_lock = PTHREAD_MUTEX_INITIALIZER;

void rarog_known_lock(void)
{
	pthread_mutex_lock(&lock);
}

void rarog_known_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

int rarog_known_add(struct rarog_image *image, const struct rarog_installed *now)
{
	int r;

	rarog_known_lock();
	r = rarog_vec_push(&image->installed, *now);
	rarog_known_unlock();
	return r;
}

int rarog_known_add_place(struct rarog_image *image, const struct rarog_area_place *place)
{
	int r;

	rarog_known_lock();
	pthread_mutex_lock(&places_lock);
	r = rarog_vec_push(&image->places, *place);
	pthread_mutex_unlock(&places_lock);
	rarog_known_unlock();
	return r;
}

void rarog_known_drop_place(struct rarog_image *image)
{
	rarog_known_lock();
	pthread_mutex_lock(&places_lock);
	image->places.n--;
	pthread_mutex_unlock(&places_lock);
	rarog_known_unlock();
}

static enum rarog_known_code code_in(const struct rarog_area_place *place, uint64_t at)
{
	if (at >= place->size)
		return RAROG_CODE_PROGRAMS;
	if (at >= place->code_size)
		return RAROG_CODE_ISLANDS;
	return at < rarog_emit_agent_size() ? RAROG_CODE_AGENT : RAROG_CODE_STUBS;
}

enum rarog_known_code rarog_known_code_at(const struct rarog_image *image, uint64_t address,
					  uint64_t *ret_at)
{
	enum rarog_known_code found = RAROG_CODE_PROGRAMS;

	pthread_mutex_lock(&places_lock);
	for (size_t i = 0; found == RAROG_CODE_PROGRAMS && i < image->places.n; i++) {
		*ret_at = address - image->places.v[i].address;
		found = code_in(&image->places.v[i], *ret_at);
	}
	pthread_mutex_unlock(&places_lock);
	return found;
}

bool rarog_area_is_there(struct rarog_remote *remote, const struct rarog_image *image,
			 const struct rarog_area_place *place)
{
	struct rarog_area expected = image->header, found;

	expected.serial = place->serial;
	return rarog_remote_read(remote, place->address, sizeof(found), &found) == 0 &&
	       memcmp(&expected, &found, sizeof(found)) == 0;
}

bool rarog_area_serves(struct rarog_remote *remote, const struct rarog_image *image,
		       const struct rarog_installed *installed)
{
	const struct rarog_area_place place = { .address = installed->address,
						.serial = installed->serial };

	return rarog_area_is_there(remote, image, &place);
}

struct rarog_installed *rarog_known_find(struct rarog_image *image, struct rarog_remote *remote,
					 const struct rarog_module *m, uint64_t bias)
{
	for (size_t i = 0; i < image->installed.n; i++) {
		struct rarog_installed *installed = &image->installed.v[i];

		if (installed->module == m && installed->bias == bias &&
		    rarog_area_serves(remote, image, installed))
			return installed;
	}
	return NULL;
}

static bool are_same(const struct rarog_installed *a, const struct rarog_installed *b)
{
	bool is_same = a->module == b->module && a->bias == b->bias && a->address == b->address &&
		       a->n_patches == b->n_patches;

	for (size_t i = 0; is_same && i < a->n_patches; i++)
		is_same = a->patches[i].address == b->patches[i].address &&
			  a->patches[i].place == b->patches[i].place;
	return is_same;
}

const struct rarog_installed *rarog_known_like(const struct rarog_image *image,
					       const struct rarog_installed *like)
{
	for (size_t i = 0; i < image->installed.n; i++)
		if (are_same(&image->installed.v[i], like))
			return &image->installed.v[i];
	return NULL;
}

/* --- gates --- */

static void write_gate(uint32_t *gates, uint32_t number, uint32_t word)
{
	__atomic_store_n(&gates[number], word, __ATOMIC_RELAXED);
}

static void write_gates(uint32_t *gates, const struct rarog_module *m)
{
	for (uint32_t i = 0; i < m->probes.n; i++)
		write_gate(gates, i, m->probes.v[i].gate);
	for (uint32_t i = 0; i < m->marks.names.n; i++)
		write_gate(gates, (uint32_t)m->probes.n + i, m->mark_gates[i].word);
}

static uint32_t word_of(const struct rarog_module *m, uint32_t number)
{
	return number < m->probes.n ? m->probes.v[number].gate
				    : m->mark_gates[number - m->probes.n].word;
}

int rarog_known_add_gates(struct rarog_installed *installed, void *take_gates, size_t size)
{
	int r;

	rarog_known_lock();
	r = rarog_vec_push(&installed->gates, take_gates);
	installed->gates_size = size;
	if (r == 0)
		write_gates(take_gates, installed->module);
	rarog_known_unlock();
	return r;
}

void rarog_known_set_gates(struct rarog_image *image, const struct rarog_gate_change *change)
{
	const struct rarog_module *m = change->module;

	for (size_t i = 0; i < image->installed.n; i++) {
		const struct rarog_installed *installed = &image->installed.v[i];

		for (size_t k = 0; installed->module == m && k < installed->gates.n; k++)
			if (change->number == RAROG_GATES)
				write_gates(installed->gates.v[k], m);
			else
				write_gate(installed->gates.v[k], change->number,
					   word_of(m, change->number));
	}
}

void rarog_known_release(struct rarog_installed *installed)
{
	for (size_t i = 0; i < installed->gates.n; i++)
		munmap(installed->gates.v[i], installed->gates_size);
	rarog_vec_release(&installed->gates);
	free(installed->patches);
	free(installed->semaphores);
}

/* --- of processes that have ended --- */

/* Areas that may be unused, until it is looked. */
#define DEAD_MOST  64
#define DEAD_SHARE 4 /* of those that were used */

bool rarog_known_is_due(const struct rarog_image *image)
{
	return image->installed.n >= image->had_areas + image->had_areas / DEAD_SHARE + DEAD_MOST;
}

/* What is still used, by number in the image's vectors. */
struct had {
	bool *installed, *places;
};

static void had_release(struct had *had)
{
	free(had->installed);
	free(had->places);
}

static void find_had(const struct rarog_image *image, struct rarog_remote *remote, struct had *had)
{
	for (size_t i = 0; i < image->installed.n; i++)
		had->installed[i] = had->installed[i] ||
				    rarog_area_serves(remote, image, &image->installed.v[i]);
	for (size_t i = 0; i < image->places.n; i++)
		had->places[i] =
			had->places[i] || rarog_area_is_there(remote, image, &image->places.v[i]);
}

/* Return: 0; errors of opening the memory of one that lives, which may have anything. */
static int find_all_had(const struct rarog_image *image, size_t n, const pid_t pids[],
			struct had *had)
{
	for (size_t i = 0; i < n; i++) {
		struct rarog_remote remote = { .memory = -1 };
		int r = rarog_remote_open_memory(pids[i], &remote);

		if (r == 0)
			find_had(image, &remote, had);
		else if (r != -ENOENT && r != -ESRCH)
			return r;
		rarog_remote_close(&remote);
	}
	return 0;
}

static void forget_installed(struct rarog_image *image, const bool had[])
{
	size_t n = 0;

	for (size_t i = 0; i < image->installed.n; i++) {
		if (had[i]) {
			image->installed.v[n++] = image->installed.v[i];
			continue;
		}
		rarog_known_release(&image->installed.v[i]);
	}
	image->installed.n = n;
}

static void keep_places(struct rarog_image *image, const bool wanted[])
{
	size_t n = 0;

	pthread_mutex_lock(&places_lock);
	for (size_t i = 0; i < image->places.n; i++)
		if (wanted[i])
			image->places.v[n++] = image->places.v[i];
	image->places.n = n;
	pthread_mutex_unlock(&places_lock);
}

int rarog_known_sweep(struct rarog_image *image, size_t n, const pid_t pids[])
{
	rarog_cleanup(had_release) struct had had = {
		.installed = calloc(image->installed.n + 1, sizeof(bool)),
		.places = calloc(image->places.n + 1, sizeof(bool)),
	};
	int r = had.installed && had.places ? 0 : rarog_oom();

	rarog_known_lock();
	if (r == 0)
		r = find_all_had(image, n, pids, &had);
	if (r == 0) {
		forget_installed(image, had.installed);
		keep_places(image, had.places);
	}
	image->had_areas = image->installed.n;
	rarog_known_unlock();
	return r;
}
