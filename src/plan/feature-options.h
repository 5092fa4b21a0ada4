/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which regions of features are looked for and measured, as people say it. */
#ifndef RAROG_PLAN_FEATURE_OPTIONS_H
#define RAROG_PLAN_FEATURE_OPTIONS_H

#include "base/options.h"

struct rarog_feature_options {
	const char *model;
	struct rarog_strings features;
	long least;
	bool nested, is_explicit;
	uint64_t memory, time_ns; /* of the analysis; 0: the usual */
};

#define RAROG_FEATURE_LOOK_OPTIONS(type, member)                                                   \
	RAROG_OPT_STRING(0, "model", type, member.model, "FILE",                                   \
			 "take the features from FILE (YAML, or XML of VaRA or SPL Conqueror; "    \
			 "default: those that the source names)"),                                 \
		RAROG_OPT_INT(0, "least", type, member.least, "N", 1, 1000000,                     \
			      "no regions of fewer than N of the compiler's instructions without " \
			      "a call (default: 1)"),                                              \
		RAROG_OPT_FLAG(0, "nested", type, member.nested,                                   \
			       "regions within regions of the same features, too"),                \
		RAROG_OPT_FLAG(0, "explicit", type, member.is_explicit,                            \
			       "without code that depends on a feature only by a constant that "   \
			       "the feature chooses (an error code, for example)"),                \
		RAROG_OPT_SIZE(0, "analysis-memory", type, member.memory, "SIZE",                  \
			       "memory that the search for regions may take; if it needs more, "   \
			       "it finds what --explicit finds (default: 4G)"),                    \
		RAROG_OPT_DURATION(0, "analysis-time", type, member.time_ns, "TIME",               \
				   "processor time that it may take, likewise (default: 10m)")

#define RAROG_FEATURE_CHOICE_OPTION(type, member)                                                  \
	RAROG_OPT_STRINGS(0, "feature", type, member.features, "NAME",                             \
			  "only regions of this feature; may be repeated")

#endif
