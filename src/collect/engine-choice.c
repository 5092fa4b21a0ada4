/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The engines in the order of what they tell: times of each call nearly as they are; the same at a
 * microsecond a call; exact counts without times; shares of time without calls. The first that this
 * machine has, that knows every option that was given, and that takes this program.
 */
#include "collect/engine-choice.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"

static const struct rarog_engine *const candidates[] = {
	&rarog_engine_inline,
	&rarog_engine_ebpf,
	&rarog_engine_vex,
	&rarog_engine_perf,
};

struct search {
	const struct rarog_engine_request *request;
	const struct rarog_plan *plan;
	const char *program;
};

void rarog_engine_choice_release(struct rarog_engine_choice *choice)
{
	rarog_str_release(&choice->why);
}

static bool is_meant(const struct rarog_engine *engine, const struct rarog_plan *plan,
		     bool only_trace)
{
	if (engine->abilities & RAROG_ENGINE_SAMPLES)
		return !only_trace;
	return !(engine->abilities & RAROG_ENGINE_COUNTS) || plan->detail == RAROG_DETAIL_COUNT;
}

/* That counts are wanted is known already of an engine that does nothing else. */
static bool lacks(const struct rarog_engine *engine, const struct rarog_engine_request *request,
		  struct rarog_engine_lack *ret_lack)
{
	struct rarog_plan_options options = *request->options;
	struct rarog_engine_request asked = *request;

	asked.options = &options;
	if (engine->abilities & RAROG_ENGINE_COUNTS)
		options.detail = -1;
	return rarog_engine_lacks(engine, &asked, ret_lack);
}

static int judge(const struct rarog_engine *engine, const struct search *search)
{
	const struct rarog_attachment *attachment = search->request->attachment;
	struct rarog_engine_lack lack;
	int r;

	if (lacks(engine, search->request, &lack))
		return rarog_fail(-ENOTSUP, "it does not know %s", lack.option);
	r = rarog_engine_check(engine);
	if (r < 0 || !engine->allows || (!search->program && !attachment))
		return r;
	return engine->allows(search->plan, search->program, attachment);
}

/* "inline: why not; ebpf: why not": without the words that an engine's own messages begin with. */
static int add_reason(const struct rarog_engine *engine, struct rarog_str *why)
{
	const char *reason = rarog_error_message();
	char own[32];
	int n = snprintf(own, sizeof(own), "--engine=%s: ", engine->name);

	if (strncmp(reason, own, (size_t)n) == 0)
		reason += n;
	return rarog_str_addf(why, "%s%s: %s", why->length > 0 ? "; " : "",
			      rarog_engine_word(engine), reason);
}

static int choose(const struct search *search, bool only_trace, struct rarog_engine_choice *choice)
{
	int r;

	for (size_t i = 0; i < RAROG_COUNT(candidates); i++) {
		choice->engine = candidates[i];
		if (!is_meant(candidates[i], search->plan, only_trace))
			continue;
		r = judge(candidates[i], search);
		if (r == 0 || r == -ENOMEM)
			return r;
		if (add_reason(candidates[i], &choice->why) < 0)
			return rarog_oom();
		rarog_error_clear();
	}
	return rarog_fail(-ENOTSUP, "no engine can measure this here (%s)",
			  rarog_str_text(&choice->why));
}

int rarog_engine_choose(const struct rarog_engine_request *request, bool only_trace,
			const char *program, struct rarog_engine_choice *ret_choice)
{
	rarog_cleanup(rarog_engine_choice_release) struct rarog_engine_choice choice = { 0 };
	struct rarog_plan plan = { 0 };
	struct search search = { .request = request, .plan = &plan, .program = program };
	int r = rarog_plan_make(request->options, &plan);

	if (r == 0)
		r = choose(&search, only_trace, &choice);
	rarog_plan_release(&plan);
	if (r < 0)
		return r;
	*ret_choice = choice;
	choice = (struct rarog_engine_choice){ 0 };
	return 0;
}

void rarog_engine_choice_say(const struct rarog_engine_choice *choice)
{
	if (choice->why.length > 0)
		rarog_warn("measured by %s instead, %s (%s)", rarog_engine_word(choice->engine),
			   choice->engine->gives, rarog_str_text(&choice->why));
}
