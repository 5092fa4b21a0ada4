/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Out of disk, not allowed, killed, two at once: a writer never leaves debris. */
#include "profile-random.h"
#include "unit.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

static int entries_of(const char *path)
{
	DIR *directory = opendir(path);
	int n = 0;

	assert_non_null(directory);
	while (readdir(directory))
		n++;
	closedir(directory);
	return n - 2;
}

static int entries(void **state)
{
	return entries_of(*state);
}

static void clean(void **state)
{
	char command[100];

	snprintf(command, sizeof(command), "rm -rf %s/*", (char *)*state);
	assert_int_equal(system(command), 0);
	assert_int_equal(entries(state), 0);
}

/* Write a large profile to @path; its code. */
static int write_large(const char *path)
{
	rarog_cleanup(rarog_profile_writer_freep) struct rarog_profile_writer *w = NULL;
	struct truth t = { 0 };
	int r = rarog_profile_writer_new(path, &w);

	if (r < 0)
		return r;
	truth_locations(&t, 100);
	truth_strands(&t, 1);
	write_tables(w, &t);
	for (int i = 0; r == 0 && i < 40; i++) {
		struct rarog_calls calls = { .n = 100000 };
		uint32_t *op = calloc(calls.n, sizeof(*op));
		uint64_t *delta = calloc(calls.n, sizeof(*delta));

		for (size_t k = 0; k < calls.n; k++) {
			op[k] = RAROG_OP_ENTRY + (uint32_t)random_below(100);
			delta[k] = random_below(250);
			if (k % 2)
				op[k] = RAROG_OP_RETURN;
		}
		calls.op = op;
		calls.delta = delta;
		r = rarog_profile_add_calls(w, &calls);
		free(op);
		free(delta);
	}
	truth_release(&t);
	int committed = rarog_profile_writer_commit(w, NULL);

	assert_true(r == 0 || committed == r); /* the first error stays */
	return committed;
}

/* Exit status of @child: 0 fine, 77 not possible here. */
static int run(void (*child)(const char *), const char *path)
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		child(path);
		_exit(1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void with_size_limit(const char *path)
{
	const struct rlimit limit = { 500000, 500000 };

	setrlimit(RLIMIT_FSIZE, &limit);
	int r = write_large(path);

	_exit(r == -EFBIG && strstr(rarog_error_message(), path) &&
			      strstr(rarog_error_message(), "limit reached")
		      ? 0
		      : 2);
}

TEST(a_limit_of_size_is_an_error_and_leaves_nothing)
{
	clean(state);
	assert_int_equal(run(with_size_limit, path_in(state, "p")), 0);
	assert_int_equal(entries(state), 0);
}

/* In a mount namespace of its own: nothing to undo. */
static void on_full_disk(const char *path)
{
	char directory[200], file[220];

	snprintf(directory, sizeof(directory), "%s.d", path);
	snprintf(file, sizeof(file), "%s/p", directory);
	mkdir(directory, 0700);
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("tmpfs", directory, "tmpfs", 0, "size=512k") < 0)
		_exit(77);
	int r = write_large(file);

	if (r != -ENOSPC || !strstr(rarog_error_message(), file) ||
	    !strstr(rarog_error_message(),
		    "no space left on device; free some or use -o elsewhere"))
		_exit(2);
	_exit(entries_of(directory) == 0 ? 0 : 3);
}

TEST(a_full_disk_is_an_error)
{
	clean(state);
	int status = run(on_full_disk, path_in(state, "p"));

	if (status == 77) {
		print_message(
			"# SKIP needs the right to mount a tmpfs, and a root that is a mount\n");
		skip();
	}
	assert_int_equal(status, 0);
}

static void without_permission(const char *path)
{
	if (geteuid() == 0 && setresuid(65534, 65534, 65534) < 0)
		_exit(77);
	struct rarog_profile_writer *w = NULL;
	int r = rarog_profile_writer_new(path, &w);

	_exit(r == -EACCES && strstr(rarog_error_message(), path) ? 0 : 2);
}

TEST(where_nothing_may_be_written_it_is_said)
{
	struct rarog_profile_writer *w = NULL;

	clean(state);
	assert_int_equal(chmod(*state, 0500), 0);
	assert_int_equal(run(without_permission, path_in(state, "p")), 0);
	assert_int_equal(chmod(*state, 0700), 0);
	assert_int_equal(rarog_profile_writer_new(path_in(state, "no/where"), &w), -ENOENT);
	assert_non_null(strstr(rarog_error_message(), "no/where"));
	assert_int_equal(rarog_profile_writer_new(*state, &w), -EISDIR);
	assert_int_equal(rarog_profile_writer_new("/dev/null", &w), -EINVAL);
	assert_int_equal(rarog_profile_writer_new("", &w), -EISDIR);
	assert_int_equal(entries(state), 0);
}

TEST(a_new_profile_replaces_an_old_one)
{
	char path[200], link_path[200];
	struct stat status;

	clean(state);
	snprintf(path, sizeof(path), "%s", path_in(state, "old"));
	snprintf(link_path, sizeof(link_path), "%s", path_in(state, "link"));
	put_file(path, 3, (const uint8_t *)"old");
	assert_int_equal(symlink(path, link_path), 0);
	assert_int_equal(write_large(link_path), 0);
	assert_int_equal(lstat(link_path, &status), 0);
	assert_true(S_ISLNK(status.st_mode));
	assert_int_equal(stat(path, &status), 0);
	assert_true(status.st_size > 100000);
	assert_int_equal(entries(state), 2);
}

TEST(what_is_not_committed_is_not_there)
{
	struct rarog_profile_writer *w = NULL;
	struct truth t = { 0 };

	clean(state);
	assert_int_equal(rarog_profile_writer_new(path_in(state, "p"), &w), 0);
	truth_locations(&t, 300);
	truth_strands(&t, 3);
	write_tables(w, &t);
	assert_int_equal(entries(state), 0);
	rarog_profile_writer_free(w);
	truth_release(&t);
	assert_int_equal(entries(state), 0);
}

static void write_for_ever(const char *path)
{
	while (write_large(path) == 0)
		continue;
}

TEST(killing_the_writer_leaves_no_file)
{
	char path[200];

	clean(state);
	snprintf(path, sizeof(path), "%s", path_in(state, "p"));
	int probe = open(*state, O_TMPFILE | O_RDWR, 0600);

	if (probe < 0) {
		print_message("# SKIP needs a file system with O_TMPFILE\n");
		skip();
	}
	close(probe);
	for (int i = 0; i < 8; i++) {
		pid_t pid = fork();

		assert_true(pid >= 0);
		if (pid == 0) {
			write_for_ever(path);
			_exit(1);
		}
		usleep((useconds_t)(5000 + random_below(60000)));
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		if (access(path, F_OK) == 0) { /* an earlier round was complete */
			struct rarog_profile *p = NULL;

			assert_int_equal(rarog_profile_open(path, &p), 0);
			assert_false(rarog_profile_is_partial(p));
			rarog_profile_free(p);
			unlink(path);
		}
	}
	/* Replacing goes through a hidden name for an instant; all else leaves nothing. */
	assert_in_range(entries(state), 0, 1);
	clean(state);
}

static void write_often(const char *path)
{
	for (int i = 0; i < 5; i++)
		if (write_large(path) < 0)
			_exit(2);
	_exit(0);
}

TEST(of_two_writers_one_wins_whole)
{
	char path[200];
	pid_t pid[2];
	int status, seen = 0;

	clean(state);
	snprintf(path, sizeof(path), "%s", path_in(state, "p"));
	for (int i = 0; i < 2; i++) {
		pid[i] = fork();
		assert_true(pid[i] >= 0);
		if (pid[i] == 0)
			write_often(path);
	}
	while (waitpid(pid[0], &status, WNOHANG) == 0) {
		struct rarog_profile *p = NULL;

		if (rarog_profile_open(path, &p) == 0) {
			assert_false(rarog_profile_is_partial(p));
			seen++;
		}
		rarog_profile_free(p);
		usleep(2000);
	}
	assert_int_equal(status, 0);
	assert_int_equal(waitpid(pid[1], &status, 0), pid[1]);
	assert_int_equal(status, 0);
	assert_true(seen > 0);
	assert_int_equal(entries(state), 1);
}

GROUP(make_directory, remove_directory)
