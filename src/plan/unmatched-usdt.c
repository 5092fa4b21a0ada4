/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/unmatched-usdt.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/nearest.h"
#include "binary/usdt.h"
#include "plan/unmatched-others.h"

/* What is asked for, with the names that are like it: whole ones if it has a provider. */
struct asked {
	const char *wanted;
	struct rarog_nearest nearest;
	size_t n; /* probes that there are */
	RAROG_VEC(char *) whole;
};

static void asked_release(struct asked *asked)
{
	for (size_t i = 0; i < asked->whole.n; i++)
		free(asked->whole.v[i]);
	rarog_vec_release(&asked->whole);
}

static int offer_whole(struct asked *asked, const struct rarog_usdt *usdt)
{
	rarog_cleanup(rarog_freep) char *whole =
		rarog_asprintf("%s:%s", usdt->provider, usdt->name);

	if (!whole || rarog_vec_push(&asked->whole, whole) < 0)
		return rarog_oom();
	rarog_nearest_offer(&asked->nearest, rarog_take(whole));
	return 0;
}

static int offer(struct rarog_binary *binary, struct asked *asked)
{
	struct rarog_usdts usdts;
	int r = rarog_usdts_read(binary, &usdts);

	for (size_t i = 0; r == 0 && i < usdts.n; i++)
		if (strchr(asked->wanted, ':'))
			r = offer_whole(asked, &usdts.v[i]);
		else
			rarog_nearest_offer(&asked->nearest, usdts.v[i].name);
	asked->n += usdts.n;
	rarog_usdts_release(&usdts);
	return r;
}

static int describe(const struct rarog_searched *searched, struct asked *asked,
		    struct rarog_str *ret_text)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < searched->binaries.n; i++)
		r = offer(searched->binaries.v[i].binary, asked);
	if (r == 0)
		r = rarog_str_addf(ret_text, "no USDT probe is called %s", asked->wanted);
	if (r == 0 && asked->nearest.n == 0)
		r = rarog_str_add(ret_text,
				  asked->n > 0 ? "; rarog probes lists those that there are"
				  : searched->plan->libraries ? ""
							      : "; those of libraries need --libs");
	return r < 0 ? r : rarog_nearest_add(&asked->nearest, "", ret_text);
}

int rarog_unmatched_usdt(const struct rarog_searched *searched, struct rarog_str *ret_text)
{
	const char *wanted = rarog_match_unused(&searched->plan->usdt);
	rarog_cleanup(asked_release) struct asked asked = { .wanted = wanted,
							    .nearest = { .wanted = wanted } };
	int r = wanted ? describe(searched, &asked, ret_text) : 0;

	if (r == 0 && wanted)
		r = rarog_unmatched_other_patterns(ret_text, &searched->plan->usdt);
	return r < 0 || !wanted ? r : 1;
}
