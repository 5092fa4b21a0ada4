/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdio.h>

#include "base/error.h"
#include "base/units.h"
#include "cmd/commands.h"
#include "cmd/selection.h"
#include "store/exchange.h"

static int pull(const struct rarog_context *context, struct rarog_project *project,
		struct rarog_exchange *exchange, size_t n, char **names)
{
	rarog_cleanup(rarog_selection_release) struct rarog_selection selection = { 0 };
	struct rarog_exchange_result result = { 0 };
	int r = n > 0 ? rarog_selection_versions(project, n, names, &selection) : 0;

	if (r == 0)
		r = rarog_exchange_pull(exchange, selection.versions.n,
					(const char *const *)selection.versions.v, &result);
	if (r < 0)
		return r;
	if (!context->quiet)
		fprintf(stderr, "rarog: pulled %s profile%s, %s, from %s; %s were there\n",
			rarog_format_count(result.sent).text, result.sent == 1 ? "" : "s",
			rarog_format_bytes(result.bytes).text, rarog_exchange_remote(exchange),
			rarog_format_count(result.known).text);
	if (result.damaged > 0)
		return rarog_fail(-EBADMSG, "%s: %s profile%s damaged there; the others were added",
				  rarog_exchange_remote(exchange),
				  rarog_format_count(result.damaged).text,
				  result.damaged == 1 ? " is" : "s are");
	return RAROG_EXIT_OK;
}

static int run(const struct rarog_context *context, int argc, char **argv)
{
	return rarog_exchange_run(context, argc, argv, false, pull);
}

const struct rarog_command rarog_cmd_pull = {
	.name = "pull",
	.summary = "get profiles from the project's git remote",
	.usage = "[REMOTE [RANGE|REV…]]",
	.description =
		"Adds the profiles that others gave with rarog push: all of them, or only those of "
		"the named ranges and revisions. Profiles that are here already are not fetched "
		"again, as far as the remote can leave them out. A profile that was removed here "
		"comes again.\n"
		"\n"
		"Your branches, index and FETCH_HEAD are not touched. If a pull is interrupted, "
		"the profiles that it had added stay; the next pull gets the rest.",
	.examples = "rarog pull\n"
		    "rarog pull origin HEAD~20..HEAD",
	.options = rarog_no_options,
	.run = run,
};
