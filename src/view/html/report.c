/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The page is a template with two holes. The title is the only outside text that is written as
 * HTML; all else is inside the packed data and becomes text nodes in the browser.
 */
#include "view/html/report.h"

#include "base/error.h"
#include "view/html/data.h"
#include "view/html/pack.h"
#include "view/html/page.h"

static int write_data(const struct rarog_run *run, const struct rarog_call_tree *tree,
		      const struct rarog_report_options *options, FILE *out)
{
	rarog_cleanup(rarog_pack_freep) struct rarog_pack *pack = NULL;
	int r = rarog_pack_new(out, &pack);

	if (r == 0)
		r = rarog_report_data_write(run, tree, options, rarog_pack_stream(pack));
	return r < 0 ? r : rarog_pack_finish(pack);
}

static const char *default_title(const struct rarog_run *run)
{
	if (run->n_processes > 0 && run->processes[0].command)
		return run->processes[0].command;
	return rarog_profile_path(run->profile);
}

int rarog_report_write(struct rarog_profile *profile, const struct rarog_report_options *options,
		       FILE *out)
{
	rarog_cleanup(rarog_call_tree_release) struct rarog_call_tree tree = { 0 };
	struct rarog_page page = rarog_page(RAROG_PAGE_PROFILE);
	struct rarog_run run;
	int r = rarog_run_load(profile, &run);

	if (r == 0)
		r = rarog_call_tree_init(&tree, profile);
	if (r < 0)
		return r;
	rarog_page_write_part(page.head, out);
	r = rarog_page_write_title(options->title ? options->title : default_title(&run), out);
	fputs(options->title ? "" : " – rarog", out);
	rarog_page_write_part(page.middle, out);
	if (r == 0)
		r = write_data(&run, &tree, options, out);
	rarog_page_write_part(page.tail, out);
	return r;
}
