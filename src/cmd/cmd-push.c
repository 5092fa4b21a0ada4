/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdio.h>

#include "base/error.h"
#include "base/units.h"
#include "cmd/commands.h"
#include "cmd/selection.h"
#include "store/exchange.h"

static void say(const struct rarog_exchange *exchange, const struct rarog_exchange_result *result)
{
	fprintf(stderr, "rarog: pushed %s profile%s, %s, to %s; %s were there",
		rarog_format_count(result->sent).text, result->sent == 1 ? "" : "s",
		rarog_format_bytes(result->bytes).text, rarog_exchange_remote(exchange),
		rarog_format_count(result->known).text);
	if (result->rounds > 1)
		fprintf(stderr, " (merged with others' in %s rounds)",
			rarog_format_count(result->rounds).text);
	fputs("\n", stderr);
}

static int push(const struct rarog_context *context, struct rarog_project *project,
		struct rarog_exchange *exchange, size_t n, char **names)
{
	rarog_cleanup(rarog_selection_release) struct rarog_selection selection = { 0 };
	struct rarog_exchange_result result = { 0 };
	int r = rarog_selection_rows(project, n, names, &selection);

	if (r == 0)
		r = rarog_exchange_push(exchange, selection.ids.n, selection.ids.v, &result);
	if (r < 0)
		return r;
	if (!context->quiet)
		say(exchange, &result);
	return RAROG_EXIT_OK;
}

static int run(const struct rarog_context *context, int argc, char **argv)
{
	return rarog_exchange_run(context, argc, argv, true, push);
}

const struct rarog_command rarog_cmd_push = {
	.name = "push",
	.summary = "give profiles to the project's git remote",
	.usage = "[REMOTE [RANGE|REV|PROFILE…]]",
	.description =
		"Puts the store's profiles (or those named) under " RAROG_EXCHANGE_REF
		" of the remote, where every clone can get them with rarog pull. It needs no other "
		"server than the one that has the source. REMOTE is a name or a URL; by default it "
		"is the remote of the current branch, or origin.\n"
		"\n"
		"Others may push at the same time: pushing only adds profiles. Your branches, "
		"index and FETCH_HEAD are not touched and no hook runs; the clone may be shallow.",
	.examples = "rarog push\n"
		    "rarog push origin HEAD",
	.options = rarog_no_options,
	.run = run,
};
