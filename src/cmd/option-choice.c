/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/option-choice.h"

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/str.h"

void rarog_option_choice_release(struct rarog_option_choice *choice)
{
	rarog_configuration_release(&choice->options);
	free(choice->json);
	choice->json = NULL;
}

int rarog_option_choice_read(struct rarog_option_choice *choice)
{
	int r = rarog_configuration_set_all(&choice->options, &choice->given);

	if (r < 0)
		return rarog_usage_error(r);
	choice->json = rarog_configuration_json(&choice->options);
	return choice->json ? 0 : rarog_oom();
}

int rarog_option_choice_apply(const struct rarog_option_choice *choice,
			      struct rarog_project *project)
{
	int r = project->store ? rarog_options_check(project->store, &choice->options) : 0;

	project->options = choice->options.list.n > 0 ? choice->json : NULL;
	return r;
}

int rarog_option_choice_fits(const struct rarog_option_choice *choice, const char *name,
			     const struct rarog_job *job)
{
	rarog_cleanup(rarog_str_release) struct rarog_str words = { 0 };
	int r = choice ? rarog_configuration_includes(job->configuration, &choice->options) : 1;

	if (r != 0)
		return r < 0 ? r : 0;
	r = rarog_configuration_words(job->configuration, " ", &words);
	return r < 0 ? r
		     : rarog_fail(-ENOENT, "%s: was measured with%s%s", name,
				  words.length > 0 ? "" : " no options", rarog_str_text(&words));
}
