/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/file.h"

/* Every test runs in an empty directory of its own. */
static char directory[64];

static int enter(void **state)
{
	(void)state;
	strcpy(directory, "/tmp/rarog-test-XXXXXX");
	return mkdtemp(directory) && chdir(directory) == 0 ? 0 : -1;
}

static int leave(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", directory);
	return chdir("/") == 0 ? system(command) : -1;
}

static int count_entries(const char *path)
{
	DIR *dir = opendir(path);
	int n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n - 2; /* . and .. */
}

static void write_file(const char *path, const char *text)
{
	rarog_cleanup(rarog_new_file_release) struct rarog_new_file file = RAROG_NEW_FILE_NONE;

	assert_int_equal(rarog_new_file_open(path, &file), 0);
	assert_int_equal(rarog_write_all(file.fd, strlen(text), text), 0);
	assert_int_equal(rarog_new_file_commit(&file), 0);
}

static void has_text(const char *path, const char *expected)
{
	rarog_cleanup(rarog_freep) char *text = NULL;
	size_t n;

	assert_int_equal(rarog_file_read(path, 1000, &text, &n), 0);
	assert_int_equal(n, strlen(expected));
	assert_string_equal(text, expected);
}

TEST_WITH(a_new_file_appears_whole_and_replaces, enter, leave)
{
	struct stat status;
	mode_t mask = umask(022);

	umask(mask);
	write_file("a", "first");
	has_text("a", "first");
	write_file("./a", "second");
	has_text("a", "second");
	assert_int_equal(count_entries("."), 1);
	assert_int_equal(stat("a", &status), 0);
	assert_int_equal(status.st_mode & 0777, 0666 & ~mask);
}

TEST_WITH(an_uncommitted_file_leaves_nothing, enter, leave)
{
	write_file("a", "old");
	{
		rarog_cleanup(rarog_new_file_release) struct rarog_new_file file =
			RAROG_NEW_FILE_NONE;

		assert_int_equal(rarog_new_file_open("a", &file), 0);
		assert_int_equal(rarog_write_all(file.fd, 3, "new"), 0);
	}
	has_text("a", "old");
	assert_int_equal(count_entries("."), 1);
}

TEST_WITH(errors_name_the_file, enter, leave)
{
	struct rarog_new_file file = RAROG_NEW_FILE_NONE;
	char *text = NULL;

	assert_int_equal(rarog_new_file_open("no/such/a", &file), -ENOENT);
	assert_string_equal(
		rarog_error_message(),
		"no/such/a: cannot create a file in its directory: No such file or directory");
	assert_int_equal(rarog_new_file_open(".", &file), -EISDIR);
	assert_int_equal(file.fd, -1);
	assert_int_equal(rarog_file_read("b", 10, &text, NULL), -ENOENT);
	write_file("a", "0123456789");
	assert_int_equal(rarog_file_read("a", 9, &text, NULL), -EFBIG);
	assert_string_equal(rarog_error_message(), "a: longer than 9 bytes");
	assert_int_equal(rarog_file_read("a", 10, &text, NULL), 0);
	free(text);
}

TEST(files_without_size_are_read)
{
	rarog_cleanup(rarog_freep) char *text = NULL;
	size_t n = 0;

	assert_int_equal(rarog_file_read("/proc/self/maps", 1 << 20, &text, &n), 0);
	assert_true(n > 100 && strlen(text) == n);
	free(text);
	assert_int_equal(rarog_file_read("/dev/null", 0, &text, &n), 0);
	assert_int_equal(n, 0);
	assert_string_equal(text, "");
}

TEST_WITH(directories_are_made_along_the_way, enter, leave)
{
	struct stat status;

	assert_int_equal(rarog_mkdirs("x/y//z", 0755), 0);
	assert_int_equal(rarog_mkdirs("x/y/z/", 0755), 0);
	assert_int_equal(stat("x/y/z", &status), 0);
	write_file("x/f", "");
	assert_int_equal(rarog_mkdirs("x/f", 0755), -EEXIST);
	assert_int_equal(rarog_mkdirs("x/f/g", 0755), -EEXIST);
	assert_int_equal(rarog_mkdirs("", 0755), -ENOENT);
}

TEST(a_full_disk_is_an_error)
{
	rarog_cleanup(rarog_closep) int fd = open("/dev/full", O_WRONLY);

	assert_true(fd >= 0);
	assert_int_equal(rarog_write_all(fd, 1, "x"), -ENOSPC);
	assert_int_equal(rarog_write_all(fd, 0, NULL), 0);
}
