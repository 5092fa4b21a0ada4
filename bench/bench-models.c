/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How often the class of growth is stated, and stated rightly: DRAWS of each of the functions of
 * growth-trials.h at each noise; a line "NOISE FUNCTION told right r2_right" each.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tests/unit/model/growth-trials.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "model/model.h"

struct tally {
	size_t told, right, right_by_r2;
	size_t classes[8];
};

static int draw(const struct growth_trial *trial, double noise, struct rarog_random *random,
		struct tally *tally)
{
	static const struct rarog_model_options options = { .errors = RAROG_ERRORS_AUTO };
	rarog_cleanup(rarog_models_release) struct rarog_models models = { 0 }, plain = { 0 };
	double x[GROWTH_POINTS], y[GROWTH_POINTS];
	struct rarog_choice choice, by_r2;
	int r;

	growth_draw(trial, noise, random, x, y);
	r = rarog_models_fit(GROWTH_POINTS, x, y, &options, &models);
	if (r == 0)
		r = rarog_models_fit(GROWTH_POINTS, x, y, NULL, &plain);
	if (r < 0)
		return r;
	rarog_models_choose(&models, RAROG_MODEL_AICC, &choice);
	rarog_models_choose(&plain, RAROG_MODEL_R2, &by_r2);
	tally->right_by_r2 += by_r2.growth == trial->growth;
	if (getenv("WHY") && !choice.is_told)
		fprintf(stderr, "%s: %s\n", trial->name, choice.reason);
	if (!choice.is_told)
		return 0;
	tally->told++;
	tally->right += choice.growth == trial->growth;
	tally->classes[choice.growth]++;
	return 0;
}

int main(int argc, char *argv[])
{
	static const double noises[] = { 0.05, 0.2 };
	int draws = argc > 1 ? atoi(argv[1]) : 1000;
	rarog_cleanup(rarog_random_freep) struct rarog_random *random =
		rarog_random_new(argc > 2 ? strtoull(argv[2], NULL, 10) : 1);

	for (size_t k = 0; random && k < RAROG_COUNT(noises); k++)
		for (size_t i = 0; i < GROWTH_TRIALS; i++) {
			struct tally tally = { 0 };

			for (int n = 0; n < draws; n++)
				if (draw(&growth_trials[i], noises[k], random, &tally) < 0) {
					fprintf(stderr, "%s\n", rarog_error_message());
					return 1;
				}
			printf("%g\t%s\t%zu\t%zu\t%zu", noises[k], growth_trials[i].name,
			       tally.told, tally.right, tally.right_by_r2);
			for (int c = 0; getenv("WHY") && c < 8; c++)
				printf("\t%zu", tally.classes[c]);
			printf("\n");
		}
	return random ? 0 : 1;
}
