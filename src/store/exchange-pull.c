/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which rows the remote has is told by the names in its tree alone. The blobs that are wanted and
 * were left out are fetched by their ids, many at a time, and read through one git cat-file.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "store/exchange-own.h"

#define BATCH      5000 /* blobs a fetch */
#define WORDS_MOST (16u << 20)
#define CHUNK      (1u << 16)

struct wanted {
	const struct rarog_exchange_entry *row, *profile; /* profile NULL: the bytes are here */
	struct rarog_hash object;
};

struct pull {
	struct rarog_exchange *x;
	size_t n_versions;
	const char *const *versions;
	RAROG_VEC(struct wanted) wanted;
	struct rarog_git_stream cat;
	struct rarog_parcel_portion portion;
	char *temporary;
	struct rarog_exchange_result result;
};

/* --- what to get --- */

static bool is_of_versions(const struct pull *p, const char *path)
{
	for (size_t i = 0; i < p->n_versions; i++) {
		struct rarog_hash hash;
		struct rarog_hex hex;

		rarog_hash_bytes(strlen(p->versions[i]), p->versions[i], &hash);
		hex = rarog_hash_hex(&hash);
		if (strncmp(path + 5, hex.text, 2) == 0 && strncmp(path + 8, hex.text + 2, 62) == 0)
			return true;
	}
	return p->n_versions == 0;
}

/* rows/xx/…62/OBJECT-ROW, else false. */
static bool parse_row(const char *path, struct rarog_hash *object)
{
	char hex[RAROG_HASH_DIGITS + 1];

	if (strlen(path) != sizeof(struct rarog_row_path) - 1 || strncmp(path, "rows/", 5) != 0 ||
	    path[7] != '/' || path[70] != '/')
		return false;
	memcpy(hex, path + 71, RAROG_HASH_DIGITS);
	hex[RAROG_HASH_DIGITS] = '\0';
	return rarog_hash_parse(hex, object) == 0;
}

struct have {
	struct pull *p;
	const char *path;
	bool has_row, has_object;
};

/* The row as it would be pushed from here has the same name: nothing is new. */
static int compare_row(const struct rarog_record *record, void *user)
{
	rarog_cleanup(rarog_parcel_release) struct rarog_parcel parcel = { 0 };
	rarog_cleanup(rarog_str_release) struct rarog_str words = { 0 };
	struct have *have = user;
	int r = rarog_parcel_of(have->p->x->store, have->p->x->vcs, record, &parcel);

	have->has_object |= (record->flags & RAROG_RECORD_DAMAGED) == 0;
	if (r == 0)
		r = rarog_parcel_print(&parcel, &words);
	if (r < 0)
		return r;
	if (strcmp(rarog_exchange_row(&parcel, words.length, words.text).text, have->path) == 0)
		have->has_row = have->has_object;
	return 0;
}

static int want(struct pull *p, const struct rarog_exchange_entry *entry)
{
	struct wanted wanted = { .row = entry };
	struct have have = { .p = p, .path = entry->path };
	const struct rarog_record_filter filter = { .object = &wanted.object };
	int r;

	if (!parse_row(entry->path, &wanted.object) || !is_of_versions(p, entry->path))
		return 0;
	r = rarog_record_each(p->x->store, &filter, compare_row, &have);
	if (r < 0 || have.has_row) {
		p->result.known += have.has_row;
		return r;
	}
	if (!have.has_object) {
		wanted.profile =
			rarog_exchange_find(p->x, rarog_exchange_profile(&wanted.object).text);
		if (!wanted.profile) {
			p->result.damaged++;
			return 0;
		}
	}
	return rarog_vec_push(&p->wanted, wanted) < 0 ? rarog_oom() : 0;
}

static int by_object(const void *a, const void *b)
{
	const struct wanted *x = a, *y = b;
	int order = memcmp(x->object.bytes, y->object.bytes, sizeof(x->object.bytes));

	return order != 0 ? order : strcmp(x->row->path, y->row->path);
}

/* --- getting it --- */

static int fetch_blobs(struct pull *p, const struct rarog_str *ids)
{
	static const char *const arguments[] = { "fetch",
						 "--quiet",
						 "--no-tags",
						 "--no-write-fetch-head",
						 "--no-recurse-submodules",
						 "--filter=blob:none",
						 "--stdin",
						 RAROG_EXCHANGE_NAME,
						 NULL };
	rarog_cleanup(rarog_str_release) struct rarog_str words = { 0 };
	int status = rarog_git(&p->x->git, arguments, ids->length, ids->text, NULL, &words);

	if (status <= 0)
		return status;
	return rarog_fail(-EIO, "%s: git fetch: %.*s", p->x->remote,
			  (int)strcspn(rarog_str_text(&words), "\n"), rarog_str_text(&words));
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Ids that the fetch of the tree left out, one line each, sorted. */
static int list_missing(struct pull *p, struct rarog_str *text, size_t *ret_n, char ***ret_ids)
{
	rarog_cleanup(rarog_freep) char **ids = NULL;
	size_t n = 0;
	int r = rarog_git_must(&p->x->git,
			       (const char *const[]){ "rev-list", "--objects", "--no-object-names",
						      "--missing=print", RAROG_EXCHANGE_TIP, NULL },
			       text);

	if (r < 0)
		return r;
	ids = calloc(text->length / 41 + 1, sizeof(*ids));
	if (!ids)
		return rarog_oom();
	for (char *rest = text->text, *line; rest && (line = strsep(&rest, "\n"));)
		if (*line == '?')
			ids[n++] = line + 1;
	qsort(ids, n, sizeof(*ids), by_text);
	*ret_n = n;
	*ret_ids = rarog_take(ids);
	return 0;
}

static int get_missing(struct pull *p)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	rarog_cleanup(rarog_str_release) struct rarog_str ids = { 0 };
	rarog_cleanup(rarog_freep) char **missing = NULL;
	size_t n_missing = 0, n = 0;
	int r = list_missing(p, &text, &n_missing, &missing);

	for (size_t i = 0; r == 0 && n_missing > 0 && i < 2 * p->wanted.n; i++) {
		const struct wanted *wanted = &p->wanted.v[i / 2];
		const struct rarog_exchange_entry *entry = i % 2 ? wanted->profile : wanted->row;

		if (entry && bsearch(&entry->id, missing, n_missing, sizeof(*missing), by_text)) {
			r = rarog_str_addf(&ids, "%s\n", entry->id) < 0 ? rarog_oom() : 0;
			n++;
		}
		if (r == 0 && n == BATCH) {
			r = fetch_blobs(p, &ids);
			rarog_str_clear(&ids);
			n = 0;
		}
	}
	return r == 0 && n > 0 ? fetch_blobs(p, &ids) : r;
}

/* --- reading blobs --- */

static int ask_blob(struct pull *p, const char *id, uint64_t *ret_n)
{
	rarog_cleanup(rarog_freep) char *question = rarog_asprintf("%s\n", id), *line = NULL;
	size_t room = 0;
	int r = question ? rarog_git_tell(&p->cat, strlen(question), question) : rarog_oom();

	if (r < 0)
		return r;
	const char *size = getline(&line, &room, p->cat.from) < 0 ? NULL : strstr(line, " blob ");
	char *end = NULL;

	errno = 0;
	if (size)
		*ret_n = strtoull(size + strlen(" blob "), &end, 10);
	if (!end || *end != '\n' || errno != 0)
		return rarog_fail(-EIO, "%s: blob %s cannot be read", p->x->remote, id);
	return 0;
}

static int end_blob(struct pull *p)
{
	return getc(p->cat.from) == '\n' ? 0 : rarog_fail(-EIO, "git cat-file ended too early");
}

static int read_words(struct pull *p, const struct rarog_exchange_entry *row, uint64_t *ret_n,
		      char **ret_words)
{
	rarog_cleanup(rarog_freep) char *words = NULL;
	int r = ask_blob(p, row->id, ret_n);

	if (r == 0 && *ret_n > WORDS_MOST)
		r = rarog_fail(-EBADMSG, "%s: %s is no row", p->x->remote, row->path);
	if (r < 0)
		return r;
	words = malloc(*ret_n + 1);
	if (!words)
		return rarog_oom();
	if (fread(words, 1, *ret_n, p->cat.from) != *ret_n)
		return rarog_fail(-EIO, "git cat-file ended too early");
	*ret_words = rarog_take(words);
	return end_blob(p);
}

/* The profile to the temporary file: 1 its bytes are right, 0 they are not. */
static int read_profile(struct pull *p, const struct wanted *wanted)
{
	rarog_cleanup(rarog_closep) int fd =
		open(p->temporary, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	char chunk[CHUNK];
	uint64_t n = 0;
	int r = fd < 0 ? rarog_fail_errno("%s: cannot make it", p->temporary)
		       : ask_blob(p, wanted->profile->id, &n);

	p->result.bytes += r == 0 ? n : 0;
	while (r == 0 && n > 0) {
		size_t piece = n < CHUNK ? (size_t)n : CHUNK;

		if (fread(chunk, 1, piece, p->cat.from) != piece)
			return rarog_fail(-EIO, "git cat-file ended too early");
		if (rarog_write_all(fd, piece, chunk) < 0)
			return rarog_fail_errno("%s: cannot write", p->temporary);
		n -= piece;
	}
	if (r == 0)
		r = end_blob(p);
	if (r < 0)
		return r;
	return rarog_parcel_verify(p->temporary, &wanted->object);
}

static int leave_out(struct pull *p, const struct wanted *wanted)
{
	rarog_warn("%s: profile %.16s is damaged there; left out", p->x->remote,
		   rarog_hash_hex(&wanted->object).text);
	rarog_error_clear();
	p->result.damaged++;
	return 0;
}

static int add(struct pull *p, const struct wanted *wanted, const struct rarog_parcel *parcel,
	       bool has_bytes)
{
	int r = has_bytes ? 1 : wanted->profile ? read_profile(p, wanted) : 1;

	if (r == 0)
		return leave_out(p, wanted);
	if (r < 0)
		return r;
	r = rarog_portion_add(&p->portion, parcel,
			      wanted->profile && !has_bytes ? p->temporary : NULL);
	if (r == -EBADMSG)
		return leave_out(p, wanted);
	p->result.sent += r == 1;
	p->result.known += r == 0;
	return r < 0 ? r : 0;
}

/* A row must be what its name says, else anybody could give a profile to another version. */
static int take(struct pull *p, const struct wanted *wanted, bool has_bytes)
{
	rarog_cleanup(rarog_parcel_release) struct rarog_parcel parcel = { 0 };
	rarog_cleanup(rarog_freep) char *words = NULL;
	uint64_t n = 0;
	int r = read_words(p, wanted->row, &n, &words);

	if (r < 0)
		return r;
	r = rarog_parcel_parse(p->x->remote, n, words, &parcel);
	if (r == -EBADMSG ||
	    (r == 0 && strcmp(rarog_exchange_row(&parcel, n, words).text, wanted->row->path) != 0))
		return leave_out(p, wanted);
	return r < 0 ? r : add(p, wanted, &parcel, has_bytes);
}

static int take_all(struct pull *p)
{
	rarog_cleanup(rarog_freep) char *folder = NULL;
	int r = rarog_store_place(p->x->store, RAROG_PLACE_TMP, &folder);

	if (r == 0)
		p->temporary = rarog_asprintf("%s/pull-%ld.rarog", folder, (long)getpid());
	if (r == 0 && !p->temporary)
		r = rarog_oom();
	if (r == 0)
		r = rarog_git_start(&p->x->git,
				    (const char *const[]){ "cat-file", "--batch", NULL }, true,
				    &p->cat);
	for (size_t i = 0; r == 0 && i < p->wanted.n; i++) {
		/* ordered by object: the bytes came with the row before */
		bool has_bytes = i > 0 && rarog_hash_equal(&p->wanted.v[i - 1].object,
							   &p->wanted.v[i].object);

		r = take(p, &p->wanted.v[i], has_bytes);
	}
	return r < 0 ? r : rarog_portion_end(&p->portion);
}

int rarog_exchange_pull(struct rarog_exchange *exchange, size_t n, const char *const versions[n],
			struct rarog_exchange_result *ret_result)
{
	struct pull p = { .x = exchange,
			  .n_versions = n,
			  .versions = versions,
			  .cat = RAROG_GIT_STREAM_NONE,
			  .portion = { .store = exchange->store },
			  .result = { .rounds = 1 } };
	int r = rarog_exchange_fetch(exchange);

	for (size_t i = 0; r == 0 && i < exchange->entries.n; i++)
		r = want(&p, &exchange->entries.v[i]);
	if (r == 0 && p.wanted.n > 0) {
		qsort(p.wanted.v, p.wanted.n, sizeof(*p.wanted.v), by_object);
		r = get_missing(&p);
		if (r == 0)
			r = take_all(&p);
	}
	if (r < 0 && p.portion.is_open && rarog_portion_end(&p.portion) < 0)
		rarog_debug(RAROG_LOG_STORE, "the last portion is lost, too");
	rarog_portion_release(&p.portion);
	rarog_git_finish(&p.cat);
	if (p.temporary)
		unlink(p.temporary);
	free(p.temporary);
	rarog_vec_release(&p.wanted);
	*ret_result = p.result;
	return r;
}
