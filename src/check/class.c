/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check/class.h"

#include <string.h>
#include <strings.h>

#include "base/cleanup.h"

static const struct {
	const char *name, *words;
} classes[] = {
	[RAROG_CLASS_UNKNOWN] = { "Unknown", "cannot tell" },
	[RAROG_CLASS_NOT_IN_BASELINE] = { "NotInBaseline", "new" },
	[RAROG_CLASS_TOTAL_DEGRADATION] = { "TotalDegradation", "slower in total" },
	[RAROG_CLASS_SEVERE_DEGRADATION] = { "SevereDegradation", "much slower" },
	[RAROG_CLASS_DEGRADATION] = { "Degradation", "slower" },
	[RAROG_CLASS_MAYBE_DEGRADATION] = { "MaybeDegradation", "maybe slower" },
	[RAROG_CLASS_NO_CHANGE] = { "NoChange", "unchanged" },
	[RAROG_CLASS_MAYBE_OPTIMIZATION] = { "MaybeOptimization", "maybe faster" },
	[RAROG_CLASS_OPTIMIZATION] = { "Optimization", "faster" },
	[RAROG_CLASS_SEVERE_OPTIMIZATION] = { "SevereOptimization", "much faster" },
	[RAROG_CLASS_TOTAL_OPTIMIZATION] = { "TotalOptimization", "faster in total" },
	[RAROG_CLASS_NOT_IN_TARGET] = { "NotInTarget", "gone" },
};

const char *rarog_class_name(enum rarog_class class)
{
	return classes[class].name;
}

const char *rarog_class_words(enum rarog_class class)
{
	return classes[class].words;
}

bool rarog_class_is_degradation(enum rarog_class class)
{
	return class >= RAROG_CLASS_TOTAL_DEGRADATION && class <= RAROG_CLASS_DEGRADATION;
}

bool rarog_class_is_optimization(enum rarog_class class)
{
	return class >= RAROG_CLASS_OPTIMIZATION && class <= RAROG_CLASS_TOTAL_OPTIMIZATION;
}

bool rarog_class_is_certain(enum rarog_class class)
{
	return class != RAROG_CLASS_UNKNOWN && class != RAROG_CLASS_MAYBE_DEGRADATION &&
	       class != RAROG_CLASS_MAYBE_OPTIMIZATION;
}

enum rarog_class rarog_class_at_most_maybe(enum rarog_class class)
{
	if (rarog_class_is_degradation(class))
		return RAROG_CLASS_MAYBE_DEGRADATION;
	return rarog_class_is_optimization(class) ? RAROG_CLASS_MAYBE_OPTIMIZATION : class;
}
