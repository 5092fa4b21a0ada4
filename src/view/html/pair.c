/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/html/pair.h"

#include "base/error.h"
#include "base/str.h"
#include "view/html/pack.h"
#include "view/html/page.h"
#include "view/html/pair-data.h"

static int write_title(const struct rarog_pair_options *options, FILE *out)
{
	rarog_cleanup(rarog_freep) char *title = NULL;

	if (options->title)
		return rarog_page_write_title(options->title, out);
	title = rarog_asprintf("%s → %s – rarog", options->baseline, options->target);
	return title ? rarog_page_write_title(title, out) : rarog_oom();
}

static int write_data(const struct rarog_checks *checks, const struct rarog_pair_options *options,
		      FILE *out)
{
	rarog_cleanup(rarog_pack_freep) struct rarog_pack *pack = NULL;
	int r = rarog_pack_new(out, &pack);

	if (r == 0)
		r = rarog_pair_data_write(checks, options, rarog_pack_stream(pack));
	return r < 0 ? r : rarog_pack_finish(pack);
}

int rarog_pair_write(const struct rarog_checks *checks, const struct rarog_pair_options *options,
		     FILE *out)
{
	struct rarog_page page = rarog_page();
	int r;

	rarog_page_write_part(page.head, out);
	r = write_title(options, out);
	rarog_page_write_part(page.middle, out);
	if (r == 0)
		r = write_data(checks, options, out);
	rarog_page_write_part(page.tail, out);
	return r;
}
