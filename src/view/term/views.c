/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which view is shown, and in which form: that depends on what was measured. */
#include "view/term/views.h"

#include <errno.h>

#include "base/error.h"
#include "profile/effects.h"
#include "profile/measured.h"
#include "view/term/block-times.h"

int rarog_view_choose(const struct rarog_views_asked *asked, struct rarog_view *ret_view,
		      const char **ret_func)
{
#define FLAG(letter, option, view, help) { asked->view, NULL, "--" option, &rarog_view_##view },
#define FUNC(letter, option, view, help)                                                           \
	{ asked->view != NULL, asked->view, "--" option, &rarog_view_##view },
	const struct {
		bool is_asked;
		const char *func, *name;
		const struct rarog_view *view;
	} views[] = { RAROG_VIEWS(FLAG, FUNC) };
#undef FLAG
#undef FUNC

	*ret_view = rarog_view_functions;
	*ret_func = NULL;
	for (size_t i = 0; i < RAROG_COUNT(views); i++) {
		if (!views[i].is_asked)
			continue;
		if (!rarog_view_is_functions(ret_view))
			return rarog_fail(-EINVAL, "%s and %s do not go together", ret_view->name,
					  views[i].name);
		*ret_view = *views[i].view;
		ret_view->name = views[i].name;
		*ret_func = views[i].func;
	}
	return 0;
}

bool rarog_view_is_functions(const struct rarog_view *view)
{
	return view->run == rarog_view_functions.run;
}

/* The time collector knows nothing of functions. */
static int whole_program(struct rarog_view *view, const struct rarog_show *show)
{
	if (!rarog_view_is_functions(view) || show->options.func)
		return rarog_fail(-ENODATA,
				  "%s: %s measures the whole program; rarog collect trace does so "
				  "with its functions",
				  show->options.func ? "--func" : view->name,
				  rarog_profile_path(show->run.profile));
	*view = rarog_view_amounts;
	return 0;
}

static int refuse_counts(const struct rarog_view *view, const struct rarog_show *show)
{
	const char *path = rarog_profile_path(show->run.profile);

	return show->only_executed
		       ? rarog_fail(-ENODATA,
				    "%s: %s has sums of the whole run, and does not know when or "
				    "in which thread; rarog collect trace --engine inline does",
				    view->name, path)
		       : rarog_fail(-ENODATA,
				    "%s: %s has counts of blocks, and does not know callers or "
				    "when; rarog collect trace does",
				    view->name, path);
}

static int adapt_to_blocks(struct rarog_view *view, const struct rarog_show *show)
{
	struct rarog_profile *profile = show->run.profile;

	if (!view->run_blocks && (!view->is_of_callers || !rarog_run_has_contexts(profile)))
		return refuse_counts(view, show);
	if (show->only_executed && view->lack && !(view->has_ways && show->tally.n_edges > 0))
		return rarog_fail(
			-ENODATA,
			"%s: %s is of the engine vex, which counts what runs: it knows %s; "
			"rarog collect blocks does, of what rarog cc compiled",
			view->name, rarog_profile_path(profile), view->lack);
	if (view->run_blocks) {
		view->run = view->run_blocks;
		view->check = rarog_show_check_counts;
	}
	return 0;
}

static int adapt_to_measured(struct rarog_view *view, const struct rarog_show *show)
{
	if (show->is_of_program)
		return whole_program(view, show);
	if (show->tally.n > 0)
		return adapt_to_blocks(view, show);
	if (rarog_view_is_functions(view) && !show->options.columns &&
	    show->options.sort == RAROG_SORT_DEFAULT && rarog_effects_exist(show->run.profile))
		*view = rarog_view_experiments; /* times are of its traced run alone */
	return view->run ? 0
			 : rarog_fail(-ENODATA,
				      "%s: %s has no counts of blocks; rarog collect blocks makes "
				      "them",
				      view->name, rarog_profile_path(show->run.profile));
}

/* Others' work is in wall times, not in the processor's; of sampled calls neither is known. */
static bool goes_by_cpu(const struct rarog_view *view, const struct rarog_show *show)
{
	rarog_cleanup(rarog_freep) bool *unknown = NULL;

	return rarog_view_is_functions(view) && show->has_cpu &&
	       rarog_run_was_noisy(show->run.profile) &&
	       rarog_exclusive_unknown(show->run.profile, &unknown) == 0;
}

int rarog_view_adapt(struct rarog_view *view, struct rarog_show *show)
{
	struct rarog_profile *profile = show->run.profile;
	int r = rarog_tally_read(profile, &show->tally);
	bool has_blocks = show->tally.n > 0;

	if (r < 0)
		return r;
	show->has_times = rarog_run_has_times(profile);
	show->has_samples = rarog_run_counts_samples(profile);
	show->is_of_program = rarog_run_is_of_program(profile);
	show->only_executed = has_blocks && rarog_run_knows_only_executed(profile);
	show->is_machine_code = has_blocks && rarog_run_counts_machine_code(profile);
	if (show->tally.n_times > 0)
		rarog_show_read_stamps(show);
	r = adapt_to_measured(view, show);
	if (r == 0 && show->options.sort == RAROG_SORT_DEFAULT)
		show->options.sort = has_blocks                ? RAROG_SORT_INSTRUCTIONS
				     : !show->has_times        ? RAROG_SORT_COUNT
				     : goes_by_cpu(view, show) ? RAROG_SORT_CPU
							       : RAROG_SORT_EXCLUSIVE;
	return r;
}

int rarog_view_print(const struct rarog_view *view, struct rarog_show *show)
{
	int r = rarog_show_has_func(show);

	if (r == 0)
		return rarog_show_missing(show);
	if (r > 0)
		r = rarog_show_begin(show);
	if (r == 0)
		r = view->run(show);
	if (r == 0 && *view->name == '\0')
		r = rarog_show_models(show);
	return r < 0 ? r : rarog_show_end(show);
}
