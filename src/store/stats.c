/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * history/stats/VERSION/NAME.zst, where letters that a file name had better not have are written
 * as %XX. A file is whole or not there (base/file.h), and zstd's checksum says whether it is sound.
 */
#include "store/stats.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/str.h"
#include "store/remove-tree.h"

#define SUFFIX     ".zst"
#define LEVEL      9
#define BYTES_MOST ((size_t)1 << 30)

/* --- names --- */

static int add_escaped(struct rarog_str *out, const char *name)
{
	static const char fine[] = "-_+=,:@~";
	int r = 0;

	for (const char *c = name; r == 0 && *c; c++) {
		bool is_fine =
			isalnum((unsigned char)*c) || strchr(fine, *c) || (*c == '.' && c > name);

		r = is_fine ? rarog_str_add_char(out, *c)
			    : rarog_str_addf(out, "%%%02X", (unsigned)(unsigned char)*c);
	}
	return r;
}

static int digit(char c)
{
	static const char digits[] = "0123456789ABCDEF";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* NULL: no memory. */
static char *unescape(const char *text, size_t n)
{
	char *out = malloc(n + 1);
	size_t k = 0;

	for (size_t i = 0; out && i < n; i++) {
		bool is_code = text[i] == '%' && i + 2 < n && digit(text[i + 1]) >= 0 &&
			       digit(text[i + 2]) >= 0;

		out[k++] = is_code ? (char)(16 * digit(text[i + 1]) + digit(text[i + 2])) : text[i];
		i += is_code ? 2 : 0;
	}
	if (out)
		out[k] = '\0';
	return out;
}

static int add_folder(struct rarog_store *store, struct rarog_str *path)
{
	rarog_cleanup(rarog_freep) char *place = NULL;
	int r = rarog_store_place(store, RAROG_PLACE_HISTORY, &place);

	return r < 0 ? r : rarog_str_addf(path, "%s/stats", place);
}

static int add_version(struct rarog_store *store, const char *version, struct rarog_str *path)
{
	int r = add_folder(store, path);

	if (r == 0)
		r = rarog_str_add_char(path, '/');
	return r < 0 ? r : add_escaped(path, version ? version : RAROG_STATS_NO_VERSION);
}

static int add_file(struct rarog_store *store, const char *version, const char *name,
		    struct rarog_str *path)
{
	int r = add_version(store, version, path);

	if (r == 0)
		r = rarog_str_add_char(path, '/');
	if (r == 0)
		r = add_escaped(path, name);
	return r < 0 ? r : rarog_str_add(path, SUFFIX);
}

/* --- writing --- */

static int compress(size_t n, const void *bytes, void **ret_packed, size_t *ret_n)
{
	size_t room = ZSTD_compressBound(n);
	ZSTD_CCtx *context = ZSTD_createCCtx();
	void *packed = malloc(room);

	if (context && packed) {
		ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, LEVEL);
		ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
		*ret_n = ZSTD_compress2(context, packed, room, bytes, n);
	}
	if (!context || !packed || ZSTD_isError(*ret_n)) {
		ZSTD_freeCCtx(context);
		free(packed);
		return rarog_oom();
	}
	ZSTD_freeCCtx(context);
	*ret_packed = packed;
	return 0;
}

static int write_file(const char *path, size_t n, const void *bytes)
{
	rarog_cleanup(rarog_new_file_release) struct rarog_new_file file = RAROG_NEW_FILE_NONE;
	int r = rarog_new_file_open(path, &file);

	if (r < 0)
		return r;
	r = rarog_write_all(file.fd, n, bytes);
	return r < 0 ? rarog_fail(r, "%s: cannot write: %s", path, strerror(-r))
		     : rarog_new_file_commit(&file);
}

static int writable(struct rarog_store *store)
{
	return rarog_store_is_read_only(store)
		       ? rarog_fail(-EROFS, "%s: the store can only be read",
				    rarog_store_path(store))
		       : 0;
}

static int make_folder(struct rarog_store *store, const char *version)
{
	rarog_cleanup(rarog_str_release) struct rarog_str folder = { 0 };
	int r = writable(store);

	if (r == 0)
		r = add_version(store, version, &folder);
	return r < 0 ? r : rarog_mkdirs(folder.text, 0777);
}

int rarog_stats_put(struct rarog_store *store, const char *version, const char *name, size_t n,
		    const void *bytes)
{
	rarog_cleanup(rarog_str_release) struct rarog_str path = { 0 };
	rarog_cleanup(rarog_freep) void *packed = NULL;
	size_t size = 0;
	int r = make_folder(store, version);

	if (r == 0)
		r = add_file(store, version, name, &path);
	if (r == 0)
		r = compress(n, bytes, &packed, &size);
	return r < 0 ? r : write_file(path.text, size, packed);
}

/* --- reading --- */

/* 1; 0: it is damaged. */
static int decompress(size_t n, const char *packed, char **ret_bytes, size_t *ret_n)
{
	unsigned long long size = ZSTD_getFrameContentSize(packed, n);
	char *bytes;

	if (size >= BYTES_MOST) /* or unknown, or an error */
		return 0;
	bytes = malloc((size_t)size + 1);
	if (!bytes)
		return rarog_oom();
	if (ZSTD_decompress(bytes, (size_t)size, packed, n) != size) {
		free(bytes);
		return 0;
	}
	bytes[size] = '\0';
	*ret_bytes = bytes;
	*ret_n = (size_t)size;
	return 1;
}

int rarog_stats_read(struct rarog_store *store, const char *version, const char *name,
		     char **ret_bytes, size_t *ret_n)
{
	rarog_cleanup(rarog_str_release) struct rarog_str path = { 0 };
	rarog_cleanup(rarog_freep) char *packed = NULL;
	size_t n = 0;
	int r = add_file(store, version, name, &path);

	if (r < 0)
		return r;
	if (access(path.text, F_OK) < 0)
		return 0;
	r = rarog_file_read(path.text, BYTES_MOST, &packed, &n);
	return r < 0 ? r : decompress(n, packed, ret_bytes, ret_n);
}

int rarog_stats_is_sound(struct rarog_store *store, const struct rarog_stats_file *file)
{
	rarog_cleanup(rarog_freep) char *bytes = NULL;
	size_t n;

	return file->is_custom ? 1 : rarog_stats_read(store, file->version, file->name, &bytes, &n);
}

/* --- what there is --- */

static int is_named(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static void free_entries(int n, struct dirent **entries)
{
	for (int i = 0; i < n; i++)
		free(entries[i]);
	free(entries);
}

/* As the name that put() was given; of what it cannot have been given, the file's own. */
static char *name_of(const char *file, bool *ret_is_custom)
{
	size_t n = strlen(file);
	rarog_cleanup(rarog_str_release) struct rarog_str again = { 0 };
	char *name = rarog_ends_with(file, SUFFIX) ? unescape(file, n - strlen(SUFFIX)) : NULL;

	*ret_is_custom = !name || add_escaped(&again, name) < 0 ||
			 rarog_str_add(&again, SUFFIX) < 0 ||
			 strcmp(rarog_str_text(&again), file) != 0 || !strstr(name, "--");
	if (!*ret_is_custom)
		return name;
	free(name);
	return strdup(file);
}

static int list_file(struct rarog_stats_list *list, const char *folder, const char *entry)
{
	struct rarog_stats_version *version = &list->versions.v[list->versions.n - 1];
	rarog_cleanup(rarog_freep) char *path = rarog_asprintf("%s/%s", folder, entry);
	struct rarog_stats_file file = { 0 };
	struct stat status;

	if (!path)
		return rarog_oom();
	if (lstat(path, &status) < 0)
		return 0; /* it has gone meanwhile */
	file.version = strdup(version->name);
	file.name = name_of(entry, &file.is_custom);
	file.bytes = (uint64_t)status.st_size;
	file.changed_s = status.st_mtime;
	if (!file.version || !file.name || rarog_vec_push(&list->files, file) < 0) {
		free(file.version);
		free(file.name);
		return rarog_oom();
	}
	version->files++;
	version->bytes += file.bytes;
	return 0;
}

static char *version_of(const char *folder, const char *entry, bool *ret_is_custom)
{
	rarog_cleanup(rarog_str_release) struct rarog_str again = { 0 };
	char *name = unescape(entry, strlen(entry));
	struct stat status;

	*ret_is_custom = !name || add_escaped(&again, name) < 0 ||
			 strcmp(rarog_str_text(&again), entry) != 0 || lstat(folder, &status) < 0 ||
			 !S_ISDIR(status.st_mode);
	if (!*ret_is_custom)
		return name;
	free(name);
	return strdup(entry);
}

static int list_version(struct rarog_stats_list *list, const char *stats, const char *entry)
{
	rarog_cleanup(rarog_freep) char *folder = rarog_asprintf("%s/%s", stats, entry);
	struct rarog_stats_version version = { 0 };
	struct dirent **entries = NULL;
	int n, r = 0;

	version.name = folder ? version_of(folder, entry, &version.is_custom) : NULL;
	if (!version.name || rarog_vec_push(&list->versions, version) < 0) {
		free(version.name);
		return rarog_oom();
	}
	if (version.is_custom)
		return 0;
	n = scandir(folder, &entries, is_named, alphasort);
	for (int i = 0; r == 0 && i < n; i++)
		r = list_file(list, folder, entries[i]->d_name);
	free_entries(n, entries);
	return r;
}

int rarog_stats_list(struct rarog_store *store, struct rarog_stats_list *ret_list)
{
	rarog_cleanup(rarog_str_release) struct rarog_str folder = { 0 };
	struct dirent **entries = NULL;
	int n, r = add_folder(store, &folder);

	*ret_list = (struct rarog_stats_list){ 0 };
	if (r < 0)
		return r;
	n = scandir(folder.text, &entries, is_named, alphasort);
	if (n < 0)
		return errno == ENOENT ? 0 : rarog_fail_errno("%s: cannot be read", folder.text);
	for (int i = 0; r == 0 && i < n; i++)
		r = list_version(ret_list, folder.text, entries[i]->d_name);
	free_entries(n, entries);
	return r;
}

void rarog_stats_list_release(struct rarog_stats_list *list)
{
	for (size_t i = 0; i < list->versions.n; i++)
		free(list->versions.v[i].name);
	for (size_t i = 0; i < list->files.n; i++) {
		free(list->files.v[i].version);
		free(list->files.v[i].name);
	}
	rarog_vec_release(&list->versions);
	rarog_vec_release(&list->files);
}

/* --- removing --- */

static int remove_folder(const char *path)
{
	return rmdir(path) == 0 || errno == ENOTEMPTY || errno == EEXIST || errno == ENOENT
		       ? 0
		       : rarog_fail_errno("%s: cannot be removed", path);
}

int rarog_stats_remove(struct rarog_store *store, const struct rarog_stats_file *file,
		       bool keep_folder)
{
	rarog_cleanup(rarog_str_release) struct rarog_str path = { 0 }, folder = { 0 };
	int r = writable(store);

	if (r == 0)
		r = add_version(store, file->version, &folder);
	if (r == 0)
		r = file->is_custom ? rarog_str_addf(&path, "%s/%s", folder.text, file->name)
				    : add_file(store, file->version, file->name, &path);
	if (r == 0)
		r = rarog_remove_tree(path.text);
	return r < 0 || keep_folder ? r : remove_folder(folder.text);
}

int rarog_stats_remove_version(struct rarog_store *store, const struct rarog_stats_version *version,
			       bool keep_folder)
{
	rarog_cleanup(rarog_str_release) struct rarog_str folder = { 0 };
	int r = writable(store);

	if (r == 0 && version->is_custom)
		r = add_folder(store, &folder);
	if (r == 0)
		r = version->is_custom ? rarog_str_addf(&folder, "/%s", version->name)
				       : add_version(store, version->name, &folder);
	if (r == 0)
		r = rarog_remove_tree(folder.text);
	if (r == 0 && keep_folder && !version->is_custom)
		r = rarog_mkdirs(folder.text, 0777);
	return r;
}
