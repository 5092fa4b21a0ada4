/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Objects against sha256sum and the values of FIPS 180-4 (appendix B). */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/file.h"
#include "base/str.h"
#include "store/object.h"

static char directory[64];
static struct rarog_objects *objects;

static int enter(void **state)
{
	(void)state;
	strcpy(directory, "/tmp/rarog-test-XXXXXX");
	if (!mkdtemp(directory) || chdir(directory) != 0)
		return -1;
	return rarog_objects_open("objects", true, &objects);
}

static int leave(void **state)
{
	char command[128];

	(void)state;
	rarog_objects_free(objects);
	snprintf(command, sizeof(command), "rm -rf %s", directory);
	return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

static int count(const char *path)
{
	DIR *d = opendir(path);
	int n = 0;

	for (const struct dirent *e; d && (e = readdir(d)) != NULL;)
		n += e->d_name[0] != '.';
	if (d)
		closedir(d);
	return n;
}

static int count_objects(const struct rarog_object_info *info, void *user)
{
	(void)info;
	++*(int *)user;
	return 0;
}

static int all(void)
{
	int n = 0;

	assert_int_equal(rarog_objects_each(objects, count_objects, NULL, &n), 0);
	return n;
}

TEST_WITH(hashes_are_those_of_the_standard, enter, leave)
{
	struct rarog_hash hash, again;

	rarog_hash_bytes(3, "abc", &hash);
	assert_string_equal(rarog_hash_hex(&hash).text,
			    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	rarog_hash_bytes(0, "", &hash);
	assert_string_equal(rarog_hash_hex(&hash).text,
			    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	assert_int_equal(rarog_hash_parse(rarog_hash_hex(&hash).text, &again), 0);
	assert_true(rarog_hash_equal(&hash, &again));
	assert_int_equal(rarog_hash_parse("e3b0", &again), -EINVAL);
	assert_int_equal(rarog_hash_parse("g3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b"
					  "7852b855",
					  &again),
			 -EINVAL);
}

/* sha256sum of every file under objects/ is its name. */
static int names_are_right(void)
{
	return system(
		"cd objects && find . -type f | while read -r f; do "
		"[ \"$(sha256sum <\"$f\" | cut -c1-64)\" = \"$(echo \"$f\" | tr -d ./)\" ] || "
		"exit 1; done");
}

TEST_WITH(what_is_put_is_there_once, enter, leave)
{
	rarog_cleanup(rarog_freep) char *bytes = NULL;
	struct rarog_hash hash, from_file;
	uint64_t length;
	size_t n;

	assert_int_equal(rarog_object_put(objects, 5, "hello", &hash), 1);
	assert_int_equal(rarog_object_put(objects, 5, "hello", &hash), 0);
	assert_int_equal(system("printf hello >file"), 0);
	assert_int_equal(rarog_object_put_file(objects, "file", &from_file, &length), 0);
	assert_true(rarog_hash_equal(&hash, &from_file));
	assert_int_equal(length, 5);
	assert_int_equal(rarog_object_put(objects, 0, NULL, &from_file), 1);
	assert_int_equal(all(), 2);
	assert_int_equal(count("tmp"), 0);
	assert_int_equal(names_are_right(), 0);
	assert_int_equal(rarog_object_read(objects, &hash, 100, &bytes, &n), 0);
	assert_int_equal(n, 5);
	assert_string_equal(bytes, "hello");
	assert_int_equal(rarog_object_read(objects, &hash, 4, &bytes, &n), -EFBIG);
}

TEST_WITH(damage_is_found_and_repaired_by_a_put, enter, leave)
{
	rarog_cleanup(rarog_freep) char *path = NULL;
	rarog_cleanup(rarog_freep) char *command = NULL;
	struct rarog_hash hash;
	char *bytes;

	assert_int_equal(rarog_object_put(objects, 5, "hello", &hash), 1);
	path = rarog_object_path(objects, &hash);
	command = rarog_asprintf("chmod u+w %s && printf jello >%s", path, path);
	assert_int_equal(system(command), 0);
	assert_int_equal(rarog_object_verify(objects, &hash), -EBADMSG);
	assert_non_null(strstr(rarog_error_message(), rarog_hash_hex(&hash).text));
	assert_int_equal(rarog_object_read(objects, &hash, 100, &bytes, NULL), -EBADMSG);
	assert_int_equal(rarog_object_put(objects, 5, "hello", &hash), 1);
	assert_int_equal(rarog_object_verify(objects, &hash), 0);
	assert_int_equal(rarog_object_remove(objects, &hash), 0);
	assert_int_equal(rarog_object_remove(objects, &hash), 0);
	assert_int_equal(rarog_object_verify(objects, &hash), -ENOENT);
}

static int ignore_object(const struct rarog_object_info *info, void *user)
{
	(void)info;
	(void)user;
	return 0;
}

static int note_stray(const char *path, void *user)
{
	strcpy(user, path);
	return 0;
}

TEST_WITH(strays_are_told_from_objects, enter, leave)
{
	struct rarog_hash hash;
	char stray[256] = "";
	int n = 0;

	assert_int_equal(rarog_object_put(objects, 1, "x", &hash), 1);
	assert_int_equal(system("touch objects/README"), 0);
	assert_int_equal(rarog_objects_each(objects, ignore_object, note_stray, stray), 0);
	assert_string_equal(stray, "objects/README");
	assert_int_equal(rarog_objects_each(objects, count_objects, NULL, &n), 0);
	assert_int_equal(n, 1);
}

TEST_WITH(a_batch_is_all_or_nothing, enter, leave)
{
	struct rarog_hash hash;
	char text[16];

	rarog_objects_begin(objects);
	for (int i = 0; i < 20; i++) {
		snprintf(text, sizeof(text), "%d", i);
		assert_int_equal(rarog_object_put(objects, strlen(text), text, &hash), 1);
		assert_int_equal(rarog_object_put(objects, strlen(text), text, &hash), 0);
	}
	assert_int_equal(all(), 0);
	rarog_objects_abandon(objects);
	assert_int_equal(count("tmp"), 0);
	rarog_objects_begin(objects);
	for (int i = 0; i < 20; i++) {
		snprintf(text, sizeof(text), "%d", i);
		assert_int_equal(rarog_object_put(objects, strlen(text), text, &hash), 1);
	}
	assert_int_equal(rarog_objects_flush(objects), 0);
	assert_int_equal(all(), 20);
	assert_int_equal(names_are_right(), 0);
	assert_int_equal(count("tmp"), 0);
}

/* A full disk, as a limit on file sizes: said, nothing left. */
TEST_WITH(a_full_disk_leaves_nothing, enter, leave)
{
	struct rlimit old, small = { 0 };
	struct rarog_hash hash;
	char large[4096] = "x";
	int r;

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small = old;
	small.rlim_cur = 1000;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	r = rarog_object_put(objects, sizeof(large), large, &hash);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(r, -EFBIG);
	assert_int_equal(all(), 0);
	assert_int_equal(count("tmp"), 0);
}

/* Killed at any moment: what was said to be saved is there and sound, and no name is wrong. */
TEST_WITH(kill_loses_nothing, enter, leave)
{
	for (int round = 0; round < 20; round++) {
		int pipe_[2], n, wait_status;
		struct rarog_hash hash;
		pid_t pid;

		assert_int_equal(pipe(pipe_), 0);
		pid = fork();
		if (pid == 0) {
			for (int i = 0;; i++) {
				char text[64];

				snprintf(text, sizeof(text), "%d of %d", i, round);
				if (rarog_object_put(objects, strlen(text), text, &hash) < 0 ||
				    write(pipe_[1], &hash, sizeof(hash)) < 0)
					_exit(1);
			}
		}
		close(pipe_[1]);
		assert_int_equal(read(pipe_[0], &hash, sizeof(hash)), sizeof(hash));
		usleep((useconds_t)(round * 1000));
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, &wait_status, 0), pid);
		n = 0;
		do {
			assert_int_equal(rarog_object_verify(objects, &hash), 0);
			n++;
		} while (read(pipe_[0], &hash, sizeof(hash)) == sizeof(hash));
		close(pipe_[0]);
		assert_true(n > 0);
	}
	assert_int_equal(names_are_right(), 0);
}
