/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check/effect.h"

#include "base/str.h"

/* @effect downwards, a negative number: 0.25 gives -0.2 */
static double effect_down(double effect)
{
	return 1 / (1 + effect) - 1;
}

/* The same for both directions: @near is the end of the interval that is next to 0. */
static enum rarog_class class_of(double near, const struct rarog_effect *effect,
				 const enum rarog_class classes[3])
{
	return near > effect->severe     ? classes[2]
	       : near > effect->smallest ? classes[1]
					 : classes[0];
}

enum rarog_class rarog_effect_class(const struct rarog_effect *effect, double value, double low,
				    double high, bool is_sure)
{
	static const enum rarog_class more[] = { RAROG_CLASS_MAYBE_DEGRADATION,
						 RAROG_CLASS_DEGRADATION,
						 RAROG_CLASS_SEVERE_DEGRADATION };
	static const enum rarog_class less[] = { RAROG_CLASS_MAYBE_OPTIMIZATION,
						 RAROG_CLASS_OPTIMIZATION,
						 RAROG_CLASS_SEVERE_OPTIMIZATION };

	if (low >= effect_down(effect->smallest) && high <= effect->smallest)
		return RAROG_CLASS_NO_CHANGE;
	if (!is_sure || isnan(low))
		return RAROG_CLASS_UNKNOWN;
	return value > 0 ? class_of(low, effect, more) : class_of(effect_down(high), effect, less);
}

#define RUNS_MAX 1000 /* more are never made; estimates from so far away are worth nothing */

#define SURER 1.3 /* an interval of 99 % is so much wider than one of 95 % */

/* An interval shrinks with the root of their number. What it lies about may move meanwhile, so the
 * easier end counts: it no longer reaches 0 (then there is a change, or maybe one), or nothing
 * beyond the smallest effect. */
static size_t runs_to_tell(const struct rarog_effect *effect, const struct rarog_change *change,
			   size_t runs)
{
	double width = (change->high - change->low) / 2;
	double by_change = SURER * width / fabs(change->relative);
	double within = fmin(effect->smallest - change->relative,
			     change->relative - effect_down(effect->smallest));
	double times = within > 0 ? fmin(by_change, width / within) : by_change;
	double wanted = ceil((double)runs * times * times);

	return !(wanted < RUNS_MAX) ? RUNS_MAX : wanted > (double)runs ? (size_t)wanted : runs + 1;
}

static char *explain_unknown(const struct rarog_effect *effect, const struct rarog_change *change,
			     size_t runs)
{
	size_t wanted = runs_to_tell(effect, change, runs);

	if (change->is_by_probes)
		return rarog_asprintf("between %+.1f %% and %+.1f %%, by what the probes of more "
				      "or fewer calls cost",
				      change->low * 100, change->high * 100);
	return rarog_asprintf("between %+.1f %% and %+.1f %%: %s%zu runs of each would tell",
			      change->low * 100, change->high * 100,
			      wanted < RUNS_MAX ? "about " : "perhaps more than ", wanted);
}

char *rarog_effect_reason(const struct rarog_effect *effect, const struct rarog_change *change,
			  size_t runs)
{
	switch (change->class) {
	case RAROG_CLASS_NO_CHANGE:
		return rarog_asprintf("within %g %%", effect->smallest * 100);
	case RAROG_CLASS_UNKNOWN:
		return isnan(change->low) ? NULL : explain_unknown(effect, change, runs);
	case RAROG_CLASS_MAYBE_DEGRADATION:
	case RAROG_CLASS_MAYBE_OPTIMIZATION:
		return rarog_asprintf("it changed, but perhaps by less than %g %%",
				      effect->smallest * 100);
	default:
		return NULL;
	}
}
