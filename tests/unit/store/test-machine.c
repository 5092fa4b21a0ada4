/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Machines and conditions: read here, written, read again, compared. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "unit.h"

#include "base/cleanup.h"
#include "store/machine.h"

static json_t *written(const struct rarog_machine *machine)
{
	rarog_cleanup(rarog_freep) char *text = NULL;
	struct rarog_json json;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	json_t *value;

	rarog_json_start(&json, f, false);
	rarog_machine_write(&json, NULL, machine);
	assert_int_equal(rarog_json_finish(&json), 0);
	fclose(f);
	value = json_loads(text, 0, NULL);
	assert_true(json_is_object(value));
	return value;
}

TEST(this_machine)
{
	struct rarog_machine here = { 0 }, again = { 0 };
	struct rarog_machine_difference differences[RAROG_MACHINE_FACTS];
	struct utsname system;
	json_t *json;
	size_t n = 1;

	assert_int_equal(uname(&system), 0);
	assert_int_equal(rarog_machine_read(NULL, &here), 0);
	assert_string_equal(here.architecture, system.machine);
	assert_string_equal(here.kernel, system.release);
	assert_int_equal(here.cpus, sysconf(_SC_NPROCESSORS_ONLN));
	assert_true(here.memory_bytes > 1 << 20);
	assert_true(strncmp(here.libc, "glibc ", 6) == 0);
	json = written(&here);
	assert_int_equal(rarog_machine_parse(json, &again), 0);
	json_decref(json);
	assert_int_equal(rarog_machine_compare(&here, &again, differences, &n), RAROG_MACHINE_SAME);
	assert_int_equal(n, 0);
	rarog_machine_release(&here);
	rarog_machine_release(&again);
}

static struct rarog_machine parsed(const char *text)
{
	struct rarog_machine machine = { 0 };
	json_t *json = json_loads(text, 0, NULL);

	assert_int_equal(rarog_machine_parse(json, &machine), 0);
	json_decref(json);
	return machine;
}

TEST(classes)
{
	static const struct {
		const char *a, *b;
		enum rarog_machine_relation relation;
		size_t differences;
	} cases[] = {
		{ "{\"cpu\":\"A\",\"host\":\"x\"}", "{\"cpu\":\"A\",\"host\":\"y\"}",
		  RAROG_MACHINE_SAME, 0 },
		{ "{\"cpu\":\"A\",\"kernel\":\"6.1\"}", "{\"cpu\":\"A\",\"kernel\":\"6.2\"}",
		  RAROG_MACHINE_SAME_CLASS, 1 },
		{ "{\"cpu\":\"A\",\"cpus\":2}", "{\"cpu\":\"A\",\"cpus\":4}",
		  RAROG_MACHINE_OTHER_CLASS, 1 },
		/* kernels reserve a little more or less */
		{ "{\"memory_bytes\":8340000000}", "{\"memory_bytes\":8350000000}",
		  RAROG_MACHINE_SAME, 0 },
		{ "{\"memory_bytes\":8340000000}", "{\"memory_bytes\":16700000000}",
		  RAROG_MACHINE_OTHER_CLASS, 1 },
		/* the user's word replaces what was found out */
		{ "{\"cpu\":\"A\",\"class\":\"lab\"}", "{\"cpu\":\"B\",\"class\":\"lab\"}",
		  RAROG_MACHINE_SAME_CLASS, 1 },
		{ "{\"cpu\":\"A\",\"class\":\"lab\"}", "{\"cpu\":\"A\",\"class\":\"ci\"}",
		  RAROG_MACHINE_OTHER_CLASS, 1 },
	};

	for (size_t i = 0; i < RAROG_COUNT(cases); i++) {
		struct rarog_machine a = parsed(cases[i].a), b = parsed(cases[i].b);
		struct rarog_machine_difference differences[RAROG_MACHINE_FACTS];
		struct rarog_hash class_a, class_b;
		size_t n = 0;

		print_message("# case %zu\n", i);
		assert_int_equal(rarog_machine_compare(&a, &b, differences, &n), cases[i].relation);
		assert_int_equal(n, cases[i].differences);
		assert_int_equal(rarog_machine_class(&a, &class_a), 0);
		assert_int_equal(rarog_machine_class(&b, &class_b), 0);
		assert_int_equal(rarog_hash_equal(&class_a, &class_b),
				 cases[i].relation != RAROG_MACHINE_OTHER_CLASS);
		rarog_machine_release(&a);
		rarog_machine_release(&b);
	}
}

TEST(wrong_facts_are_unknown)
{
	struct rarog_machine machine =
		parsed("{\"cpu\":5,\"cpus\":\"many\",\"memory_bytes\":-1,\"turbo\":\"x\"}");

	assert_null(machine.cpu);
	assert_int_equal(machine.cpus, 0);
	assert_int_equal(machine.memory_bytes, 0);
	assert_int_equal(machine.turbo, -1);
	rarog_machine_release(&machine);
	assert_int_equal(rarog_machine_parse(NULL, &machine), 0);
	rarog_machine_release(&machine);
}

static size_t reasons(const struct rarog_conditions *before, const struct rarog_conditions *after,
		      bool is_noisy)
{
	rarog_cleanup(rarog_freep) char *text = NULL;
	struct rarog_json json;
	size_t size, n;
	FILE *f = open_memstream(&text, &size);
	json_t *value;

	rarog_json_start(&json, f, false);
	assert_int_equal(rarog_conditions_write(&json, NULL, before, after), is_noisy);
	assert_int_equal(rarog_json_finish(&json), 0);
	fclose(f);
	value = json_loads(text, 0, NULL);
	n = json_array_size(json_object_get(value, "noisy"));
	json_decref(value);
	return n;
}

TEST(noise_is_said)
{
	const struct rarog_conditions quiet = { .temperature_mc = INT64_MIN, .all_ticks = 1000 };
	struct rarog_conditions before = quiet, after = quiet;

	after.all_ticks = 2000;
	assert_int_equal(reasons(&before, &after, false), 0);
	before.load = 100.0 * (double)sysconf(_SC_NPROCESSORS_ONLN);
	assert_int_equal(reasons(&before, &after, true), 1);
	after.steal_ticks = 100; /* a tenth of the time */
	assert_int_equal(reasons(&before, &after, true), 2);
	after.throttles = 1;
	assert_int_equal(reasons(&before, &after, true), 3);
	before.load = 0;
	after.steal_ticks = 10; /* one in a hundred */
	after.throttles = 0;
	assert_int_equal(reasons(&before, &after, false), 0);
	rarog_conditions_read(&before);
	assert_true(before.all_ticks > 0 && before.busy_ticks <= before.all_ticks);
}
