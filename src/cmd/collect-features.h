/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rarog collect features: which regions are measured. */
#ifndef RAROG_CMD_COLLECT_FEATURES_H
#define RAROG_CMD_COLLECT_FEATURES_H

#include "base/options.h"
#include "cmd/collect-way.h"
#include "feature/analysis.h"
#include "feature/model-file.h"
#include "feature/places.h"

struct rarog_collect_features_options {
	const char *model;
	struct rarog_strings features;
	long least;
	bool nested, is_explicit;
	bool is_sampled; /* no probes are needed */
};

#define RAROG_FEATURE_LOOK_OPTIONS(type, member)                                                   \
	RAROG_OPT_STRING(0, "model", type, member.model, "FILE",                                   \
			 "which features there are (YAML; default: those that the source names)"), \
		RAROG_OPT_INT(0, "least", type, member.least, "N", 1, 1000000,                     \
			      "no regions of fewer than N of the compiler's instructions without " \
			      "a call (default: 1)"),                                              \
		RAROG_OPT_FLAG(0, "nested", type, member.nested,                                   \
			       "regions within regions of the same features, too"),                \
		RAROG_OPT_FLAG(0, "explicit", type, member.is_explicit,                            \
			       "not what depends on a feature only as that chooses one of some "   \
			       "constants (error codes, for example)")

/* Zeroed: nothing. */
struct rarog_collect_features {
	struct rarog_feature_model model;
	struct rarog_feature_analysis analysis;
	struct rarog_region_places places;
	struct rarog_feature_placed placed;
	struct rarog_binary *binary;
};

/** rarog_collect_features_find() - the regions of the program @path, and where they are. 0; -errno
 * with message. Release in any case. */
int rarog_collect_features_find(const struct rarog_collect_features_options *options,
				const char *path, struct rarog_collect_features *features);

/** rarog_collect_features_say() - what cannot be measured, in a line or two. */
void rarog_collect_features_say(const struct rarog_collect_features *features, const char *path);

/** rarog_collect_features_choose() - if the collector of @way measures regions: those of @program,
 * or of the file that the process of @attachment runs, are found, said, and put into @plan, which
 * borrows them of @features. 0; -errno with message. */
int rarog_collect_features_choose(const struct rarog_collect_features_options *options,
				  const struct rarog_collect_way *way, const char *program,
				  const struct rarog_attachment *attachment,
				  struct rarog_collect_features *features, struct rarog_plan *plan);
void rarog_collect_features_release(struct rarog_collect_features *features);

#endif
