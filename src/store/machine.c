/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Machines as tables of facts: written, read, hashed and compared by the same rows. What belongs to
 * the class is what changes times by itself and cannot be set by the user of a machine between two
 * runs; memory counts in GiB because kernels reserve a little more or less of it.
 */
#include "store/machine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"
#include "store/json-text.h"
#include "store/machine-facts.h"

#define FACT(name_, member, type_, class_, identity_)                                              \
	{                                                                                          \
		.name = name_, .offset = offsetof(struct rarog_machine, member), .type = type_,    \
		.is_of_class = class_, .is_identity = identity_                                    \
	}

const struct rarog_fact rarog_facts_of_machine[] = {
	FACT("architecture", architecture, RAROG_FACT_TEXT, true, true),
	FACT("cpu", cpu, RAROG_FACT_TEXT, true, true),
	FACT("cpu_signature", cpu_signature, RAROG_FACT_TEXT, true, true),
	FACT("cpus", cpus, RAROG_FACT_U32, true, true),
	FACT("cores", cores, RAROG_FACT_U32, true, true),
	FACT("virtualization", virtualization, RAROG_FACT_TEXT, true, true),
	FACT("memory_bytes", memory_bytes, RAROG_FACT_U64, true, true),
	FACT("class", given_class, RAROG_FACT_TEXT, true, true),
	FACT("kernel", kernel, RAROG_FACT_TEXT, false, true),
	FACT("system", system, RAROG_FACT_TEXT, false, true),
	FACT("libc", libc, RAROG_FACT_TEXT, false, true),
	FACT("microcode", microcode, RAROG_FACT_TEXT, false, true),
	FACT("governor", governor, RAROG_FACT_TEXT, false, true),
	FACT("driver", driver, RAROG_FACT_TEXT, false, true),
	FACT("turbo", turbo, RAROG_FACT_SWITCH, false, true),
	FACT("aslr", aslr, RAROG_FACT_SWITCH, false, true),
	FACT("host", host, RAROG_FACT_TEXT, false, false),
};

const size_t rarog_n_facts_of_machine = RAROG_COUNT(rarog_facts_of_machine);

_Static_assert(RAROG_COUNT(rarog_facts_of_machine) <= RAROG_MACHINE_FACTS, "room for differences");

static const void *member(const struct rarog_machine *machine, const struct rarog_fact *fact)
{
	return (const char *)machine + fact->offset;
}

static const char *text_of(const struct rarog_machine *machine, const struct rarog_fact *fact)
{
	return *(char *const *)member(machine, fact);
}

/* --- JSON --- */

void rarog_machine_write(struct rarog_json *json, const char *key,
			 const struct rarog_machine *machine)
{
	rarog_json_object(json, key);
	for (size_t i = 0; i < rarog_n_facts_of_machine; i++) {
		const struct rarog_fact *fact = &rarog_facts_of_machine[i];
		const void *value = member(machine, fact);

		if (fact->type == RAROG_FACT_TEXT && text_of(machine, fact))
			rarog_json_string(json, fact->name, text_of(machine, fact));
		else if (fact->type == RAROG_FACT_U32 && *(const uint32_t *)value)
			rarog_json_uint(json, fact->name, *(const uint32_t *)value);
		else if (fact->type == RAROG_FACT_U64 && *(const uint64_t *)value)
			rarog_json_uint(json, fact->name, *(const uint64_t *)value);
		else if (fact->type == RAROG_FACT_SWITCH && *(const int *)value >= 0)
			rarog_json_int(json, fact->name, *(const int *)value);
	}
	rarog_json_end_object(json);
}

int rarog_machine_parse(const json_t *object, struct rarog_machine *ret_machine)
{
	rarog_cleanup(rarog_machine_release) struct rarog_machine machine = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < rarog_n_facts_of_machine; i++) {
		const struct rarog_fact *fact = &rarog_facts_of_machine[i];
		const json_t *value = json_object_get(object, fact->name);
		char *at = (char *)&machine + fact->offset;

		if (fact->type == RAROG_FACT_TEXT)
			r = rarog_json_copy(object, fact->name, (char **)(void *)at);
		else if (fact->type == RAROG_FACT_U32)
			*(uint32_t *)(void *)at = (uint32_t)rarog_json_amount(object, fact->name);
		else if (fact->type == RAROG_FACT_U64)
			*(uint64_t *)(void *)at = rarog_json_amount(object, fact->name);
		else
			*(int *)(void *)at =
				json_is_integer(value) && json_integer_value(value) >= 0
					? (int)(json_integer_value(value) & 0xff)
					: -1;
	}
	if (r < 0)
		return r;
	*ret_machine = rarog_take_struct(machine);
	return 0;
}

void rarog_machine_release(struct rarog_machine *machine)
{
	for (size_t i = 0; i < rarog_n_facts_of_machine; i++)
		if (rarog_facts_of_machine[i].type == RAROG_FACT_TEXT)
			free(*(char **)(void *)((char *)machine +
						rarog_facts_of_machine[i].offset));
	*machine = (struct rarog_machine){ 0 };
}

/* --- values as text: what is hashed and compared --- */

static uint64_t gib_of(uint64_t bytes)
{
	return (bytes + (1u << 29)) >> 30;
}

static void value_of(const struct rarog_machine *machine, const struct rarog_fact *fact,
		     size_t size, char text[])
{
	const void *value = member(machine, fact);
	const char *words = fact->type == RAROG_FACT_TEXT ? text_of(machine, fact) : NULL;

	if (fact->type == RAROG_FACT_TEXT)
		snprintf(text, size, "%s", words ? words : "");
	else if (fact->type == RAROG_FACT_U32)
		snprintf(text, size, "%u", *(const uint32_t *)value);
	else if (fact->type == RAROG_FACT_U64)
		snprintf(text, size, "%llu GiB",
			 (unsigned long long)gib_of(*(const uint64_t *)value));
	else
		snprintf(text, size, "%d", *(const int *)value);
}

static int hash_facts(const struct rarog_machine *machine,
		      bool (*wanted)(const struct rarog_fact *), struct rarog_hash *ret_hash)
{
	rarog_cleanup(rarog_str_release) struct rarog_str all = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < rarog_n_facts_of_machine; i++) {
		const struct rarog_fact *fact = &rarog_facts_of_machine[i];
		char text[512];

		if (!wanted(fact))
			continue;
		value_of(machine, fact, sizeof(text), text);
		if (*text)
			r = rarog_str_addf(&all, "%s=%s\n", fact->name, text);
	}
	if (r < 0)
		return rarog_oom();
	rarog_hash_bytes(all.length, rarog_str_text(&all), ret_hash);
	return 0;
}

static bool is_class_fact(const struct rarog_fact *fact)
{
	return fact->is_of_class;
}

static bool is_identity_fact(const struct rarog_fact *fact)
{
	return fact->is_identity;
}

int rarog_machine_key(const struct rarog_machine *machine, struct rarog_hash *ret_key)
{
	return hash_facts(machine, is_identity_fact, ret_key);
}

int rarog_machine_class(const struct rarog_machine *machine, struct rarog_hash *ret_class)
{
	const struct rarog_machine named = { .given_class = machine->given_class };

	return hash_facts(machine->given_class ? &named : machine, is_class_fact, ret_class);
}

/* --- comparing --- */

static bool is_known(const struct rarog_machine *machine, const struct rarog_fact *fact)
{
	const void *value = member(machine, fact);

	if (fact->type == RAROG_FACT_TEXT)
		return text_of(machine, fact) != NULL;
	if (fact->type == RAROG_FACT_U32)
		return *(const uint32_t *)value > 0;
	if (fact->type == RAROG_FACT_U64)
		return *(const uint64_t *)value > 0;
	return *(const int *)value >= 0;
}

static bool differ(const struct rarog_machine *a, const struct rarog_machine *b,
		   const struct rarog_fact *fact, struct rarog_machine_difference *ret)
{
	*ret = (struct rarog_machine_difference){ .fact = fact->name,
						  .is_of_class = fact->is_of_class };
	if (is_known(a, fact))
		value_of(a, fact, sizeof(ret->a), ret->a);
	if (is_known(b, fact))
		value_of(b, fact, sizeof(ret->b), ret->b);
	return strcmp(ret->a, ret->b) != 0;
}

enum rarog_machine_relation rarog_machine_compare(
	const struct rarog_machine *a, const struct rarog_machine *b,
	struct rarog_machine_difference ret_differences[RAROG_MACHINE_FACTS], size_t *ret_n)
{
	struct rarog_hash class_a, class_b;
	bool is_other = false;
	size_t n = 0;

	for (size_t i = 0; i < rarog_n_facts_of_machine; i++) /* class facts come first there */
		if (rarog_facts_of_machine[i].is_identity &&
		    differ(a, b, &rarog_facts_of_machine[i], &ret_differences[n]))
			n++;
	*ret_n = n;
	if (n == 0)
		return RAROG_MACHINE_SAME;
	if (rarog_machine_class(a, &class_a) < 0 || rarog_machine_class(b, &class_b) < 0)
		is_other = true; /* no memory: the careful answer */
	else
		is_other = !rarog_hash_equal(&class_a, &class_b);
	return is_other ? RAROG_MACHINE_OTHER_CLASS : RAROG_MACHINE_SAME_CLASS;
}
