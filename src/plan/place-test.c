/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/place-test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "plan/place-set.h"

#define VARIABLE "RAROG_TEST_PLACES"

/* "sample:5": RAROG_ACTION_SAMPLE and 5. -1: it is none. */
static int read_action(const char *text, size_t n, uint32_t *ret_n)
{
	const char *colon = memchr(text, ':', n);
	size_t length = colon ? (size_t)(colon - text) : n;

	*ret_n = colon ? (uint32_t)strtoul(colon + 1, NULL, 10) : 0;
	for (int i = 0; rarog_action_names[i]; i++)
		if (strlen(rarog_action_names[i]) == length &&
		    strncmp(rarog_action_names[i], text, length) == 0)
			return i;
	return -1;
}

static void set_function(struct rarog_place_set *set, const struct rarog_function *function,
			 int action, uint32_t n)
{
	struct rarog_plan_place *place = rarog_place_set_function(set, function->address);

	if (!place || !rarog_place_is_measured(place))
		return;
	place->action = (uint8_t)action;
	place->n = n;
	place->reason = "test";
}

/* One "NAME=ACTION", @length bytes long. */
static void apply(const struct rarog_binary *binary, struct rarog_place_set *set, const char *word,
		  size_t length)
{
	const struct rarog_function *functions;
	size_t n = rarog_binary_functions(binary, &functions);
	size_t name = (size_t)((const char *)memchr(word, '=', length) - word);
	uint32_t number;
	int action = read_action(word + name + 1, length - name - 1, &number);

	for (size_t i = 0; i < n; i++)
		if (strlen(functions[i].name) == name &&
		    strncmp(functions[i].name, word, name) == 0)
			set_function(set, &functions[i], action, number);
}

static int decide(void *user, struct rarog_binary *binary, struct rarog_place_set *set)
{
	for (const char *word = user; *word; word += strspn(word, " ")) {
		size_t n = strcspn(word, " ");

		apply(binary, set, word, n);
		word += n;
	}
	return 0;
}

int rarog_place_test(struct rarog_plan *plan)
{
	char *text = getenv(VARIABLE);
	uint32_t number;

	for (const char *word = text; word && *word; word += strspn(word, " ")) {
		size_t n = strcspn(word, " ");
		const char *equals = memchr(word, '=', n);

		if (!equals ||
		    read_action(equals + 1, n - (size_t)(equals + 1 - word), &number) < 0)
			return rarog_fail(-EINVAL, VARIABLE "=%s: expected NAME=ACTION", text);
		word += n;
	}
	if (text && *text)
		plan->judge = (struct rarog_place_judge){ decide, text };
	return 0;
}
