/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "blow/timeout.h"

#include <errno.h>
#include <math.h>

#include "base/error.h"
#include "base/units.h"
#include "blow/baseline.h"

#define YIELD_LONGEST 1000 /* as often as others want the processor */
#define TIMEOUT_LEAST 10000000000ull
#define TIMEOUT_TIMES 10

/* All in one thread. */
static double noise_of(const struct rarog_blow_options *options,
		       const struct rarog_blow_result *result, uint64_t least_ns,
		       const struct rarog_blow_function *own)
{
	double ns = own ? (double)own->calls * (double)(own->delay_ns + least_ns) : 0;

	for (size_t i = 0; options->mode->is_gain && i < result->corpus.v.n; i++) {
		const struct rarog_blow_function *f = &result->corpus.v.v[i];

		ns += (double)f->calls * (double)f->delay_ns;
	}
	return ns;
}

uint64_t rarog_blow_timeout(const struct rarog_blow_options *options,
			    const struct rarog_blow_result *result, uint64_t least_ns,
			    const struct rarog_blow_function *own)
{
	double plain_ns = result->plain_ns, ns = noise_of(options, result, least_ns, own);

	if (options->timeout_ns || (plain_ns <= 0 && !options->attachment))
		return rarog_blow_first_timeout(options);
	if (options->kind == RAROG_NOISE_YIELD)
		ns *= YIELD_LONGEST;
	return plain_ns > 0 ? TIMEOUT_LEAST + (uint64_t)(TIMEOUT_TIMES * (plain_ns + ns)) : 0;
}

int rarog_blow_check_timeout(const struct rarog_blow_options *options,
			     const struct rarog_blow_result *result, uint64_t least_ns,
			     const struct rarog_blow_function *f)
{
	double plain_ns = result->plain_ns;
	double ns = plain_ns +
		    fmax(noise_of(options, result, least_ns, f), options->most_share * plain_ns);

	if (options->timeout_ns == 0 || f->state != RAROG_BLOW_OPEN ||
	    ns < (double)options->timeout_ns)
		return 0;
	return rarog_fail(-ERANGE,
			  "--timeout=%s: with noise in %s a run takes up to %s; give more, or less "
			  "noise (--noise-minimum)",
			  rarog_format_ns(options->timeout_ns).text, f->name,
			  rarog_format_ns((uint64_t)ns).text);
}
