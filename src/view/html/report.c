/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The page is a template with two holes. The title is the only outside text that is written as
 * HTML; all else is inside the packed data and becomes text nodes in the browser.
 */
#include "view/html/report.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "blocks/tally.h"
#include "view/html/blocks-data.h"
#include "view/html/data.h"
#include "view/html/pack.h"
#include "view/html/page.h"

struct report {
	struct rarog_run run;
	struct rarog_call_tree tree;
	const struct rarog_report_options *options;
	bool has_only_blocks;
};

static void report_release(struct report *report)
{
	rarog_call_tree_release(&report->tree);
}

static int write_data(const struct report *report, FILE *out)
{
	rarog_cleanup(rarog_pack_freep) struct rarog_pack *pack = NULL;
	int r = rarog_pack_new(out, &pack);

	if (r == 0 && report->has_only_blocks)
		r = rarog_blocks_data_write(report->run.profile, report->options,
					    rarog_pack_stream(pack));
	else if (r == 0)
		r = rarog_report_data_write(&report->run, &report->tree, report->options,
					    rarog_pack_stream(pack));
	return r < 0 ? r : rarog_pack_finish(pack);
}

static int write_page(const struct report *report, FILE *out)
{
	struct rarog_page page = rarog_page();
	const char *title = report->options->title;
	rarog_cleanup(rarog_freep) char *usual = title ? NULL : rarog_run_title(&report->run);
	int r;

	if (!title && !usual)
		return rarog_oom();
	rarog_page_write_part(page.head, out);
	r = rarog_page_write_title(title ? title : usual, out);
	fputs(title ? "" : " – rarog", out);
	rarog_page_write_part(page.middle, out);
	if (r == 0)
		r = write_data(report, out);
	rarog_page_write_part(page.tail, out);
	return r;
}

int rarog_report_write(struct rarog_profile *profile, const struct rarog_report_options *options,
		       FILE *out)
{
	rarog_cleanup(report_release) struct report report = {
		.options = options,
	};
	int r = rarog_run_load(profile, &report.run);

	if (r == 0)
		r = rarog_call_tree_init(&report.tree, profile);
	report.has_only_blocks = rarog_tally_has(profile) && report.tree.n <= 1;
	return r < 0 ? r : write_page(&report, out);
}
