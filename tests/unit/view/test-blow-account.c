/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When it is said that delays are so short that a processor hides a part of them. */
#include <stdlib.h>
#include <string.h>

#include "blow/mode.h"
#include "unit.h"
#include "view/blow/account.h"

static bool says_hidden(const char *mode, enum rarog_noise kind, uint64_t delay_ns, double high)
{
	char name[] = "f";
	struct rarog_blow_function function = {
		.name = name,
		.has_estimate = true,
		.delay_ns = delay_ns,
		.answer = { .value = high - 0.1, .low = high - 0.2, .high = high },
	};
	struct rarog_blow_options options = { .mode = rarog_blow_modes, .kind = kind };
	struct rarog_blow_result result = { 0 };
	const struct rarog_blow_view view = { .options = &options, .result = &result };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	bool says;

	while (strcmp(options.mode->name, mode) != 0)
		options.mode++;
	result.corpus.v.v = &function;
	result.corpus.v.n = 1;
	rarog_blow_print_account(&view, out);
	fclose(out);
	says = strstr(text, "calls of 1 function were late by less than 100 ns, which a processor "
			    "hides in part; --noise-minimum=200ns says what longer delays cost\n");
	free(text);
	return says;
}

TEST(short_delays_that_surely_cost_less_than_themselves_are_said_to_be_hidden_in_part)
{
	assert_true(says_hidden("slow", RAROG_NOISE_BUSY, 20, 0.6));
	assert_true(says_hidden("slow", RAROG_NOISE_BUSY, 99, 0.99));
	assert_false(says_hidden("slow", RAROG_NOISE_BUSY, 20, 1.1));
	assert_false(says_hidden("slow", RAROG_NOISE_BUSY, 100, 0.6));
	assert_false(says_hidden("slow", RAROG_NOISE_YIELD, 20, 0.6));
	assert_false(says_hidden("causal", RAROG_NOISE_BUSY, 20, 0.6));
}
