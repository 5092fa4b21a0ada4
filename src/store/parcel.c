/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/parcel.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json-writer.h"
#include "store/json-text.h"
#include "store/object-canonical.h"
#include "store/store-own.h"
#include "store/version.h"

#define PORTION       64
#define PORTION_BYTES (64u << 20)
#define WORDS_MAX     10000

static void words_release(struct rarog_parcel_words *words)
{
	for (size_t i = 0; i < words->v.n; i++)
		free(words->v.v[i]);
	rarog_vec_release(&words->v);
}

void rarog_parcel_release(struct rarog_parcel *parcel)
{
	free(parcel->version);
	free(parcel->tree);
	free(parcel->label);
	words_release(&parcel->tags);
	words_release(&parcel->version_tags);
	rarog_commit_release(&parcel->commit);
	*parcel = (struct rarog_parcel){ 0 };
}

/* --- from a row --- */

static int copy(const char *from, char **to)
{
	*to = from && *from ? strdup(from) : NULL;
	return from && *from && !*to ? rarog_oom() : 0;
}

static int add_word(struct rarog_parcel_words *words, const char *text)
{
	char *word = strdup(text);

	if (word && rarog_vec_push(&words->v, word) == 0)
		return 0;
	free(word);
	return rarog_oom();
}

static int read_tags(struct rarog_store *store, const char *question, int64_t record,
		     const char *version, struct rarog_parcel_words *words)
{
	rarog_cleanup(rarog_query_release) struct rarog_query query = { 0 };
	int r = version ? rarog_sql_query(&store->sql, &query, question, "t", version)
			: rarog_sql_query(&store->sql, &query, question, "i", record);

	while (r == 0) {
		r = rarog_query_step(&query);
		if (r <= 0)
			return r;
		r = add_word(words, rarog_query_text(&query, 0));
	}
	return r;
}

/* What the store knows, else what the version system does. */
static int find_commit(struct rarog_store *store, struct rarog_vcs *vcs, const char *version,
		       struct rarog_commit *commit)
{
	int r = rarog_version_find(store, version, commit);

	if (r == 0 && commit->author)
		return 0;
	rarog_commit_release(commit);
	if (r < 0 && r != -ENOENT)
		return r;
	r = vcs ? rarog_vcs_resolve(vcs, version, commit) : -ENOENT;
	if (r == 0 && strcmp(commit->name, version) == 0)
		return 0;
	rarog_error_clear();
	rarog_commit_release(commit);
	return r == -ENOMEM ? r : 0;
}

static int read_more(struct rarog_store *store, struct rarog_vcs *vcs,
		     const struct rarog_record *record, struct rarog_parcel *parcel)
{
	int r = read_tags(store, "SELECT name FROM tag WHERE profile = ? ORDER BY name", record->id,
			  NULL, &parcel->tags);

	if (r < 0 || !parcel->version)
		return r;
	r = read_tags(store,
		      "SELECT t.name FROM tag t JOIN version v ON v.id = t.version"
		      " WHERE v.name = ? ORDER BY t.name",
		      0, parcel->version, &parcel->version_tags);
	return r < 0 ? r : find_commit(store, vcs, parcel->version, &parcel->commit);
}

int rarog_parcel_of(struct rarog_store *store, struct rarog_vcs *vcs,
		    const struct rarog_record *record, struct rarog_parcel *ret_parcel)
{
	rarog_cleanup(rarog_parcel_release) struct rarog_parcel parcel = {
		.object = record->object,
		.bytes = record->bytes,
		.is_imported = (record->flags & RAROG_RECORD_IMPORTED) != 0,
	};
	int r = copy(record->version, &parcel.version);

	if (r == 0)
		r = copy(record->tree, &parcel.tree);
	if (r == 0)
		r = copy(record->label, &parcel.label);
	if (r == 0)
		r = read_more(store, vcs, record, &parcel);
	if (r < 0)
		return r;
	*ret_parcel = parcel;
	parcel = (struct rarog_parcel){ 0 };
	return 0;
}

/* --- words --- */

static void print_text(struct rarog_json *json, const char *key, const char *text)
{
	if (text && *text)
		rarog_json_string(json, key, text);
}

static void print_words(struct rarog_json *json, const char *key,
			const struct rarog_parcel_words *words)
{
	if (words->v.n == 0)
		return;
	rarog_json_array(json, key);
	for (size_t i = 0; i < words->v.n; i++)
		rarog_json_string(json, NULL, words->v.v[i]);
	rarog_json_end_array(json);
}

static void print_commit(struct rarog_json *json, const struct rarog_commit *commit)
{
	if (!commit->name)
		return;
	rarog_json_object(json, "commit");
	print_text(json, "tree", commit->tree);
	rarog_json_array(json, "parents");
	for (size_t i = 0; i < commit->n_parents; i++)
		rarog_json_string(json, NULL, commit->parents[i]);
	rarog_json_end_array(json);
	print_text(json, "author", commit->author);
	print_text(json, "email", commit->email);
	print_text(json, "committer", commit->committer);
	rarog_json_int(json, "author_time", commit->author_time);
	rarog_json_int(json, "commit_time", commit->commit_time);
	print_text(json, "subject", commit->subject);
	print_text(json, "body", commit->body);
	rarog_json_end_object(json);
}

int rarog_parcel_print(const struct rarog_parcel *parcel, struct rarog_str *text)
{
	rarog_cleanup(rarog_freep) char *line = NULL;
	struct rarog_json_text out;
	struct rarog_json *json = rarog_json_text_start(&out);

	if (!json)
		return rarog_oom();
	rarog_json_object(json, NULL);
	rarog_json_string(json, "object", rarog_hash_hex(&parcel->object).text);
	rarog_json_uint(json, "bytes", parcel->bytes);
	print_text(json, "version", parcel->version);
	print_text(json, "tree", parcel->tree);
	print_text(json, "label", parcel->label);
	if (parcel->is_imported)
		rarog_json_bool(json, "imported", true);
	print_words(json, "tags", &parcel->tags);
	print_words(json, "version_tags", &parcel->version_tags);
	print_commit(json, &parcel->commit);
	rarog_json_end_object(json);
	line = rarog_json_text_end(&out);
	return line && rarog_str_add(text, line) == 0 ? 0 : rarog_oom();
}

static int parse_text(const json_t *object, const char *key, char **ret_text)
{
	return copy(json_string_value(json_object_get(object, key)), ret_text);
}

static int parse_words(const json_t *object, const char *key, struct rarog_parcel_words *words)
{
	const json_t *list = json_object_get(object, key);
	int r = 0;

	for (size_t i = 0; r == 0 && i < json_array_size(list) && i < WORDS_MAX; i++)
		if (json_is_string(json_array_get(list, i)))
			r = add_word(words, json_string_value(json_array_get(list, i)));
	return r;
}

/* All texts are there: version.c's users do not ask. */
static int parse_texts(const json_t *object, struct rarog_commit *commit)
{
	const struct {
		const char *key;
		char **to;
	} texts[] = { { "author", &commit->author },
		      { "email", &commit->email },
		      { "committer", &commit->committer },
		      { "subject", &commit->subject },
		      { "body", &commit->body } };

	for (size_t i = 0; i < RAROG_COUNT(texts); i++) {
		const char *text = json_string_value(json_object_get(object, texts[i].key));

		*texts[i].to = strdup(text ? text : "");
		if (!*texts[i].to)
			return rarog_oom();
	}
	return parse_text(object, "tree", &commit->tree);
}

static int parse_commit(const json_t *object, struct rarog_parcel *parcel)
{
	struct rarog_commit *commit = &parcel->commit;
	struct rarog_parcel_words parents = { 0 };
	int r;

	if (!json_is_object(object) || !parcel->version)
		return 0;
	commit->author_time = json_integer_value(json_object_get(object, "author_time"));
	commit->commit_time = json_integer_value(json_object_get(object, "commit_time"));
	r = copy(parcel->version, &commit->name);
	if (r == 0)
		r = parse_texts(object, commit);
	if (r == 0)
		r = parse_words(object, "parents", &parents);
	commit->parents = parents.v.v;
	commit->n_parents = parents.v.n;
	return r;
}

static int parse_all(const json_t *object, struct rarog_parcel *parcel)
{
	int r = parse_text(object, "version", &parcel->version);

	parcel->bytes = rarog_json_amount(object, "bytes");
	parcel->is_imported = json_is_true(json_object_get(object, "imported"));
	if (r == 0)
		r = parse_text(object, "tree", &parcel->tree);
	if (r == 0)
		r = parse_text(object, "label", &parcel->label);
	if (r == 0)
		r = parse_words(object, "tags", &parcel->tags);
	if (r == 0)
		r = parse_words(object, "version_tags", &parcel->version_tags);
	return r < 0 ? r : parse_commit(json_object_get(object, "commit"), parcel);
}

int rarog_parcel_parse(const char *name, size_t n, const char *text,
		       struct rarog_parcel *ret_parcel)
{
	rarog_cleanup(rarog_parcel_release) struct rarog_parcel parcel = { 0 };
	rarog_cleanup(rarog_json_decrefp) json_t *object = json_loadb(text, n, 0, NULL);
	const char *hash = json_string_value(json_object_get(object, "object"));
	int r;

	if (!hash || rarog_hash_parse(hash, &parcel.object) < 0)
		return rarog_fail(-EBADMSG, "%s: a profile's row is damaged", name);
	r = parse_all(object, &parcel);
	if (r < 0)
		return r;
	*ret_parcel = parcel;
	parcel = (struct rarog_parcel){ 0 };
	return 0;
}

/* --- to a store --- */

static int found(const struct rarog_record *record, void *user)
{
	*(int64_t *)user = record->id;
	return 1;
}

static int find_row(struct rarog_store *store, const struct rarog_parcel *parcel, int64_t *ret_id)
{
	const struct rarog_record_filter filter = { .object = &parcel->object,
						    .version = parcel->version ? parcel->version
									       : "" };

	return rarog_record_each(store, &filter, found, ret_id);
}

int rarog_parcel_has(struct rarog_store *store, const struct rarog_parcel *parcel)
{
	int64_t id = 0;

	return find_row(store, parcel, &id);
}

/* Profiles are named by their canonical encoding; what has none, by its bytes. */
int rarog_parcel_verify(const char *path, const struct rarog_hash *object)
{
	rarog_cleanup(rarog_closep) int fd = -1;
	struct rarog_hash hash;
	int r = rarog_canonical_hash(path, &hash);

	if (r == 0 || r == -ENOMEM)
		return r < 0 ? r : rarog_hash_equal(&hash, object);
	rarog_error_clear();
	fd = rarog_file_open(path);
	if (fd < 0)
		return fd;
	r = rarog_hash_file(fd, path, &hash, NULL);
	return r < 0 ? r : rarog_hash_equal(&hash, object);
}

static int file_bytes(const char *path, const struct rarog_hash *object, char **ret_bytes,
		      size_t *ret_n)
{
	int is_right = rarog_parcel_verify(path, object);

	if (is_right == 0)
		return rarog_fail(-EBADMSG,
				  "profile %s is damaged in the store; rarog fsck tells more",
				  rarog_hash_hex(object).text);
	return is_right < 0 ? is_right : rarog_file_read(path, SIZE_MAX / 2, ret_bytes, ret_n);
}

int rarog_parcel_bytes(struct rarog_store *store, const struct rarog_hash *object, char **ret_bytes,
		       size_t *ret_n)
{
	rarog_cleanup(rarog_freep) char *path = rarog_object_path(store->objects, object);
	int r = path ? file_bytes(path, object, ret_bytes, ret_n) : rarog_oom();

	if (r != -ENOENT)
		return r;
	rarog_error_clear(); /* packed, maybe just now */
	return rarog_object_read(store->objects, object, SIZE_MAX / 2, ret_bytes, ret_n);
}

/* Under another version, or in a row that was removed: the bytes are here already. */
static int add_known(struct rarog_store *store, const struct rarog_parcel *parcel,
		     const struct rarog_record_options *how, int64_t *ret_id)
{
	rarog_cleanup(rarog_freep) char *path = NULL;
	size_t before = store->unpacked.n;
	int r = rarog_record_path(store, &parcel->object, &path);

	if (r == 0)
		r = rarog_record_add(store, path, how, ret_id, NULL);
	rarog_store_close_unpacked(store, before);
	return r;
}

static int add_row(struct rarog_store *store, const struct rarog_parcel *parcel, const char *path,
		   int64_t *ret_id)
{
	const struct rarog_record_options how = {
		.version = parcel->version,
		.tree = parcel->tree,
		.force = true,
		.flags = parcel->is_imported ? RAROG_RECORD_IMPORTED : 0,
		.label = parcel->label,
		.commit = parcel->commit.name ? &parcel->commit : NULL,
	};
	struct rarog_hash object;
	int there = find_row(store, parcel, ret_id), r;

	if (there != 0)
		return there < 0 ? there : 0;
	if (!path)
		return add_known(store, parcel, &how, ret_id);
	r = rarog_record_add(store, path, &how, ret_id, &object);
	if (r >= 0 && !rarog_hash_equal(&object, &parcel->object))
		return rarog_fail(-EBADMSG,
				  "profile %.16s is damaged: its bytes do not give its name",
				  rarog_hash_hex(&parcel->object).text);
	return r;
}

/* A tag that is no good name here is not worth losing the profile. */
static int set_tags(struct rarog_store *store, const struct rarog_parcel_words *words,
		    struct rarog_tag tag)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < words->v.n; i++) {
		tag.name = words->v.v[i];
		r = rarog_tag_set(store, &tag);
		if (r == -EINVAL) {
			rarog_error_clear();
			r = 0;
		}
	}
	return r < 0 ? r : 0;
}

static int add_all(struct rarog_store *store, const struct rarog_parcel *parcel, const char *path)
{
	struct rarog_tag profile = { .kind = RAROG_TAG_PROFILE };
	const struct rarog_tag version = { .kind = RAROG_TAG_VERSION, .version = parcel->version };
	int added = add_row(store, parcel, path, &profile.record);
	int r = added < 0 ? added : set_tags(store, &parcel->tags, profile);

	if (r == 0 && parcel->version)
		r = set_tags(store, &parcel->version_tags, version);
	return r < 0 ? r : added;
}

/* To the store: row, version, tags. @path: the profile's bytes, NULL: the
 * store has them. Return: 1 new, 0 it was there; -EBADMSG the bytes are not those of the parcel. */
static int add_parcel(struct rarog_store *store, const struct rarog_parcel *parcel,
		      const char *path)
{
	int added, r = rarog_store_begin(store);

	if (r < 0)
		return r;
	added = add_all(store, parcel, path);
	if (added < 0) {
		rarog_store_rollback(store);
		return added;
	}
	r = rarog_store_commit(store);
	return r < 0 ? r : added;
}

/* --- portions --- */

int rarog_portion_end(struct rarog_parcel_portion *portion)
{
	if (!portion->is_open)
		return 0;
	portion->is_open = false;
	portion->n = portion->bytes = 0;
	return rarog_store_commit(portion->store);
}

void rarog_portion_release(struct rarog_parcel_portion *portion)
{
	if (portion->is_open)
		rarog_store_rollback(portion->store);
	portion->is_open = false;
}

/* What fails inside the transaction takes the whole portion with it: so look at the file before.
 * Bytes that came in this portion have no name yet: end it if they are needed. */
static int prepare(struct rarog_parcel_portion *portion, const char *path)
{
	struct rarog_facts facts = { 0 };
	int r;

	if (!path)
		return rarog_portion_end(portion);
	r = rarog_facts_read(path, &facts);
	rarog_facts_release(&facts);
	return r;
}

int rarog_portion_add(struct rarog_parcel_portion *portion, const struct rarog_parcel *parcel,
		      const char *path)
{
	int added, r = prepare(portion, path);

	if (r == 0 && !portion->is_open)
		r = rarog_store_begin(portion->store);
	if (r < 0)
		return r;
	portion->is_open = true;
	added = add_parcel(portion->store, parcel, path);
	if (added < 0)
		return added;
	portion->bytes += parcel->bytes;
	if (++portion->n >= PORTION || portion->bytes >= PORTION_BYTES)
		r = rarog_portion_end(portion);
	return r < 0 ? r : added;
}
