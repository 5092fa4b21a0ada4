/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pairs of headers that differ in one thing, and what is to be said about it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "base/cleanup.h"
#include "base/str.h"
#include "store/compatible.h"

#define ALL     RAROG_COMPARABLE_ALL
#define NOTED   RAROG_COMPARABLE_NOTED
#define COUNTS  RAROG_COMPARABLE_COUNTS
#define NOTHING RAROG_COMPARABLE_NOTHING

/* Headers are "{" JOB "," the pair's own "}". */
#define JOB   "\"command\":[\"./p\",\"-x\"],\"workload\":\"w\",\"collector\":\"trace\""
#define TELLS "\"tells_measured\":true,\"parameters\":"
#define CPU   "\"machine\":{\"cpu\":\"A\",\"cpus\":2,\"memory_bytes\":8589934592,\"kernel\":\"6.1\"}"

static const struct pair {
	const char *a, *b; /* whole headers without the braces */
	enum rarog_comparable comparable;
	const char *reasons; /* "aspect: words", one a line, the worst first */
} pairs[] = {
	{ JOB, JOB, ALL, "" },
	{ JOB "," CPU, JOB "," CPU, ALL, "" },
	/* versions are what is compared */
	{ JOB ",\"commit\":\"1\",\"dirty\":true", JOB ",\"commit\":\"2\"", ALL, "" },
	/* job */
	{ "\"command\":[\"./p\"]", "\"command\":[\"./q\"]", NOTHING,
	  "job: different commands: './p' and './q'\n" },
	{ "\"command\":[\"old/p\"]", "\"command\":[\"/new/p\"]", NOTED,
	  "job: the program has two paths: 'old/p' and '/new/p'\n" },
	{ "\"command\":[\"p\",\"a b\"]", "\"command\":[\"p\",\"c\"]", NOTHING,
	  "job: different arguments: ''a b'' and 'c'\n" },
	{ "\"workload\":\"w\"", "\"workload\":\"v\"", NOTHING,
	  "job: different workloads: 'w' and 'v'\n" },
	{ "\"workload\":{\"name\":\"w\",\"number\":1}",
	  "\"workload\":{\"name\":\"w\",\"number\":2}", NOTHING,
	  "job: different workloads: 'w' and 'w'\n" },
	{ "\"configuration\":{\"level\":\"1\",\"fast\":\"true\"}",
	  "\"configuration\":{\"fast\":\"true\",\"level\":\"1\"}", ALL, "" },
	{ "\"configuration\":{\"level\":\"1\",\"fast\":\"true\"}",
	  "\"configuration\":{\"level\":\"9\"}", NOTHING,
	  "job: different options of the program: fast=true level=1 and level=9\n" },
	{ "\"configuration\":{\"level\":\"1\"}", "\"workload\":\"\"", NOTHING,
	  "job: different options of the program: level=1 and none\n" },
	/* the job's words count, not those of the command line */
	{ "\"command\":[\"/a/p\"],\"job\":{\"command\":\"p\",\"name\":\"one\"}",
	  "\"command\":[\"/b/q\"],\"job\":{\"command\":\"p\",\"name\":\"two\"}", ALL, "" },
	/* collector */
	{ "\"collector\":\"trace\"", "\"collector\":\"time\"", NOTHING,
	  "collector: different collectors: 'trace' and 'time'\n" },
	{ "\"collector\":\"trace\",\"engine\":\"inline\"",
	  "\"collector\":\"trace\",\"engine\":\"vex\"", NOTHING,
	  "collector: different engines: 'inline' and 'vex'\n" },
	{ "\"parameters\":{\"func\":[\"f\"]}", "\"parameters\":{}", COUNTS,
	  "collector: different parameters of the collector: func [\"f\"] and none\n" },
	{ "\"parameters\":{\"e\":1,\"func\":[\"a_long_name\",\"another_name\",\"ünö\",\"more\"],"
	  "\"g\":2,\"h\":3}",
	  "\"parameters\":{\"e\":1,\"i\":4,\"j\":5}", COUNTS,
	  "collector: different parameters of the collector: "
	  "func [\"a_long_name\",\"another_name\",\"ünö\",\"m… and none, g 2 and none, h 3 and "
	  "none, "
	  "and 2 more\n" },
	/* collect writes every parameter, run those that differ from the usual */
	{ "\"parameters\":{\"func\":[],\"libs\":false,\"follow\":true,\"max_size_bytes\":9}",
	  "\"parameters\":{}", ALL, "" },
	/* where profiles tell how each function was measured, which of them is no obstacle … */
	{ TELLS "{\"func\":[\"f\"],\"exclude\":[\"g\"]}", TELLS "{}", NOTED,
	  "collector: different parameters of the collector: exclude [\"g\"] and none, func "
	  "[\"f\"] and none\n" },
	/* … but they do not tell of libraries and marks that nobody asked for */
	{ TELLS "{\"at\":[\"a.c:5\"]}", TELLS "{\"at\":[\"a.c:5#7\"]}", COUNTS,
	  "collector: different parameters of the collector: at [\"a.c:5\"] and "
	  "[\"a.c:5#7\"]\n" },
	{ TELLS "{\"usdt\":[\"m\"]}", TELLS "{\"no_usdt\":true}", COUNTS,
	  "collector: different parameters of the collector: usdt [\"m\"] and none, no_usdt "
	  "none and true\n" },
	{ TELLS "{\"libs\":true}", TELLS "{}", COUNTS,
	  "collector: different parameters of the collector: libs true and none\n" },
	{ "\"parameters\":{\"follow\":false}", "\"parameters\":{\"libs\":true}", COUNTS,
	  "collector: different parameters of the collector: follow false and none, "
	  "libs none and true\n" },
	{ "\"probe_cost\":{\"compensated\":true}", "\"probe_cost\":{}", COUNTS,
	  "collector: the cost of probes is taken off the times of the older only\n" },
	{ "\"probe_cost\":{\"compensated\":true}",
	  "\"probe_cost\":{\"compensated\":true,\"ordered\":true}", COUNTS,
	  "collector: probes waited for what came before them in the run of the newer only\n" },
	{ "\"detail\":\"calls\"", "\"detail\":\"summary\"", NOTED,
	  "collector: different details: calls and summary\n" },
	/* machine */
	{ CPU,
	  "\"machine\":{\"cpu\":\"B\",\"cpus\":2,\"memory_bytes\":8589934592,\"kernel\":\"6.2\"}",
	  COUNTS, "machine: machines of different classes: cpu A and B\n" },
	{ CPU,
	  "\"machine\":{\"cpu\":\"A\",\"cpus\":2,\"memory_bytes\":8589934593,\"kernel\":\"6.2\"}",
	  NOTED, "machine: the machine changed: kernel 6.1 and 6.2\n" },
	{ CPU, "\"machine\":{\"cpu\":\"A\",\"cpus\":4,\"kernel\":\"6.1\"}", COUNTS,
	  "machine: machines of different classes: cpus 2 and 4, memory_bytes 8 GiB and "
	  "unknown\n" },
	{ CPU, "\"dirty\":false", COUNTS,
	  "machine: the newer does not say on which machine it was measured\n" },
	{ "\"machine\":{\"class\":\"x\",\"cpu\":\"A\"}",
	  "\"machine\":{\"class\":\"x\",\"cpu\":\"B\"}", ALL, "" },
	{ "\"machine\":{\"class\":\"x\",\"cpu\":\"A\"}",
	  "\"machine\":{\"class\":\"y\",\"cpu\":\"A\"}", COUNTS,
	  "machine: machines of different classes: class x and y\n" },
	/* compilers and flags */
	{ "\"software\":{\"compilers\":{\"GNU C17 12\":[\"-O2\"]}}",
	  "\"software\":{\"compilers\":{\"GNU C17 13\":[\"-O3\"]}}", NOTED,
	  "compiler: different compilers: GNU C17 12 and GNU C17 13\n" },
	{ "\"software\":{\"compilers\":{\"a\":[],\"b\":[]}}",
	  "\"software\":{\"compilers\":{\"b\":[]}}", NOTED,
	  "compiler: only the older has code of a\n" },
	{ "\"software\":{\"compilers\":{\"b\":[]}}",
	  "\"software\":{\"compilers\":{\"a\":[],\"b\":[]}}", NOTED,
	  "compiler: only the newer has code of a\n" },
	{ "\"software\":{}", "\"software\":{\"compilers\":{\"a\":[]}}", NOTED,
	  "compiler: the older does not say by which compiler it was built\n" },
	{ "\"software\":{\"compilers\":{\"a\":[\"-g\",\"-O2 -g\"]}}",
	  "\"software\":{\"compilers\":{\"a\":[\"-O3 -g\",\"-g\"]}}", NOTED,
	  "flags: different flags of a: '-O2 -g' and '-O3 -g'\n" },
	{ "\"software\":{\"compilers\":{\"a\":[\"-g\",\"-O2 -g\"]}}",
	  "\"software\":{\"compilers\":{\"a\":[\"-g\"]}}", NOTED,
	  "flags: different flags of a: '-O2 -g' and others\n" },
	/* libraries */
	{ "\"software\":{\"libc\":\"glibc 2.36\",\"build_id\":\"1\"}",
	  "\"software\":{\"libc\":\"glibc 2.37\",\"build_id\":\"2\"}", NOTED,
	  "libraries: different C libraries: glibc 2.36 and glibc 2.37\n" },
	{ "\"software\":{\"libraries\":{\"libm.so.6\":\"1\",\"libz.so.1\":\"2\",\"liba.so\":\"3\"}"
	  "}",
	  "\"software\":{\"libraries\":{\"libm.so.6\":\"1\",\"libz.so.1\":\"4\",\"libb.so\":\"3\"}"
	  "}",
	  NOTED,
	  "libraries: different builds of libz.so.1\n"
	  "libraries: only one of the two loaded liba.so, libb.so\n" },
	/* conditions */
	{ "\"conditions\":{\"noisy\":[\"load\",\"throttled\"]}", "\"conditions\":{\"noisy\":[]}",
	  NOTED, "conditions: the machine was not quiet during the older: load, throttled\n" },
	/* the worst first */
	{ "\"workload\":\"w\",\"collector\":\"t\",\"detail\":\"calls\"," CPU,
	  "\"workload\":\"v\",\"collector\":\"t\",\"detail\":\"summary\","
	  "\"machine\":{\"cpu\":\"A\",\"cpus\":4,\"memory_bytes\":8589934592}",
	  NOTHING,
	  "job: different workloads: 'w' and 'v'\n"
	  "machine: machines of different classes: cpus 2 and 4\n"
	  "collector: different details: calls and summary\n" },
	/* members of wrong types are not there */
	{ "\"software\":[1],\"machine\":3,\"conditions\":\"x\"",
	  "\"software\":{\"compilers\":[2],\"libraries\":3},\"conditions\":{\"noisy\":[1]}", ALL,
	  "" },
};

static void facts_of(const char *members, struct rarog_facts *ret_facts)
{
	rarog_cleanup(rarog_freep) char *header = rarog_asprintf("{%s}", members);

	assert_int_equal(rarog_facts_parse("header", header, ret_facts), 0);
}

TEST(what_is_said_of_pairs)
{
	for (size_t i = 0; i < RAROG_COUNT(pairs); i++) {
		rarog_cleanup(rarog_compatibility_release) struct rarog_compatibility c = { 0 };
		rarog_cleanup(rarog_str_release) struct rarog_str reasons = { 0 };
		struct rarog_facts a, b;

		facts_of(pairs[i].a, &a);
		facts_of(pairs[i].b, &b);
		assert_int_equal(rarog_compatible(&a, &b, &c), 0);
		for (size_t j = 0; j < c.why.n; j++)
			rarog_str_addf(&reasons, "%s: %s\n", rarog_aspect_names[c.why.v[j].aspect],
				       c.why.v[j].words);
		assert_string_equal(rarog_str_text(&reasons), pairs[i].reasons);
		assert_int_equal(c.comparable, pairs[i].comparable);
		rarog_facts_release(&a);
		rarog_facts_release(&b);
	}
}
