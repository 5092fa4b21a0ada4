/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What names profiles and versions. A repository of three commits; the profiles' names, which
 * nobody chose, are asked of sqlite3.
 */
#include <errno.h>

#include "unit.h"

#include "base/error.h"
#include "profile/reader.h"
#include "store-sample.h"
#include "store/revision.h"

static const char make_repository[] =
	"exec >/dev/null 2>&1; set -e; git init -q -b main .; git config user.name A;"
	"git config user.email a@example.org; for i in 1 2 3; do echo $i >f; git add f;"
	"git commit -q -m \"commit $i\"; done; git tag v1 HEAD~1";

static struct rarog_scope here;

static const char *ask(const char *command)
{
	static char answers[8][256];
	static int next;
	char *answer = answers[next++ % 8];
	FILE *f = popen(command, "r");
	size_t n;

	assert_non_null(f);
	n = fread(answer, 1, sizeof(answers[0]) - 1, f);
	assert_int_equal(pclose(f), 0);
	answer[n] = '\0';
	answer[strcspn(answer, "\n")] = '\0';
	return answer;
}

/* Name of the profile with this workload. */
static const char *profile(const char *workload)
{
	char command[256];

	snprintf(command, sizeof(command),
		 "sqlite3 .git/rarog/catalog.db \"SELECT lower(hex(p.object)) FROM profile p JOIN "
		 "job j "
		 "ON p.job = j.id WHERE j.workload = '%s'\"",
		 workload);
	return ask(command);
}

static void add(const char *revision, const char *workload, unsigned second)
{
	char command[64];
	int64_t id;

	snprintf(command, sizeof(command), "git rev-parse %s", revision);
	const struct sample sample = { .commit = ask(command),
				       .workload = workload,
				       .started_s = 1700000000 + second };

	assert_int_equal(sample_write("sample.rarog", &sample), 0);
	assert_int_equal(rarog_record_add(here.store, "sample.rarog", NULL, &id, NULL), 1);
	assert_int_equal(unlink("sample.rarog"), 0);
}

static int enter(void **state)
{
	const struct rarog_store_options options = { .create = true };
	rarog_cleanup(rarog_freep) char *pending = NULL;

	setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
	if (sample_enter(state) < 0 || system(make_repository) != 0)
		return -1;
	if (rarog_vcs_open(".", -1, &here.vcs) < 0 ||
	    rarog_store_open(".git/rarog", &options, &here.store) < 0)
		fail_msg("%s", rarog_error_message());
	add("HEAD", "first", 1);
	add("HEAD", "second", 2);
	add("HEAD", "third", 3);
	add("HEAD~1", "older", 0);
	assert_int_equal(rarog_store_place(here.store, RAROG_PLACE_PENDING, &pending), 0);
	return sample_write("file.rarog", &(struct sample){ .workload = "f" }) |
	       sample_write("plain-name", &(struct sample){ .workload = "g" }) |
	       sample_write(".git/rarog/pending/a.rarog", &(struct sample){ .workload = "a" }) |
	       sample_write(".git/rarog/pending/b.rarog", &(struct sample){ .workload = "b" });
}

static int leave(void **state)
{
	rarog_store_free(here.store);
	rarog_vcs_free(here.vcs);
	return sample_leave(state);
}

/* The workload of the profile that @name names, "" and a message: none. */
static const char *workload_of(const char *name)
{
	static char workload[64];
	rarog_cleanup(rarog_target_release) struct rarog_target target = { 0 };
	rarog_cleanup(rarog_profile_freep) struct rarog_profile *p = NULL;
	rarog_cleanup(rarog_facts_release) struct rarog_facts facts = { 0 };

	if (rarog_target_find(&here, name, RAROG_TARGET_ANY_PROFILE, &target) < 0)
		return "";
	assert_int_equal(rarog_target_open(&here, &target, &p), 0);
	assert_int_equal(rarog_facts_of(p, &facts), 0);
	snprintf(workload, sizeof(workload), "%s", facts.job.workload);
	return workload;
}

TEST(names_find_profiles)
{
	const struct {
		const char *name, *workload;
	} names[] = {
		{ "file.rarog", "f" },
		{ "./plain-name", "g" },
		{ "plain-name", "g" }, /* by its first bytes */
		{ "0@i", "first" },
		{ "2@i", "third" },
		{ "0@HEAD", "first" },
		{ "1@main", "second" },
		{ "0@HEAD~1", "older" },
		{ "0@v1", "older" },
		{ "0@p", "a" },
		{ "1@p", "b" },
		{ "HEAD", "third" }, /* the newest */
		{ "v1", "older" },
		{ "commit:main", "third" },
		{ ":/commit 2", "older" },
	};

	for (size_t i = 0; i < RAROG_COUNT(names); i++)
		assert_string_equal(workload_of(names[i].name), names[i].workload);
}

TEST(hashes_and_their_beginnings)
{
	const char *whole = profile("second");
	char prefix[80];

	assert_string_equal(workload_of(whole), "second");
	for (int n = 16; n <= 64; n += 16) {
		snprintf(prefix, sizeof(prefix), "%.*s", n, whole);
		assert_string_equal(workload_of(prefix), "second");
		snprintf(prefix, sizeof(prefix), "profile:%.*s", n, whole);
		assert_string_equal(workload_of(prefix), "second");
	}
	snprintf(prefix, sizeof(prefix), "%.3s", whole); /* too short: a revision, and none */
	assert_string_equal(workload_of(prefix), "");
}

/* The same digits begin a profile and a commit when both have the name of the other. */
TEST(what_fits_two_things_is_not_guessed)
{
	char tag[128], name[128];
	const char *whole = profile("first");

	snprintf(tag, sizeof(tag), "git tag %.8s HEAD~1", whole); /* a git tag that looks like it */
	ask(tag);
	snprintf(name, sizeof(name), "%.8s", whole);
	assert_string_equal(workload_of(name), "");
	assert_non_null(strstr(rarog_error_message(), "is ambiguous: a profile and version"));
	snprintf(name, sizeof(name), "profile:%.8s", whole);
	assert_string_equal(workload_of(name), "first");
	snprintf(name, sizeof(name), "commit:%.8s", whole);
	assert_string_equal(workload_of(name), "older");
}

TEST(what_names_nothing_says_so)
{
	const struct {
		const char *name, *message;
	} wrong[] = {
		{ "3@i", "3@i: there are 3 registered profiles, from 0 to 2" },
		{ "0@HEAD~2", "0@HEAD~2: there is no registered profile" },
		{ "2@p", "2@p: there are 2 pending profiles, from 0 to 1" },
		{ "none.rarog", "none.rarog: No such file or directory" },
	};

	for (size_t i = 0; i < RAROG_COUNT(wrong); i++) {
		assert_string_equal(workload_of(wrong[i].name), "");
		assert_string_equal(rarog_error_message(), wrong[i].message);
	}
	assert_string_equal(workload_of("nothing"), "");
	assert_non_null(strstr(rarog_error_message(), "nothing"));
	assert_string_equal(workload_of("HEAD~2"), "");
	assert_non_null(strstr(rarog_error_message(), "has no profile; rarog collect makes one"));
}

TEST(ranges)
{
	const struct {
		const char *name;
		int result;
		size_t n;
	} names[] = {
		{ "0@i-2@i", 0, 3 },       { "1@i-1@i", 0, 1 },       { "0@p-1@p", 0, 2 },
		{ "0@HEAD-1@HEAD", 0, 2 }, { "2@i-1@i", -EINVAL, 0 }, { "1@i-3@i", -ENOENT, 2 },
		{ "HEAD", 0, 1 },          { "0@i", 0, 1 },
	};

	for (size_t i = 0; i < RAROG_COUNT(names); i++) {
		rarog_cleanup(rarog_targets_release) struct rarog_targets targets = { 0 };

		assert_int_equal(rarog_targets_find(&here, names[i].name, RAROG_TARGET_ANY_PROFILE,
						    &targets),
				 names[i].result);
		assert_int_equal(targets.list.n, names[i].n);
	}
}

TEST(a_version_where_one_is_wanted)
{
	rarog_cleanup(rarog_target_release) struct rarog_target target = { 0 };

	assert_int_equal(rarog_target_find(&here, "v1", RAROG_TARGET_VERSION, &target), 0);
	assert_int_equal(target.kind, RAROG_TARGET_VERSION);
	assert_string_equal(target.commit.name, ask("git rev-parse v1"));
	rarog_target_release(&target);
	assert_int_equal(rarog_target_find(&here, "profile:1234", RAROG_TARGET_VERSION, &target),
			 -ENOENT);
}

TEST(without_a_store_there_are_files)
{
	const struct rarog_scope scope = { 0 };
	rarog_cleanup(rarog_target_release) struct rarog_target target = { 0 };

	assert_int_equal(rarog_target_find(&scope, "plain-name", RAROG_TARGET_ANY_PROFILE, &target),
			 0);
	assert_int_equal(target.kind, RAROG_TARGET_FILE);
	rarog_target_release(&target);
	assert_int_equal(rarog_target_find(&scope, "0@i", RAROG_TARGET_ANY_PROFILE, &target),
			 -ENOENT);
	assert_string_equal(rarog_error_message(), "0@i: there is no store here; run rarog init");
	assert_int_equal(rarog_target_find(&scope, "HEAD", RAROG_TARGET_ANY_PROFILE, &target),
			 -ENOENT);
	assert_string_equal(rarog_error_message(), "'HEAD' names no file, profile, tag or version");
}

GROUP(enter, leave)
