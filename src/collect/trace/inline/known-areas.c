/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The processes of an image share what is known of its areas, not the areas: what one has mapped
 * after the fork the others have not, or elsewhere. An area begins with what tells which it is.
 */
#include "collect/trace/inline/known-areas.h"

#include <string.h>

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
