/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The version systems: git itself is the oracle. */
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/error.h"
#include "store-sample.h"
#include "store/vcs.h"

/* A repository with a merge, tags, a submodule-free history of seven commits. */
static const char make_repository[] =
	"exec >/dev/null 2>&1; set -e; git init -q -b main $KIND repo; cd repo;"
	"git config user.name 'A U Thor'; git config user.email a@example.org;"
	"i=0; c() { i=$((i+1)); echo $1 >$1; git add $1;"
	" GIT_COMMITTER_DATE=\"$((1700000000+i*60)) +0100\" GIT_AUTHOR_DATE=\"$((1600000000+i)) "
	"+0000\""
	" git commit -q -m \"$2\"; };"
	"c a 'first'; c b 'second\nline\n\nbody text\nmore'; git tag -a v1 -m tag; git branch side;"
	"c c 'third'; git checkout -q side; c d 'on the side'; c e 'more side';"
	"git checkout -q main; GIT_COMMITTER_DATE='1700000600 +0000' git merge -q -m 'merge it' "
	"side;"
	"c f 'last <3 \"quoted\"'; echo hook >.git/hooks/post-checkout;"
	"printf '#!/bin/sh\\ntouch %s/hook-ran\\n' $PWD >.git/hooks/post-checkout;"
	"chmod +x .git/hooks/post-checkout";

static int repository(void **state)
{
	int r = sample_enter(state);

	setenv("KIND", "", 0);
	return r < 0 ? r : system(make_repository);
}

static int repository_sha256(void **state)
{
	int r;

	setenv("KIND", "--object-format=sha256", 1);
	r = repository(state);
	unsetenv("KIND");
	return r;
}

static const char *ask(const char *command)
{
	static char answers[4][8192];
	static int next;
	char *answer = answers[next++ % 4];
	FILE *f = popen(command, "r");
	size_t n;

	assert_non_null(f);
	n = fread(answer, 1, sizeof(answers[0]) - 1, f);
	pclose(f);
	answer[n] = '\0';
	while (n > 0 && answer[n - 1] == '\n')
		answer[--n] = '\0';
	return answer;
}

static struct rarog_vcs *open_vcs(const char *start)
{
	struct rarog_vcs *vcs = NULL;

	if (rarog_vcs_open(start, -1, &vcs) < 0)
		fail_msg("%s", rarog_error_message());
	return vcs;
}

/* --- revisions --- */

static void compare(struct rarog_vcs *vcs, const char *revision)
{
	rarog_cleanup(rarog_commit_release) struct rarog_commit c = { 0 };
	char command[512], mine[8192], parents[1024] = "";

	if (rarog_vcs_resolve(vcs, revision, &c) < 0)
		fail_msg("%s: %s", revision, rarog_error_message());
	for (size_t i = 0; i < c.n_parents; i++)
		snprintf(parents + strlen(parents), sizeof(parents) - strlen(parents), "%s%s",
			 i > 0 ? " " : "", c.parents[i]);
	snprintf(mine, sizeof(mine), "%s|%s|%s|%s|%s|%s|%lld|%lld|%s|%s", c.name, c.tree, parents,
		 c.author, c.email, c.committer, (long long)c.author_time, (long long)c.commit_time,
		 c.subject, c.body);
	while (*mine && mine[strlen(mine) - 1] == '\n')
		mine[strlen(mine) - 1] = '\0';
	snprintf(command, sizeof(command),
		 "git -C repo log -1 --format='%%H|%%T|%%P|%%an|%%ae|%%cn|%%at|%%ct|%%s|%%b' '%s'",
		 revision);
	assert_string_equal(mine, ask(command));
}

static void revisions_mean_what_git_says(void **state)
{
	const char *const revisions[] = { "HEAD",         "main",     "side",
					  "v1",           "HEAD~2",   "HEAD~1^2",
					  "main^^2",      "v1^{}",    ":/third",
					  "HEAD^{/side}", "main@{1}", "refs/heads/side",
					  "HEAD~1^2~1" };
	struct rarog_vcs *vcs = open_vcs("repo");
	char prefix[9] = "";

	(void)state;
	for (size_t i = 0; i < RAROG_COUNT(revisions); i++)
		compare(vcs, revisions[i]);
	memcpy(prefix, ask("git -C repo rev-parse side~1"), 8);
	compare(vcs, prefix);
	/* what is made later is seen */
	ask("cd repo && git tag later HEAD~3");
	compare(vcs, "later");
	rarog_vcs_free(vcs);
}

static void unknown_revisions_are_said(void **state)
{
	struct rarog_vcs *vcs = open_vcs("repo");
	struct rarog_commit c = { 0 };

	(void)state;
	assert_int_equal(rarog_vcs_resolve(vcs, "mian", &c), -ENOENT);
	assert_non_null(strstr(rarog_error_message(), "did you mean main"));
	assert_int_equal(rarog_vcs_resolve(vcs, "HEAD~99", &c), -ENOENT);
	assert_int_equal(rarog_vcs_resolve(vcs, "", &c), -EINVAL);
	assert_int_equal(rarog_vcs_resolve(vcs, "--all", &c), -EINVAL);
	assert_int_equal(rarog_vcs_resolve(vcs, "a\nb", &c), -EINVAL);
	assert_int_equal(rarog_vcs_resolve(vcs, "main:a", &c), -ENOENT);
	compare(vcs, "HEAD"); /* in step after all that */
	rarog_vcs_free(vcs);
}

/* Many commits until two share their first four digits. */
static void an_ambiguous_prefix_names_the_candidates(void **state)
{
	struct rarog_vcs *vcs = open_vcs("repo");
	struct rarog_commit c = { 0 };
	const char *prefix;

	(void)state;
	ask("cd repo && for i in $(seq 700); do printf 'commit refs/heads/many\\ncommitter a <b> "
	    "%d +0000\\ndata 1\\nx\\n' $((1700000000+i)); done | git fast-import --quiet");
	prefix = ask("cd repo && git rev-list --all | cut -c1-4 | sort | uniq -d | head -n 1");
	assert_int_equal(strlen(prefix), 4); /* 700 of 65536: certain enough, and always the same */
	assert_int_equal(rarog_vcs_resolve(vcs, prefix, &c), -EINVAL);
	assert_non_null(strstr(rarog_error_message(), "ambiguous: "));
	rarog_vcs_free(vcs);
}

/* --- walks --- */

static int collect(const struct rarog_commit *commit, void *user)
{
	char *names = user;

	sprintf(names + strlen(names), "%s%s %s", *names ? "\n" : "", commit->name,
		commit->subject);
	return 0;
}

static int stop_at_two(const struct rarog_commit *commit, void *user)
{
	(void)commit;
	return ++*(int *)user == 2 ? 7 : 0;
}

static void walks_see_what_git_log_sees(void **state)
{
	struct rarog_vcs *vcs = open_vcs("repo");
	const char *const range[] = { "v1..main" }, *const all[] = { "--all" };
	const char *const two[] = { "main", "^side" }, *const paths[] = { "a", "d" };
	const struct {
		struct rarog_walk walk;
		const char *arguments;
	} cases[] = {
		{ { 0 }, "" },
		{ { .limit = 3 }, "-n 3" },
		{ { .first_parent = true }, "--first-parent" },
		{ { .order = RAROG_WALK_TOPOLOGICAL }, "--topo-order" },
		{ { .reverse = true }, "--reverse" },
		{ { .n_from = 1, .from = range }, "v1..main" },
		{ { .n_from = 1, .from = all }, "--all" },
		{ { .n_from = 2, .from = two }, "main ^side" },
		{ { .n_paths = 2, .paths = paths }, "-- a d" },
	};
	int n = 0;

	(void)state;
	for (size_t i = 0; i < RAROG_COUNT(cases); i++) {
		char mine[4096] = "", command[256];

		snprintf(command, sizeof(command), "git -C repo log --format='%%H %%s' %s",
			 cases[i].arguments);
		assert_int_equal(rarog_vcs_walk(vcs, &cases[i].walk, collect, mine), 0);
		assert_string_equal(mine, ask(command));
	}
	assert_int_equal(rarog_vcs_walk(vcs, &cases[0].walk, stop_at_two, &n), 7);
	assert_int_equal(n, 2);
	const char *const wrong[] = { "nowhere" };
	const struct rarog_walk from_nowhere = { .n_from = 1, .from = wrong };

	assert_int_equal(rarog_vcs_walk(vcs, &from_nowhere, stop_at_two, &n), -ENOENT);
	rarog_vcs_free(vcs);
}

static void relations_are_those_of_git(void **state)
{
	struct rarog_vcs *vcs = open_vcs("repo");
	rarog_cleanup(rarog_freep) char *base = NULL, *branch = NULL, *bytes = NULL;
	rarog_cleanup(rarog_str_release) struct rarog_str diff = { 0 };
	size_t n = 0;

	(void)state;
	assert_int_equal(rarog_vcs_is_ancestor(vcs, "v1", "side"), 1);
	assert_int_equal(rarog_vcs_is_ancestor(vcs, "side", "v1"), 0);
	assert_int_equal(rarog_vcs_is_ancestor(vcs, "nothing", "v1"), -ENOENT);
	assert_int_equal(rarog_vcs_merge_base(vcs, "main~1^1", "side", &base), 0);
	assert_string_equal(base, ask("git -C repo rev-parse v1^{}"));
	assert_int_equal(rarog_vcs_main_branch(vcs, &branch), 0);
	assert_string_equal(branch, "refs/heads/main");
	assert_int_equal(rarog_vcs_file(vcs, "v1", "b", &bytes, &n), 0);
	assert_string_equal(bytes, "b\n");
	assert_int_equal(rarog_vcs_file(vcs, "v1", "c", &bytes, &n), -ENOENT);
	assert_int_equal(rarog_vcs_diff(vcs, "v1", "main", 0, NULL, &diff), 0);
	while (diff.text[diff.length - 1] == '\n')
		diff.text[--diff.length] = '\0';
	assert_string_equal(diff.text, ask("git -C repo diff -U0 v1 main"));
	rarog_vcs_free(vcs);
}

static void links_are_followed_within_the_version(void **state)
{
	static const struct {
		const char *path, *text; /* NULL: it is not there */
	} cases[] = {
		{ "file", "deep/real" }, /* is what a link's text looks like */
		{ "link", "real\n" },    { "folder/real", "real\n" },
		{ "outside", NULL },     { "dangling", NULL },
		{ "loop", NULL },        { "file/none", NULL },
		{ "none", NULL },        { "deep/real", "real\n" },
	};
	struct rarog_vcs *vcs;

	(void)state;
	ask("git init -q links && cd links && mkdir deep && printf deep/real >file && "
	    "echo real >deep/real && ln -s deep/real link && ln -s deep folder && "
	    "ln -s ../elsewhere outside && ln -s deep/none dangling && ln -s loop loop && "
	    "git add . && git -c user.name=a -c user.email=a@b commit -qm one");
	vcs = open_vcs("links");
	for (size_t i = 0; i < RAROG_COUNT(cases); i++) {
		rarog_cleanup(rarog_freep) char *bytes = NULL;
		size_t n = 0;
		int r = rarog_vcs_file(vcs, "HEAD", cases[i].path, &bytes, &n);

		assert_int_equal(r, cases[i].text ? 0 : -ENOENT);
		if (cases[i].text)
			assert_string_equal(bytes, cases[i].text);
	}
	rarog_vcs_free(vcs);
}

/* --- where we are --- */

static void compare_state(struct rarog_vcs *vcs, const char *branch, bool is_dirty)
{
	rarog_cleanup(rarog_vcs_state_release) struct rarog_vcs_state s = { 0 };

	assert_int_equal(rarog_vcs_state(vcs, true, &s), 0);
	assert_string_equal(s.head, ask("git -C repo rev-parse HEAD"));
	assert_string_equal(s.tree, ask("git -C repo rev-parse 'HEAD^{tree}'"));
	if (branch)
		assert_string_equal(s.branch, branch);
	else
		assert_null(s.branch);
	assert_int_equal(s.is_dirty, is_dirty);
	assert_int_equal(s.diff != NULL, is_dirty);
}

static void the_state_is_that_of_git(void **state)
{
	struct rarog_vcs *vcs = open_vcs("repo");

	(void)state;
	compare_state(vcs, "main", false);
	ask("touch repo/untracked; touch -d '1 hour ago' repo/a"); /* no changes */
	compare_state(vcs, "main", false);
	ask("echo x >>repo/a");
	compare_state(vcs, "main", true);
	ask("cd repo && git add a");
	compare_state(vcs, "main", true);
	ask("cd repo && git commit -q -m changed && git checkout -q --detach");
	compare_state(vcs, NULL, false);
	rarog_vcs_free(vcs);
}

static void users_variables_do_not_count(void **state)
{
	struct rarog_vcs *vcs;

	(void)state;
	assert_int_equal(system("git init -q other"), 0);
	setenv("GIT_DIR", "/nowhere", 1);
	setenv("GIT_INDEX_FILE", "/nowhere", 1);
	setenv("GIT_WORK_TREE", "/nowhere", 1);
	vcs = open_vcs("repo");
	unsetenv("GIT_DIR");
	unsetenv("GIT_INDEX_FILE");
	unsetenv("GIT_WORK_TREE");
	compare_state(vcs, "main", false);
	rarog_vcs_free(vcs);
}

static void stores_are_where_they_belong(void **state)
{
	char common[PATH_MAX];
	struct rarog_vcs *vcs = open_vcs("repo");

	(void)state;
	snprintf(common, sizeof(common), "%s/rarog", ask("realpath repo/.git"));
	assert_string_equal(rarog_vcs_store_path(vcs), common);
	rarog_vcs_free(vcs);
	/* below the top, in a linked worktree: the same store, another root */
	ask("cd repo && mkdir -p x/y && git worktree add -q ../linked side");
	vcs = open_vcs("repo/x/y");
	assert_string_equal(rarog_vcs_root(vcs), ask("realpath repo"));
	rarog_vcs_free(vcs);
	vcs = open_vcs("linked");
	assert_string_equal(rarog_vcs_store_path(vcs), common);
	assert_string_equal(rarog_vcs_root(vcs), ask("realpath linked"));
	rarog_vcs_free(vcs);
	/* a submodule is its own; bare; inside .git */
	ask("git -c protocol.file.allow=always -C repo submodule --quiet add $PWD/repo sub 2>&1");
	vcs = open_vcs("repo/sub");
	snprintf(common, sizeof(common), "%s/rarog", ask("realpath repo/.git/modules/sub"));
	assert_string_equal(rarog_vcs_store_path(vcs), common);
	rarog_vcs_free(vcs);
	ask("git clone -q --bare repo bare");
	vcs = open_vcs("bare");
	assert_null(rarog_vcs_root(vcs));
	compare(vcs, "side");
	compare_state(vcs, "main", false);
	rarog_vcs_free(vcs);
	vcs = open_vcs("repo/.git");
	assert_null(rarog_vcs_root(vcs));
	rarog_vcs_free(vcs);
}

static void odd_repositories(void **state)
{
	struct rarog_vcs *vcs = NULL;
	struct rarog_commit c = { 0 };
	struct rarog_vcs_state s = { 0 };
	char mine[4096] = "";
	const struct rarog_walk walk = { 0 };

	(void)state;
	assert_int_equal(rarog_vcs_open(".", -1, &vcs), -ENOENT);
	assert_int_equal(rarog_vcs_open("nowhere", -1, &vcs), -ENOENT);
	ask("git init -q -b trunk unborn; git clone -q --depth 2 file://$PWD/repo shallow");
	vcs = open_vcs("unborn");
	assert_int_equal(rarog_vcs_resolve(vcs, "HEAD", &c), -ENODATA);
	assert_int_equal(rarog_vcs_walk(vcs, &walk, collect, mine), -ENODATA);
	assert_int_equal(rarog_vcs_state(vcs, true, &s), 0);
	assert_null(s.head);
	assert_string_equal(s.branch, "trunk");
	rarog_vcs_state_release(&s);
	rarog_vcs_free(vcs);
	vcs = open_vcs("shallow");
	assert_true(rarog_vcs_is_shallow(vcs));
	assert_int_equal(rarog_vcs_walk(vcs, &walk, collect, mine), 0);
	assert_string_equal(mine, ask("git -C shallow log --format='%H %s'"));
	assert_int_equal(rarog_vcs_resolve(vcs, "HEAD~1", &c), 0);
	assert_int_equal(c.n_parents, 0); /* the history ends here */
	rarog_commit_release(&c);
	assert_int_equal(rarog_vcs_resolve(vcs, "HEAD~5", &c), -ENOENT);
	assert_non_null(strstr(rarog_error_message(), "shallow"));
	rarog_vcs_free(vcs);
}

/* --- work trees --- */

static void checkouts_leave_the_users_tree_alone(void **state)
{
	struct rarog_vcs *vcs = open_vcs("repo");
	char before[8192], path[PATH_MAX];

	(void)state;
	ask("cd repo && echo x >>a && git add a && echo y >>b && touch new");
	snprintf(before, sizeof(before), "%s",
		 ask("cd repo && git status -sb; git stash list;"
		     "git branch -a; git reflog"));
	snprintf(path, sizeof(path), "%s/tree", sample_directory);
	assert_int_equal(rarog_vcs_checkout(vcs, "v1^{}", NULL, false, path), 0);
	assert_string_equal(ask("ls tree"), "a\nb");
	assert_string_equal(ask("git -C tree rev-parse HEAD"), ask("git -C repo rev-parse v1^{}"));
	assert_string_equal(ask("ls repo/hook-ran 2>/dev/null"), "");
	assert_true(rarog_vcs_checkout(vcs, "nothing", NULL, false, "tree2") < 0);
	ask("touch tree/made && mkdir tree/build && echo 1 >tree/a");
	assert_int_equal(rarog_vcs_checkout_remove(vcs, path), 0);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(rarog_vcs_checkout_remove(vcs, path), 0);
	assert_string_equal(ask("git -C repo worktree list | wc -l"), "1");
	assert_string_equal(before, ask("cd repo && git status -sb; git stash list; git branch -a;"
					"git reflog"));
	/* half there: the directory is gone, git still remembers it */
	assert_int_equal(rarog_vcs_checkout(vcs, "side", NULL, false, path), 0);
	ask("rm -rf tree");
	assert_int_equal(rarog_vcs_checkout_remove(vcs, path), 0);
	assert_string_equal(ask("git -C repo worktree list | wc -l"), "1");
	rarog_vcs_free(vcs);
}

static void checkouts_have_their_submodules(void **state)
{
	struct rarog_vcs *vcs;
	char path[PATH_MAX];

	(void)state;
	ask("git clone -q repo lib; cd repo; git -c protocol.file.allow=always submodule --quiet"
	    " add $PWD/../lib sub 2>&1; git commit -q -m 'with a submodule'");
	vcs = open_vcs("repo");
	snprintf(path, sizeof(path), "%s/tree", sample_directory);
	if (rarog_vcs_checkout(vcs, "HEAD", NULL, false, path) < 0)
		fail_msg("%s", rarog_error_message());
	assert_string_equal(ask("cat tree/sub/c"), "c");
	assert_int_equal(rarog_vcs_checkout_remove(vcs, path), 0);
	assert_int_equal(access(path, F_OK), -1);
	assert_string_equal(ask("git -C repo worktree list | wc -l"), "1");
	rarog_vcs_free(vcs);
}

/* --- without git --- */

static void labels_are_versions(void **state)
{
	struct rarog_vcs *vcs;
	struct rarog_commit c = { 0 };
	rarog_cleanup(rarog_vcs_state_release) struct rarog_vcs_state s = { 0 };
	const char *const labels[] = { "1.0", "1.1", "2.0-rc1", "2.0" };
	const char *const range[] = { "1.0..2.0-rc1" };
	struct rarog_walk walk = { 0 };
	char mine[512] = "";

	(void)state;
	assert_int_equal(system("mkdir -p project/src"), 0);
	assert_int_equal(rarog_vcs_create_plain("project"), 0);
	vcs = open_vcs("project/src");
	assert_int_equal(rarog_vcs_kind(vcs), RAROG_VCS_PLAIN);
	assert_string_equal(rarog_vcs_root(vcs), ask("realpath project"));
	assert_int_equal(rarog_vcs_resolve(vcs, "HEAD", &c), -ENODATA);
	for (size_t i = 0; i < RAROG_COUNT(labels); i++)
		assert_int_equal(rarog_vcs_label(vcs, labels[i], i == 1 ? "faster\nhere" : NULL),
				 0);
	assert_int_equal(rarog_vcs_resolve(vcs, "HEAD~2", &c), 0);
	assert_string_equal(c.name, "1.1");
	assert_string_equal(c.subject, "faster here");
	assert_string_equal(c.parents[0], "1.0");
	rarog_commit_release(&c);
	assert_int_equal(rarog_vcs_resolve(vcs, "2.1", &c), -ENOENT);
	assert_int_equal(rarog_vcs_walk(vcs, &walk, collect, mine), 0);
	assert_string_equal(mine, "2.0 \n2.0-rc1 \n1.1 faster here\n1.0 ");
	walk = (struct rarog_walk){ .n_from = 1, .from = range, .reverse = true };
	mine[0] = '\0';
	assert_int_equal(rarog_vcs_walk(vcs, &walk, collect, mine), 0);
	assert_string_equal(mine, "1.1 faster here\n2.0-rc1 ");
	assert_int_equal(rarog_vcs_is_ancestor(vcs, "1.0", "2.0"), 1);
	assert_int_equal(rarog_vcs_is_ancestor(vcs, "2.0", "1.0"), 0);
	assert_int_equal(rarog_vcs_label(vcs, "1.0", NULL), 0); /* measured again: the newest */
	assert_int_equal(rarog_vcs_state(vcs, true, &s), 0);
	assert_string_equal(s.head, "1.0");
	assert_int_equal(rarog_vcs_label(vcs, "a..b", NULL), -EINVAL);
	assert_int_equal(rarog_vcs_label(vcs, "HEAD", NULL), -EINVAL);
	assert_int_equal(rarog_vcs_checkout(vcs, "1.0", NULL, false, "x"), -ENOTSUP);
	rarog_vcs_free(vcs);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, repository, sample_leave)
#define TEST_SHA256(name)                                                                          \
	{                                                                                          \
#name " (SHA-256)", name, repository_sha256, sample_leave, NULL                    \
	}
	const struct CMUnitTest tests[] = {
		TEST(revisions_mean_what_git_says),
		TEST_SHA256(revisions_mean_what_git_says),
		TEST(unknown_revisions_are_said),
		TEST(an_ambiguous_prefix_names_the_candidates),
		TEST(walks_see_what_git_log_sees),
		TEST_SHA256(walks_see_what_git_log_sees),
		TEST(relations_are_those_of_git),
		TEST(links_are_followed_within_the_version),
		TEST(the_state_is_that_of_git),
		TEST_SHA256(the_state_is_that_of_git),
		TEST(users_variables_do_not_count),
		TEST(stores_are_where_they_belong),
		TEST(odd_repositories),
		TEST(checkouts_leave_the_users_tree_alone),
		TEST(checkouts_have_their_submodules),
		TEST(labels_are_versions),
	};

	setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
