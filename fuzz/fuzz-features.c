/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is read of features: the first byte says whether the rest is the section of a program, what
 * the plug-in found, or a model file. Of a model, no plan may propose what it forbids.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "feature/analysis.h"
#include "feature/rules.h"
#include "feature/sampling.h"
#include "feature/section.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void read_section(size_t n, const uint8_t *bytes)
{
	long count = rarog_feature_section_count(n, bytes);

	if (count > 0 && (size_t)count > n / 16)
		abort();
}

static void read_analysis(size_t n, const uint8_t *bytes)
{
	rarog_cleanup(rarog_freep) char *text = strndup((const char *)bytes, n);
	struct rarog_feature_analysis analysis = { 0 };

	if (text && rarog_feature_analysis_parse("fuzz", text, &analysis) == 0)
		for (size_t i = 0; i < analysis.pieces.n; i++)
			if (!rarog_feature_piece_find(&analysis, analysis.pieces.v[i].unit,
						      analysis.pieces.v[i].piece))
				abort();
	rarog_feature_analysis_release(&analysis);
}

#define FEATURES 16

static void list_on(const struct rarog_feature_model *model,
		    const struct rarog_configuration *configuration, bool on[FEATURES])
{
	for (size_t i = 0; i < model->features.n; i++) {
		const struct rarog_feature_entry *entry = &model->features.v[i];
		const char *value = rarog_configuration_get(
			configuration, entry->option ? entry->option : entry->name);

		if (!value)
			on[i] = false;
		else if (entry->is_switch)
			on[i] = strcmp(value, "true") == 0;
		else
			on[i] = entry->is_mandatory || strcmp(value, entry->values.v[0]) != 0;
	}
}

static void read_model(size_t n, const uint8_t *bytes)
{
	const struct rarog_sampling_request request = { .plan = RAROG_SAMPLING_RANDOM,
							.n = 4,
							.seed = 1 };
	rarog_cleanup(rarog_feature_model_release) struct rarog_feature_model model = { 0 };
	rarog_cleanup(rarog_sampling_release) struct rarog_sampling sampling = { 0 };
	rarog_cleanup(rarog_rules_release) struct rarog_rules rules = { 0 };
	bool on[FEATURES];

	if (rarog_feature_model_parse("fuzz", n, (const char *)bytes, &model) < 0 ||
	    model.features.n > FEATURES || rarog_sampling_make(&model, &request, &sampling) < 0 ||
	    rarog_rules_make(&model, "fuzz", &rules) < 0)
		return;
	for (size_t i = 0; i < sampling.list.n && model.alternatives.n > 0; i++) {
		list_on(&model, &sampling.list.v[i], on);
		if (!rarog_rules_allow(&rules, on))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static void (*const readers[])(
		size_t n, const uint8_t *bytes) = { read_section, read_analysis, read_model };

	if (n > 0)
		readers[bytes[0] % RAROG_COUNT(readers)](n - 1, bytes + 1);
	rarog_error_clear();
	return 0;
}
