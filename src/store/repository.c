/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/repository.h"

int rarog_repository_open(const char *start, const struct rarog_store_options *options,
			  struct rarog_repository *ret_repository)
{
	rarog_cleanup(rarog_vcs_freep) struct rarog_vcs *vcs = NULL;
	int r = rarog_vcs_open(start, -1, &vcs);

	if (r == 0)
		r = rarog_store_open(rarog_vcs_store_path(vcs), options, &ret_repository->store);
	if (r < 0)
		return r;
	ret_repository->vcs = rarog_take(vcs);
	return 0;
}

void rarog_repository_release(struct rarog_repository *repository)
{
	rarog_store_free(repository->store);
	rarog_vcs_free(repository->vcs);
	*repository = (struct rarog_repository){ 0 };
}
