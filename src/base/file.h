/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whole files in, whole files out. A new file has no name until it is complete, so that no one
 * ever sees half of it and a killed process leaves nothing behind.
 */
#ifndef RAROG_BASE_FILE_H
#define RAROG_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

/**
 * rarog_file_open() - for reading; a pipe or a device, where a read would wait, is refused;
 * /dev/null is an empty file
 *
 * Return: the descriptor, closed on exec; -EINVAL no file, -errno; the message names @path.
 */
int rarog_file_open(const char *path);

/** rarog_file_directory() - of the file @path, "." if it names none. The caller frees; NULL: no
 * memory. */
char *rarog_file_directory(const char *path);

/**
 * rarog_file_read() - all bytes of the file @path, also of files in /proc
 * @limit: longest file to accept
 * @ret_text: the bytes and one NUL after them; the caller frees
 *
 * Return: 0; -EFBIG over the limit, -errno; the message names @path.
 */
int rarog_file_read(const char *path, size_t limit, char **ret_text, size_t *ret_n);

/** rarog_stream_read() - as rarog_file_read(), also of a pipe: for what the user names to be read.
 */
int rarog_stream_read(const char *path, size_t limit, char **ret_text, size_t *ret_n);

/** rarog_write_all() - until all is written or an error; retries EINTR. 0 or -errno, no message. */
int rarog_write_all(int fd, size_t n, const void *bytes);

/** rarog_mkdirs() - mkdir -p; 0 also when it exists already. */
int rarog_mkdirs(const char *path, mode_t mode);

/** rarog_file_is_same() - are both of one file, which was not written anew in between? */
bool rarog_file_is_same(const struct stat *a, const struct stat *b);

struct rarog_new_file {
	int fd; /* write here */
	char *path, *temporary, *directory;
};

#define RAROG_NEW_FILE_NONE                                                                        \
	{                                                                                          \
		.fd = -1                                                                           \
	}

/** rarog_new_file_open() - begin a file that will be called @path (mode 0666 less the umask); the
 * directory must exist. O_TMPFILE where the file system has it, else a hidden name. */
int rarog_new_file_open(const char *path, struct rarog_new_file *ret_file);

/** rarog_new_file_commit() - to disk, then to its name; replaces an older file atomically. */
int rarog_new_file_commit(struct rarog_new_file *file);

/** rarog_new_file_release() - forget it; what was not committed is gone. Fits rarog_cleanup(). */
void rarog_new_file_release(struct rarog_new_file *file);

#endif
