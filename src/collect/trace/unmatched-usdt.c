/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/trace/unmatched-usdt.h"

#include "base/error.h"
#include "base/nearest.h"
#include "binary/usdt.h"

static int offer(const struct rarog_module *m, struct rarog_nearest *nearest, size_t *n)
{
	struct rarog_usdts usdts;
	int r = rarog_usdts_read(m->binary, &usdts);

	for (size_t i = 0; r == 0 && i < usdts.n; i++)
		rarog_nearest_offer(nearest, usdts.v[i].name);
	*n += usdts.n;
	rarog_usdts_release(&usdts);
	return r;
}

int rarog_unmatched_usdt(const struct rarog_modules *modules, struct rarog_str *ret_text)
{
	struct rarog_nearest nearest = { .wanted = rarog_match_unused(&modules->plan->usdt) };
	size_t n = 0;
	int r = 0;

	if (!nearest.wanted)
		return 0;
	for (const struct rarog_module *m = modules->first; r == 0 && m; m = m->next)
		if (m->is_probed)
			r = offer(m, &nearest, &n);
	if (r == 0)
		r = rarog_str_addf(ret_text, "no USDT probe is called %s", nearest.wanted);
	if (r == 0 && nearest.n == 0)
		r = rarog_str_add(ret_text, n > 0 ? "; rarog probes lists those that there are"
					    : modules->plan->libraries
						    ? ""
						    : "; those of libraries need --libs");
	if (r == 0)
		r = rarog_nearest_add(&nearest, "", ret_text);
	return r < 0 ? r : 1;
}
