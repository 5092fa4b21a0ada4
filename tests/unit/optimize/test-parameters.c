/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parameters of techniques: names and usual values by Table A.4, predictions by its text. */
#include <string.h>

#include "base/error.h"
#include "optimize/parameters.h"
#include "unit.h"

static const struct rarog_graph_size small = { 20, 5, 0 }, large = { 1000, 33, 4 };

TEST(usual_values_are_those_of_the_table)
{
	struct rarog_parameters p = rarog_parameters_default();

	assert_true(p.number[RAROG_PARAMETER_DYN_SAMPLE_STEP] == 2);
	assert_true(p.number[RAROG_PARAMETER_DYN_SAMPLE_THRESHOLD] == 10000);
	assert_true(p.number[RAROG_PARAMETER_PROBING_THRESHOLD] == 100000);
	assert_true(p.number[RAROG_PARAMETER_DYN_BASE_HARD_THRESHOLD] == 1000000);
	assert_true(p.number[RAROG_PARAMETER_CG_TRIM_MIN_FUNCTIONS] == 10);
	assert_true(p.number[RAROG_PARAMETER_DIFF_KEEP_LEAF] == 1); /* unlike there */
}

TEST(what_is_given_is_not_predicted)
{
	struct rarog_parameters p = rarog_parameters_default();

	assert_int_equal(rarog_parameters_set(&p, "cg-trim-levels=7"), 0);
	assert_int_equal(rarog_parameters_set(&p, "cg-mode=strict"), 0);
	assert_int_equal(rarog_parameters_set(&p, "cg-trim-keep-leaf=false"), 0);
	rarog_parameters_predict(&p, RAROG_PIPELINE_FULL, &small);
	assert_true(p.number[RAROG_PARAMETER_CG_TRIM_LEVELS] == 7);
	assert_true(p.number[RAROG_PARAMETER_CG_MODE] == RAROG_CG_STRICT);
	assert_true(p.number[RAROG_PARAMETER_CG_TRIM_KEEP_LEAF] == 0);
	assert_true(p.number[RAROG_PARAMETER_CG_PROJ_KEEP_LEAF] == 1); /* few functions */
}

TEST(one_name_of_the_documents_is_two_here)
{
	struct rarog_parameters p = rarog_parameters_default();

	assert_int_equal(rarog_parameters_set(&p, "cg-keep-top=7"), 0);
	rarog_parameters_predict(&p, RAROG_PIPELINE_FULL, &large);
	assert_true(p.number[RAROG_PARAMETER_CG_TRIM_LEVELS] == 7);
	assert_true(p.number[RAROG_PARAMETER_CG_PRUNE_KEEP_TOP] == 7);
	assert_int_equal(rarog_parameters_set(&p, "diff-base=v1"), 0);
	assert_string_equal(p.given[RAROG_PARAMETER_DIFF_VERSION], "diff-base=v1");
}

TEST(predictions_follow_the_size_of_the_graph)
{
	struct rarog_parameters p = rarog_parameters_default();

	rarog_parameters_predict(&p, RAROG_PIPELINE_BASIC, &large);
	assert_true(p.number[RAROG_PARAMETER_CG_MODE] == RAROG_CG_STRICT);
	assert_true(p.number[RAROG_PARAMETER_CG_TRIM_LEVELS] == 9); /* a quarter of 33, up */
	assert_true(p.number[RAROG_PARAMETER_CG_TRIM_MIN_FUNCTIONS] == 100);
	assert_true(p.number[RAROG_PARAMETER_CG_PRUNE_CHAIN_LENGTH] == 3);
	assert_true(p.number[RAROG_PARAMETER_CG_PRUNE_KEEP_TOP] == 4); /* a tenth of 33, up */
	assert_true(p.number[RAROG_PARAMETER_STATIC_KEEP_TOP] == 4);
	assert_true(p.number[RAROG_PARAMETER_DYN_BASE_SOFT_THRESHOLD] == 1000);
	assert_true(p.number[RAROG_PARAMETER_DYN_BASE_HARD_THRESHOLD] == 100000);
	p = rarog_parameters_default();
	rarog_parameters_predict(&p, RAROG_PIPELINE_ADVANCED, &large);
	assert_true(p.number[RAROG_PARAMETER_CG_MODE] == RAROG_CG_SOFT);
	assert_true(p.number[RAROG_PARAMETER_CG_TRIM_LEVELS] == 16); /* half of 33, to even */
	assert_true(p.number[RAROG_PARAMETER_DYN_BASE_SOFT_THRESHOLD] == 10000);
	p = rarog_parameters_default();
	assert_int_equal(rarog_parameters_set(&p, "predict=later"), 0);
	rarog_parameters_predict(&p, RAROG_PIPELINE_ADVANCED, &large);
	assert_true(p.number[RAROG_PARAMETER_CG_MODE] == RAROG_CG_TOP_DOWN);
	assert_true(p.number[RAROG_PARAMETER_DIFF_CFG_MODE] == RAROG_DIFF_COLOUR);
	assert_true(p.number[RAROG_PARAMETER_STATIC_KEEP_TOP] == 5); /* below the branch */
	p = rarog_parameters_default();
	rarog_parameters_predict(&p, RAROG_PIPELINE_FULL, &small);
	assert_true(p.number[RAROG_PARAMETER_CG_PRUNE_KEEP_TOP] == 2); /* the least */
	assert_true(p.number[RAROG_PARAMETER_STATIC_KEEP_TOP] == 1);
}

TEST(wrong_parameters_are_refused)
{
	static const char *const wrong[] = {
		"cg-mode",
		"cg-mode=",
		"cg-mode=sideways",
		"cg-proj-levels=-1",
		"cg-proj-levels=1.5",
		"cg-proj-levels=x",
		"dyn-sample-step=0",
		"dyn-sample-step=inf",
		"diff-keep-leaf=2",
		"no-such=1",
		"cg-proj-levels=1e300",
		"diff-version=",
	};
	struct rarog_parameters p = rarog_parameters_default();

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(rarog_parameters_set(&p, wrong[i]), -EINVAL);
		assert_non_null(strstr(rarog_error_message(), wrong[i]));
	}
	assert_int_equal(rarog_parameters_set(&p, "cg-proj-level=3"), -EINVAL);
	assert_non_null(strstr(rarog_error_message(), "cg-proj-levels"));
}
