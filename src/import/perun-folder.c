/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/perun-folder.h"

#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <nettle/sha1.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/file.h"
#include "base/str.h"
#include "import/perun.h"

#define LIMIT        (1u << 30)
#define ENTRY_LEAST  25 /* time, SHA-1, an empty path */
#define TEXTS_OF_TWO 5  /* type, command, workload, collector, postprocessors */

/* --- the index --- */

struct cursor {
	const unsigned char *at, *end;
	bool is_big;
};

static size_t left(const struct cursor *c)
{
	return (size_t)(c->end - c->at);
}

static bool take_u32(struct cursor *c, uint32_t *ret)
{
	uint32_t value;

	if (left(c) < sizeof(value))
		return false;
	memcpy(&value, c->at, sizeof(value));
	c->at += sizeof(value);
	*ret = c->is_big ? be32toh(value) : le32toh(value);
	return true;
}

static bool take_object(struct cursor *c, char object[41])
{
	if (left(c) < 20)
		return false;
	for (size_t i = 0; i < 20; i++)
		snprintf(object + 2 * i, 3, "%02x", c->at[i]);
	c->at += 20;
	return true;
}

static bool take_path(struct cursor *c, const char **ret_path)
{
	const unsigned char *nul = memchr(c->at, 0, left(c));

	if (!nul)
		return false;
	*ret_path = (const char *)c->at;
	c->at = nul + 1;
	return true;
}

static bool skip_texts(struct cursor *c, size_t n)
{
	for (uint32_t length; n > 0; n--) {
		if (!take_u32(c, &length) || left(c) < length)
			return false;
		c->at += length;
	}
	return true;
}

static bool take_entry(struct cursor *c, uint32_t version, struct rarog_perun_entry *entry)
{
	return take_u32(c, &entry->time) && take_object(c, entry->object) &&
	       take_path(c, &entry->path) && skip_texts(c, version == 2 ? TEXTS_OF_TWO : 0);
}

/* The version is a small number in one byte order only. */
static int take_head(struct cursor *c, const char *name, uint32_t *ret_version, uint32_t *ret_n)
{
	if (left(c) < 12 || memcmp(c->at, "pidx", 4) != 0)
		return rarog_fail(-EINVAL, "%s: not an index of Perun", name);
	c->at += 4;
	c->is_big = c->at[0] == 0 && c->at[3] != 0;
	take_u32(c, ret_version);
	take_u32(c, ret_n);
	if (*ret_version != 1 && *ret_version != 2)
		return rarog_fail(-EBADMSG, "%s: index of version %u; 1 and 2 are known", name,
				  *ret_version);
	if (*ret_n > left(c) / ENTRY_LEAST)
		return rarog_fail(-EBADMSG,
				  "%s: an index of %u profiles in %zu bytes: it is cut off", name,
				  *ret_n, left(c) + 12);
	return 0;
}

int rarog_perun_index_parse(const char *name, size_t n, const void *bytes,
			    int (*visit)(const struct rarog_perun_entry *entry, void *user),
			    void *user)
{
	struct cursor c = { .at = bytes, .end = (const unsigned char *)bytes + n };
	uint32_t version = 0, count = 0;
	int r = take_head(&c, name, &version, &count);

	for (uint32_t i = 0; r == 0 && i < count; i++) {
		struct rarog_perun_entry entry;

		if (!take_entry(&c, version, &entry))
			return rarog_fail(-EBADMSG, "%s: the index is cut off in entry %u of %u",
					  name, i + 1, count);
		r = visit(&entry, user);
	}
	return r;
}

/* --- the directory --- */

struct folder {
	const char *root; /* …/.perun */
	char commit[41];
	int (*visit)(const struct rarog_perun_found *found, void *user);
	void (*problem)(const char *message, void *user);
	void *user;
};

static bool has_objects(const char *path, const char *below)
{
	rarog_cleanup(rarog_freep) char *objects = rarog_asprintf("%s%s/objects", path, below);
	struct stat status;

	return objects && stat(objects, &status) == 0 && S_ISDIR(status.st_mode);
}

static int visit_entry(const struct rarog_perun_entry *entry, void *user)
{
	struct folder *f = user;
	rarog_cleanup(rarog_freep) char *file =
		rarog_asprintf("%s/objects/%.2s/%s", f->root, entry->object, entry->object + 2);
	const struct rarog_perun_found found = { .file = file,
						 .name = entry->path,
						 .commit = f->commit,
						 .object = entry->object,
						 .time = entry->time };

	return file ? f->visit(&found, f->user) : rarog_oom();
}

/* Most objects are profiles: told by their first bytes. */
static bool is_index(const char *path)
{
	rarog_cleanup(rarog_closep) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char magic[4];

	return fd >= 0 && read(fd, magic, 4) == 4 && memcmp(magic, "pidx", 4) == 0;
}

static int read_index(struct folder *f, const char *path)
{
	rarog_cleanup(rarog_freep) char *bytes = NULL;
	size_t n = 0;
	int r;

	if (!is_index(path))
		return 0;
	r = rarog_file_read(path, LIMIT, &bytes, &n);
	if (r == 0)
		r = rarog_perun_index_parse(path, n, bytes, visit_entry, f);
	if (r != -EBADMSG && r != -EFBIG)
		return r;
	f->problem(rarog_error_message(), f->user);
	rarog_error_clear();
	return 0;
}

static bool is_hex(const char *text, size_t n)
{
	return strlen(text) == n && text[strspn(text, "0123456789abcdef")] == '\0';
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* Calls @each for every entry of @path in the order of their names; none if it is not there. */
static int each_name(const char *path,
		     int (*each)(struct folder *f, const char *path, const char *name),
		     struct folder *f)
{
	struct dirent **names = NULL;
	int n = scandir(path, &names, NULL, by_name), r = 0;

	for (int i = 0; i < n; i++) {
		if (r == 0 && names[i]->d_name[0] != '.')
			r = each(f, path, names[i]->d_name);
		free(names[i]);
	}
	free(names);
	return r;
}

static int visit_object(struct folder *f, const char *path, const char *name)
{
	rarog_cleanup(rarog_freep) char *file = rarog_asprintf("%s/%s", path, name);

	if (!file)
		return rarog_oom();
	if (!is_hex(name, 38))
		return 0;
	memcpy(f->commit + 2, name, 39);
	return read_index(f, file);
}

static int visit_objects(struct folder *f, const char *path, const char *name)
{
	rarog_cleanup(rarog_freep) char *below = rarog_asprintf("%s/%s", path, name);

	if (!below)
		return rarog_oom();
	if (!is_hex(name, 2))
		return 0;
	memcpy(f->commit, name, 2);
	return each_name(below, visit_object, f);
}

static int visit_job(struct folder *f, const char *path, const char *name)
{
	rarog_cleanup(rarog_freep) char *file = rarog_asprintf("%s/%s", path, name);
	const struct rarog_perun_found found = { .file = file, .name = name };

	if (!file)
		return rarog_oom();
	return rarog_ends_with(name, ".perf") ? f->visit(&found, f->user) : 0;
}

int rarog_perun_folder_each(const char *path,
			    int (*visit)(const struct rarog_perun_found *found, void *user),
			    void (*problem)(const char *message, void *user), void *user)
{
	rarog_cleanup(rarog_freep) char *root =
		rarog_asprintf("%s%s", path, has_objects(path, "/.perun") ? "/.perun" : "");
	rarog_cleanup(rarog_freep) char *objects = root ? rarog_asprintf("%s/objects", root) : NULL;
	rarog_cleanup(rarog_freep) char *jobs = root ? rarog_asprintf("%s/jobs", root) : NULL;
	struct folder folder = { .visit = visit, .problem = problem, .user = user };
	int r;

	if (!objects || !jobs)
		return rarog_oom();
	if (access(objects, F_OK) < 0)
		return rarog_fail(-ENOENT,
				  "%s: no profiles of Perun: neither .perf files nor a repository",
				  path);
	folder.root = root;
	r = each_name(objects, visit_objects, &folder);
	return r != 0 ? r : each_name(jobs, visit_job, &folder);
}

int rarog_perun_folder_read(const struct rarog_perun_found *found, char **ret_text, size_t *ret_n)
{
	rarog_cleanup(rarog_freep) char *bytes = NULL, *text = NULL;
	unsigned char digest[SHA1_DIGEST_SIZE];
	struct sha1_ctx context;
	size_t n = 0, length = 0;
	char hex[41];
	int r = rarog_file_read(found->file, LIMIT, &bytes, &n);

	if (r == 0)
		r = rarog_perun_inflate(found->file, n, bytes, &text, &length);
	if (r < 0)
		return r;
	sha1_init(&context);
	sha1_update(&context, length, (const uint8_t *)text);
	sha1_digest(&context, sizeof(digest), digest);
	for (size_t i = 0; i < sizeof(digest); i++)
		snprintf(hex + 2 * i, 3, "%02x", digest[i]);
	if (found->object && strcmp(found->object, hex) != 0)
		return rarog_fail(-EBADMSG, "%s: damaged: its bytes do not give its name",
				  found->file);
	*ret_text = rarog_take(text);
	*ret_n = length;
	return 0;
}
