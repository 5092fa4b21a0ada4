/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Packs that are merged into the next one: small ones, and those of which a quarter can go. Their
 * frames are copied as they are.
 */
#include "store/repack-own.h"

#include <errno.h>

#include "base/error.h"
#include "store/object-canonical.h"
#include "store/refer.h"

#define SMALL_PACK 4096 /* packs of fewer profiles are merged */

static int copy_entry(struct rarog_repack *p, const struct rarog_packfile *pack,
		      struct rarog_packfile_entry entry, const int64_t numbers[])
{
	rarog_cleanup(rarog_freep) uint8_t *frame = NULL;
	int r = rarog_packfile_frame(pack, &entry, &frame);

	if (r < 0)
		return r;
	if (entry.base != RAROG_PACK_NO_BASE)
		entry.base = (uint32_t)numbers[entry.base];
	int64_t number = rarog_packfile_copy(p->writer, &entry, frame);

	return (int)number;
}

/* Which entries stay: 1; of those, a base stays with them. */
static int choose(struct rarog_repack *p, const struct rarog_packfile *pack, uint8_t stays[])
{
	for (uint32_t i = 0; i < pack->n; i++) {
		struct rarog_packfile_entry entry;
		int r = rarog_packfile_entry(pack, i, &entry);

		if (r == 0)
			r = rarog_refer_has(p->store, &entry.hash);
		if (r < 0)
			return r;
		if (r == 0 && entry.changed_ns < p->drop_before_ns)
			continue;
		stays[i] = 1;
		if (entry.base != RAROG_PACK_NO_BASE)
			stays[entry.base] = 1;
	}
	return 0;
}

/* Bases first, so that the others can refer to them. */
static int copy_round(struct rarog_repack *p, const struct rarog_packfile *pack,
		      const uint8_t stays[], int64_t numbers[], bool bases)
{
	for (uint32_t i = 0; i < pack->n; i++) {
		struct rarog_packfile_entry entry;
		int r = rarog_packfile_entry(pack, i, &entry);

		if (r < 0)
			return r;
		if ((entry.base == RAROG_PACK_NO_BASE) != bases)
			continue;
		if (!stays[i]) {
			p->result->dropped++;
			p->result->dropped_bytes += entry.packed;
			if (rarog_vec_push(&p->dropped, entry.hash) < 0)
				return rarog_oom();
			continue;
		}
		r = copy_entry(p, pack, entry, numbers);
		if (r < 0)
			return r;
		numbers[i] = r;
	}
	return 0;
}

static int copy_pack(struct rarog_repack *p, const struct rarog_old_pack *old)
{
	rarog_cleanup(rarog_freep) uint8_t *stays = calloc(old->pack->n + 1u, 1);
	int r = stays ? choose(p, old->pack, stays) : rarog_oom();

	if (r == 0)
		r = copy_round(p, old->pack, stays, old->numbers, true);
	if (r == 0)
		r = copy_round(p, old->pack, stays, old->numbers, false);
	return r;
}

/* Small ones, and those of which a quarter can go. 1, 0, -errno. */
static int is_due(struct rarog_repack *p, const struct rarog_packfile *pack)
{
	uint32_t dead = 0;

	for (uint32_t i = 0; i < pack->n; i++) {
		struct rarog_packfile_entry entry;
		int r = rarog_packfile_entry(pack, i, &entry);

		if (r == -EBADMSG) { /* not one that can be copied */
			rarog_error_clear();
			return 0;
		}
		if (r == 0)
			r = rarog_refer_has(p->store, &entry.hash);
		if (r < 0)
			return r;
		dead += r == 0 && entry.changed_ns < p->drop_before_ns;
	}
	return pack->n < SMALL_PACK || dead > pack->n / 4;
}

static int add_old(struct rarog_repack *p, struct rarog_packfile *pack)
{
	struct rarog_old_pack old = { .pack = pack };

	old.numbers = calloc(pack->n + 1u, sizeof(*old.numbers));
	if (!old.numbers || rarog_vec_push(&p->old, old) < 0) {
		free(old.numbers);
		return rarog_oom();
	}
	for (uint32_t i = 0; i < pack->n; i++)
		old.numbers[i] = -1;
	return 0;
}

static int choose_packs(struct rarog_repack *p)
{
	int r = rarog_packs_reload(p->objects);

	for (size_t i = 0; r >= 0 && i < p->objects->packs.n; i++) {
		r = is_due(p, p->objects->packs.v[i]);
		if (r > 0)
			r = add_old(p, p->objects->packs.v[i]);
	}
	return r < 0 ? r : 0;
}

int rarog_repack_old(struct rarog_repack *p)
{
	int r = choose_packs(p);

	for (size_t i = 0; r == 0 && i < p->old.n; i++)
		r = copy_pack(p, &p->old.v[i]);
	return r;
}

void rarog_repack_old_release(struct rarog_repack *p)
{
	for (size_t i = 0; i < p->old.n; i++)
		free(p->old.v[i].numbers);
	rarog_vec_release(&p->old);
}
