/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The regions of a program as they are wanted: what the compiler's plug-in found, and where that is
 * in the machine code. */
#ifndef RAROG_FEATURE_REGIONS_H
#define RAROG_FEATURE_REGIONS_H

#include "feature/analysis.h"
#include "feature/model-file.h"
#include "feature/places.h"
#include "plan/feature-options.h"

/* Zeroed: nothing. */
struct rarog_feature_regions {
	struct rarog_feature_model model;
	struct rarog_feature_analysis analysis;
	struct rarog_region_places places;
	struct rarog_feature_placed placed;
	struct rarog_binary *binary;
};

/** rarog_feature_choice_of() - what the analysis looks for; @model: borrowed, NULL: only what is
 * annotated. */
struct rarog_feature_choice rarog_feature_choice_of(const struct rarog_feature_options *options,
						    const struct rarog_feature_model *model);

/** rarog_feature_regions_find() - those of the program @path. 0; -errno with message. Release in
 * any case. */
int rarog_feature_regions_find(const struct rarog_feature_options *options,
			       enum rarog_feature_means means, const char *path,
			       struct rarog_feature_regions *ret_regions);

/** rarog_feature_regions_say() - what cannot be measured, in a line or two. */
void rarog_feature_regions_say(const struct rarog_feature_regions *regions, const char *path);
/** rarog_feature_regions_say_counts() - which counts may be too high, where they are measured. */
void rarog_feature_regions_say_counts(const struct rarog_feature_regions *regions,
				      const char *path);
void rarog_feature_regions_release(struct rarog_feature_regions *regions);

#endif
