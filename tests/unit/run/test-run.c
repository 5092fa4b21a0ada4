/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Jobs read from settings, workloads generated, matrices multiplied out. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"

#include "base/error.h"
#include "base/file.h"
#include "run/file-number.h"
#include "run/splitmix.h"
#include "run/task.h"

/* --- words --- */

static void expect_words(const char *text, const char *joined)
{
	rarog_cleanup(rarog_words_release) struct rarog_words words = { 0 };
	rarog_cleanup(rarog_str_release) struct rarog_str line = { 0 };

	if (rarog_words_split(text, &words) < 0)
		fail_msg("%s: %s", text, rarog_error_message());
	for (size_t i = 0; i < words.list.n; i++)
		rarog_str_addf(&line, "[%s]", words.list.v[i]);
	assert_string_equal(rarog_str_text(&line), joined);
	if (words.list.n > 0)
		assert_null(words.list.v[words.list.n]);
}

/* The expectations are what sh -c 'printf "[%s]" …' prints. */
TEST(words_as_a_shell_splits_them)
{
	expect_words("", "");
	expect_words("  \t ", "");
	expect_words("a  b\tc", "[a][b][c]");
	expect_words("'a b'\"c d\"e", "[a bc de]");
	expect_words("'' \"\"", "[][]");
	expect_words("a\\ b \\'", "[a b][']");
	expect_words("\"a\\\"b\\c\"", "[a\"b\\c]");
	expect_words("'$x | \\'", "[$x | \\]");
	expect_words("*.c ~ {workload}", "[*.c][~][{workload}]");
}

TEST(what_only_a_shell_can_do_is_refused)
{
	static const char *const bad[] = { "a | b", "a > b",  "$x",   "`x`", "a; b", "a &",
					   "(a)",   "\"$x\"", "a\nb", "'a",  "\"a" };

	for (size_t i = 0; i < RAROG_COUNT(bad); i++) {
		struct rarog_words words = { 0 };

		assert_int_equal(rarog_words_split(bad[i], &words), -EINVAL);
		assert_true(strlen(rarog_error_message()) > 10);
		rarog_words_release(&words);
	}
}

/* --- settings --- */

struct reading {
	struct rarog_yaml_file file;
	struct rarog_run_spec spec;
};

static int read_settings(struct reading *reading, const char *text)
{
	struct rarog_run_sections sections;

	*reading = (struct reading){ 0 };
	if (rarog_yaml_parse("s.yml", strlen(text), text, &reading->file) < 0)
		fail_msg("%s", rarog_error_message());
	sections = (struct rarog_run_sections){
		.build = rarog_yaml_get(reading->file.root, "build"),
		.matrix = rarog_yaml_get(reading->file.root, "matrix"),
		.jobs = rarog_yaml_get(reading->file.root, "jobs"),
		.workloads = rarog_yaml_get(reading->file.root, "workloads"),
	};
	return rarog_run_spec_read(&sections, &reading->spec);
}

static void release_reading(struct reading *reading)
{
	rarog_run_spec_release(&reading->spec);
	rarog_yaml_release(&reading->file);
}

static int expand(struct reading *reading, const char *directory, struct rarog_tasks *tasks)
{
	const struct rarog_generator_place place = { .directory = directory, .root = "." };
	int r = 0;

	*tasks = (struct rarog_tasks){ 0 };
	for (size_t i = 0; r == 0 && i < reading->spec.matrices.n; i++)
		r = rarog_tasks_add(&reading->spec, &reading->spec.matrices.v[i], &place, tasks);
	return r;
}

static void expect_tasks(const char *settings, const char *expected)
{
	rarog_cleanup(rarog_str_release) struct rarog_str all = { 0 };
	struct reading reading;
	struct rarog_tasks tasks;

	if (read_settings(&reading, settings) < 0 || expand(&reading, ".", &tasks) < 0)
		fail_msg("%s", rarog_error_message());
	for (size_t i = 0; i < tasks.list.n; i++) {
		rarog_task_line(&tasks.list.v[i], &all);
		for (size_t k = 0; k < tasks.list.v[i].words.list.n; k++)
			rarog_str_addf(&all, "[%s]", tasks.list.v[i].words.list.v[k]);
		rarog_str_add(&all, "\n");
	}
	assert_string_equal(rarog_str_text(&all), expected);
	rarog_tasks_release(&tasks);
	release_reading(&reading);
}

TEST(a_matrix_is_multiplied_out)
{
	expect_tasks("matrix: {commands: [a, b -x], args: ['', -v], workloads: [w, n]}\n"
		     "workloads: {n: {type: integer, min: 3, max: 7, step: 4}}\n",
		     "a w (trace)[a][w]\na n:3 (trace)[a][3]\na n:7 (trace)[a][7]\n"
		     "a -v w (trace)[a][-v][w]\na -v n:3 (trace)[a][-v][3]\n"
		     "a -v n:7 (trace)[a][-v][7]\n"
		     "b -x w (trace)[b][-x][w]\nb -x n:3 (trace)[b][-x][3]\n"
		     "b -x n:7 (trace)[b][-x][7]\n"
		     "b -x -v w (trace)[b][-x][-v][w]\nb -x -v n:3 (trace)[b][-x][-v][3]\n"
		     "b -x -v n:7 (trace)[b][-x][-v][7]\n");
}

TEST(the_workload_goes_where_it_is_wanted)
{
	expect_tasks("jobs:\n  j: {command: 'a --size={workload} -', workload: [1 2]}\n",
		     "j: a --size={workload} - 1 2 (trace)[a][--size=1 2][-]\n");
	expect_tasks("jobs:\n- {command: a, args: '{workload} {workload}', workload: x}\n",
		     "a {workload} {workload} x (trace)[a][x][x]\n");
	expect_tasks("matrix: {command: a, workload: x, input: stdin}\n", "a x (trace)[a]\n");
}

TEST(options_are_multiplied_out)
{
	expect_tasks("matrix: {command: a, workloads: [w, v], options: {level: [1, 9], k: 2}}\n",
		     "a w k=2 level=1 (trace)[a][--level=1][-k][2][w]\n"
		     "a w k=2 level=9 (trace)[a][--level=9][-k][2][w]\n"
		     "a v k=2 level=1 (trace)[a][--level=1][-k][2][v]\n"
		     "a v k=2 level=9 (trace)[a][--level=9][-k][2][v]\n");
	expect_tasks("matrix: {command: a, option: {b: [x, w], c: [no, yes]}}\n",
		     "a b=x c=false (trace)[a][-b][x]\na b=x c=true (trace)[a][-b][x][-c]\n"
		     "a b=w c=false (trace)[a][-b][w]\na b=w c=true (trace)[a][-b][w][-c]\n");
}

TEST(an_option_comes_as_its_flag_says)
{
	expect_tasks("matrix: {command: a, options: {l: {flag: '-%v', values: [1, 6]}}}\n",
		     "a l=1 (trace)[a][-1]\na l=6 (trace)[a][-6]\n");
	expect_tasks("matrix: {command: a, options: {l: {flag: --to --level, value: 1}}}\n",
		     "a l=1 (trace)[a][--to][--level][1]\n");
	expect_tasks("matrix: {command: a, options: {f: {flag: -x fast, values: [off, on]}}}\n",
		     "a f=false (trace)[a]\na f=true (trace)[a][-x][fast]\n");
	/* where the flag has a place for it, "on" is a word, as it is in quotes */
	expect_tasks("matrix: {command: a, options: {c: {flag: '-c=%v', values: [off, on]}}}\n",
		     "a c=off (trace)[a][-c=off]\na c=on (trace)[a][-c=on]\n");
	expect_tasks("matrix: {command: a, options: {c: {flag: '-c=%v', value: 'true'}}}\n",
		     "a c=true (trace)[a][-c=true]\n");
	expect_tasks("matrix: {command: a, options: {color: ['off', 'two words']}}\n",
		     "a color=off (trace)[a][--color=off]\n"
		     "a color='two words' (trace)[a][--color=two words]\n");
}

TEST(an_option_goes_where_it_is_wanted)
{
	expect_tasks("jobs:\n  j: {command: 'a -{l}', args: 'x{m}{l} {workload}', workload: w, "
		     "options: {l: [1, 2], m: {flag: -m, value: yes}}}\n",
		     "j: a -{l} x{m}{l} {workload} w l=1 m=true (trace)[a][-1][xtrue1][w]\n"
		     "j: a -{l} x{m}{l} {workload} w l=2 m=true (trace)[a][-2][xtrue2][w]\n");
}

TEST(an_option_may_be_a_variable_of_the_environment)
{
	struct reading reading;
	struct rarog_tasks tasks;

	assert_int_equal(read_settings(&reading, "matrix: {command: a, environment: [A=1, 'N={n}'],"
						 " options: {n: [2, 4], x: 5}}"),
			 0);
	assert_int_equal(expand(&reading, ".", &tasks), 0);
	assert_int_equal(tasks.list.n, 2);
	assert_string_equal(tasks.list.v[1].environment.list.v[0], "A=1");
	assert_string_equal(tasks.list.v[1].environment.list.v[1], "N=4");
	assert_int_equal(tasks.list.v[1].words.list.n, 3); /* a -x 5 */
	rarog_tasks_release(&tasks);
	release_reading(&reading);
}

TEST(the_same_job_is_there_once)
{
	expect_tasks("matrix: {commands: [a, a], collectors: [trace, {name: trace, parameters: "
		     "{detail: calls, libs: no}}, {name: trace, parameters: {libs: yes}}]}\n",
		     "a (trace)[a]\na (trace)[a]\n");
}

/* Whatever changes what is measured makes another job; what does not, does not. */
TEST(identity_of_jobs)
{
	static const char *const others[] = {
		"build: cc\nmatrix: {command: a}",
		"build: {command: make}\nmatrix: {command: b}",
		"build: make\nmatrix: {command: a, environment: X=1}",
		"build: make\nmatrix: {command: a, pre-run: x}",
		"build: make\nmatrix: {command: a, args: -v}",
		"build: make\nmatrix: {command: a, workload: w}",
		"build: make\nmatrix: {command: a, options: {l: 1}}",
		("build: make\nmatrix: {command: a, collector: {name: trace, parameters: {detail: "
		 "count}}}"),
	};
	static const char *const same[] = {
		"build: [make]\njobs: {named: {commands: [a]}}",
		"build: {command: make, timeout: 3s}\nmatrix: {command: a, repeat: 3, timeout: 5s, "
		"warmup: 1, untraced: 4, post: x, status: [0, 1]}",
	};
	struct rarog_hash key;
	struct reading reading;
	struct rarog_tasks tasks;

	assert_int_equal(read_settings(&reading, "build: make\nmatrix: {command: a}"), 0);
	assert_int_equal(expand(&reading, ".", &tasks), 0);
	key = tasks.list.v[0].job.key;
	rarog_tasks_release(&tasks);
	release_reading(&reading);
	for (size_t i = 0; i < RAROG_COUNT(others) + RAROG_COUNT(same); i++) {
		bool is_same = i >= RAROG_COUNT(others);

		assert_int_equal(read_settings(&reading,
					       is_same ? same[i - RAROG_COUNT(others)] : others[i]),
				 0);
		assert_int_equal(expand(&reading, ".", &tasks), 0);
		if (rarog_hash_equal(&tasks.list.v[0].job.key, &key) != is_same)
			fail_msg("job %zu", i);
		rarog_tasks_release(&tasks);
		release_reading(&reading);
	}
}

TEST(errors_have_a_place)
{
	static const struct {
		const char *text, *error;
	} bad[] = {
		{ "matrix:\n  command: a\n  repeet: 2\n", "s.yml:3:3: " },
		{ "matrix: {command: a, options: 3}", "s.yml:1:31: expected options by name" },
		{ "matrix: {command: a, options: {'': 3}}",
		  "s.yml:1:32: the name of an option is empty" },
		{ "matrix: {command: a, options: {workload: 3}}",
		  "s.yml:1:32: 'workload': an option cannot be called so" },
		{ "matrix: {command: a, options: {l: []}}", "s.yml:1:35: option 'l' has no value" },
		{ "matrix: {command: a, options: {l: [1, 1]}}",
		  "s.yml:1:39: value '1' of option 'l' is there already" },
		{ "matrix: {command: a, options: {l: [yes, true]}}",
		  "s.yml:1:41: value 'true' of option 'l' is there already" },
		{ "matrix: {command: a, options: {l: 'true'}}",
		  "s.yml:1:35: option 'l': in quotes, 'true' would be the same configuration" },
		{ "matrix: {command: a, options: {l: {flag: -l, values: [2, 'false']}}}",
		  "s.yml:1:58: option 'l': in quotes, 'false' would be the same configuration" },
		{ "matrix: {command: a, options: {l: {flag: -l}}}",
		  "s.yml:1:35: 'values' is missing" },
		{ "matrix: {command: a, options: {l: {flag: '$x', value: 1}}}",
		  "s.yml:1:42: '$x': only a shell understands $" },
		{ "matrix:\n  command: a\n  repeat: many\n", "s.yml:3:11: " },
		{ "matrix:\n  command: 'a; b'\n", "s.yml:2:12: 'a; b': only a shell" },
		{ "matrix: {}\n", "s.yml:1:9: 'command' is missing" },
		{ "matrix: {command: a, collectors: [{name: trace, parameters: {func: {}}}]}",
		  "s.yml:1:68: " },
		{ "matrix: {command: a, collector: {name: trace, parameters: {max-size: x}}}",
		  "s.yml:1:70: " },
		{ "matrix: {command: a, collector: {name: trace, parameters: {within: f, "
		  "not-below: g}}}",
		  "exclude each other" },
		{ "matrix: {command: a, status: 256}", "s.yml:1:30: " },
		{ "jobs: 7\n", "s.yml:1:7: " },
		{ "jobs: [x]\n", "s.yml:1:8: " },
		{ "workloads: {x: {min: 3}}\n", "s.yml:1:16: 'type' is missing" },
		{ "workloads: {x: {type: string, min: 100000, max: 100001}}\n",
		  "s.yml:1:49: an argument" },
		{ "workloads: {x: {type: textfile, max: 3, min-chars: 9, max-chars: 8}}",
		  "'min-chars' and 'max-chars'" },
		{ "workloads: {x: {type: external, command: c, format: 'a{n}', x: m}}",
		  "s.yml:1:64: no number is called 'm'" },
		{ "workloads: {x: {type: singleton}}", "'value' is missing" },
		{ "workloads: {x: {type: integer, min: -9223372036854775807, max: "
		  "9223372036854775807}}",
		  "more than 10000 workloads" },
		{ "build: {comand: x}\nmatrix: {command: a}", "s.yml:1:9: " },
	};

	for (size_t i = 0; i < RAROG_COUNT(bad); i++) {
		struct reading reading;
		int r = read_settings(&reading, bad[i].text);

		if (r != -EINVAL || !strstr(rarog_error_message(), bad[i].error))
			fail_msg("%s: %d '%s', expected '%s'", bad[i].text, r,
				 rarog_error_message(), bad[i].error);
		release_reading(&reading);
	}
}

/* --- generators --- */

static char *text_of(const char *path)
{
	char *text = NULL;
	size_t n;

	assert_int_equal(rarog_file_read(path, 1 << 20, &text, &n), 0);
	return text;
}

TEST(numbers_up_to_the_ends)
{
	struct reading reading;
	struct rarog_tasks tasks;

	assert_int_equal(read_settings(&reading,
				       "workloads: {n: {type: integer, min: 9223372036854775800, "
				       "max: 9223372036854775807, step: 3}}\n"
				       "matrix: {command: a, workload: n}"),
			 0);
	assert_int_equal(expand(&reading, ".", &tasks), 0);
	assert_int_equal(tasks.list.n, 3);
	assert_string_equal(tasks.workloads.list.v[2].text, "9223372036854775806");
	rarog_tasks_release(&tasks);
	release_reading(&reading);
}

/* Known answers of SplitMix64 with seed 1234567 (its authors' test vector). */
TEST(random_numbers_are_the_known_ones)
{
	struct rarog_splitmix random = { 1234567 };

	assert_true(rarog_splitmix_next(&random) == UINT64_C(6457827717110365317));
	assert_true(rarog_splitmix_next(&random) == UINT64_C(3203168211198807973));
	assert_true(rarog_splitmix_next(&random) == UINT64_C(9817491932198370423));
	for (int i = 0; i < 1000; i++)
		assert_true(rarog_splitmix_below(&random, 7) < 7);
}

TEST(strings_are_seeded)
{
	static const char settings[] = "workloads:\n"
				       "  a: {type: string, min: 0, max: 64, step: 8, seed: 5}\n"
				       "  b: {type: string, min: 8, max: 64, step: 56, seed: 5}\n"
				       "  c: {type: string, min: 64, max: 64, seed: 6}\n"
				       "matrix: {command: x, workloads: [a, b, c]}\n";
	struct reading reading;
	struct rarog_tasks tasks;
	const struct rarog_workload *w;

	assert_int_equal(read_settings(&reading, settings), 0);
	assert_int_equal(expand(&reading, ".", &tasks), 0);
	w = tasks.workloads.list.v;
	assert_int_equal(tasks.workloads.list.n, 9 + 2 + 1);
	for (size_t i = 0; i < 9; i++) {
		assert_int_equal(strlen(w[i].text), 8 * i);
		assert_true(w[i].has_number && w[i].number == (double)(8 * i));
	}
	assert_string_equal(w[1].text, w[9].text); /* the others do not matter */
	assert_string_equal(w[8].text, w[10].text);
	assert_string_not_equal(w[8].text, w[11].text);
	assert_string_equal(w[8].name, "a:64");
	assert_non_null(strstr(w[8].recipe, "\"seed\":5"));
	rarog_tasks_release(&tasks);
	release_reading(&reading);
}

TEST(text_files_have_their_lines)
{
	static const char settings[] = "workloads: {t: {type: textfile, min: 0, max: 2000, step: "
				       "1000, min-chars: 3, max-chars: 20}}\n"
				       "matrix: {command: x, workload: t}\n";
	struct reading reading;
	struct rarog_tasks tasks;
	rarog_cleanup(rarog_freep) char *text = NULL;
	rarog_cleanup(rarog_freep) char *again = NULL;
	size_t lines = 0;

	assert_int_equal(read_settings(&reading, settings), 0);
	assert_int_equal(expand(&reading, ".", &tasks), 0);
	assert_int_equal(tasks.workloads.list.n, 3);
	text = text_of("./t-000002000.txt");
	for (const char *at = text; *at; lines++) {
		size_t n = strcspn(at, "\n");

		assert_true(n >= 3 && n <= 20 && at[n] == '\n');
		at += n + 1;
	}
	assert_int_equal(lines, 2000);
	rarog_tasks_release(&tasks);
	unlink("./t-000002000.txt");
	assert_int_equal(expand(&reading, ".", &tasks), 0);
	again = text_of("./t-000002000.txt");
	assert_string_equal(text, again);
	rarog_tasks_release(&tasks);
	release_reading(&reading);
}

TEST(numbers_in_file_names)
{
	struct rarog_file_format format;
	double n[RAROG_FILE_NUMBERS];

	assert_int_equal(rarog_file_format_parse("img{w}x{h}.pgm", "{}", &format), 0);
	assert_int_equal(format.n, 2);
	assert_string_equal(format.names[1], "h");
	assert_true(rarog_file_format_match(&format, "img64x48.pgm", n));
	assert_true(n[0] == 64 && n[1] == 48);
	assert_true(rarog_file_format_match(&format, "img-1.5x+2.25.pgm", n));
	assert_true(n[0] == -1.5 && n[1] == 2.25);
	assert_false(rarog_file_format_match(&format, "img64x.pgm", n));
	assert_false(rarog_file_format_match(&format, "img64x48.pgm.bak", n));
	assert_false(rarog_file_format_match(&format, "aimg64x48.pgm", n));
	assert_false(rarog_file_format_match(&format, "img.5x48.pgm", n));
	rarog_file_format_release(&format);
	assert_int_equal(rarog_file_format_parse("<n>", "<>", &format), 0);
	assert_true(rarog_file_format_match(&format, "007", n) && n[0] == 7);
	rarog_file_format_release(&format);
	assert_int_equal(rarog_file_format_parse("{a}1{b}", "{}", &format), -EINVAL);
	assert_int_equal(rarog_file_format_parse("{a}{b}", "{}", &format), -EINVAL);
	assert_int_equal(rarog_file_format_parse("{a}x{a}", "{}", &format), -EINVAL);
	assert_int_equal(rarog_file_format_parse("{}", "{}", &format), -EINVAL);
	assert_int_equal(rarog_file_format_parse("{a", "{}", &format), -EINVAL);
	assert_int_equal(rarog_file_format_parse("a", "{", &format), -EINVAL);
}

static int go_to_scratch(void **state)
{
	static char path[] = "/tmp/rarog-test-run-XXXXXX";

	*state = mkdtemp(path);
	return *state ? chdir(path) : -1;
}

static int leave_scratch(void **state)
{
	rarog_cleanup(rarog_freep) char *command = rarog_asprintf("rm -r %s", (char *)*state);

	return chdir("/") < 0 || system(command) != 0 ? -1 : 0;
}

GROUP(go_to_scratch, leave_scratch)
