/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/html/thread-tree.h"

#include "base/cleanup.h"
#include "view/html/columns.h"
#include "view/html/frames.h"
#include "view/thread-tree.h"

static int write_tree(const struct rarog_call_tree *tree, size_t max, struct rarog_json *json)
{
	rarog_cleanup(rarog_frames_release) struct rarog_frames frames = { 0 };
	int r = rarog_frames_init(&frames, tree, max);

	if (r < 0)
		return r;
	rarog_json_object(json, "threads");
	RAROG_COLUMN(json, "depth", frames.n, i, rarog_json_uint(json, NULL, frames.v[i].depth));
	RAROG_COLUMN(json, "function", frames.n, i,
		     rarog_frames_write_function(json, &frames.v[i]));
	RAROG_COLUMN(json, "count", frames.n, i, rarog_json_uint(json, NULL, frames.v[i].count));
	RAROG_COLUMN(json, "self", frames.n, i, rarog_json_uint(json, NULL, frames.v[i].self));
	rarog_frames_write_left_out(json, &frames);
	rarog_json_end_object(json);
	return 0;
}

int rarog_html_thread_tree_write(const struct rarog_run *run, size_t max, struct rarog_json *json)
{
	rarog_cleanup(rarog_call_tree_release) struct rarog_call_tree tree = { 0 };
	int r = rarog_thread_tree(run, &tree);

	if (r < 0)
		return r;
	if (tree.n == 0) {
		rarog_json_null(json, "threads");
		return 0;
	}
	return write_tree(&tree, max, json);
}
