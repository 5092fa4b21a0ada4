/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is known of a history, in a file: numbers as LEB128, doubles as they are, a checksum at the
 * end. A file that is not sound, or of another version, counts as none: it is made anew.
 */
#include <errno.h>
#include <xxhash.h>

#include "base/error.h"
#include "base/file.h"
#include "check/history.h"
#include "profile/bytes.h"

#define MAGIC     "RHISTORYB" /* another number, whenever layout or analysis change */
#define FILE_MOST ((size_t)1 << 30)

/* --- writing --- */

static int put_text(struct rarog_bytes *out, const char *text)
{
	size_t n = strlen(text);

	return rarog_bytes_add_varint(out, n) < 0 ? -ENOMEM : rarog_bytes_add(out, n, text);
}

static int put_double(struct rarog_bytes *out, double value)
{
	return rarog_bytes_add(out, sizeof(value), &value);
}

static int put_values(struct rarog_bytes *out, size_t n, const struct rarog_series_value values[])
{
	int r = rarog_bytes_add_varint(out, n);
	uint32_t last = 0;

	for (size_t i = 0; r == 0 && i < n; i++) {
		r = rarog_bytes_add_varint(out, values[i].version - last);
		r = r < 0 ? r : put_double(out, values[i].value);
		last = values[i].version;
	}
	return r;
}

static int put_shifts(struct rarog_bytes *out, size_t n, const struct rarog_shift shifts[])
{
	int r = rarog_bytes_add_varint(out, n);

	for (size_t i = 0; r == 0 && i < n; i++) {
		r = rarog_bytes_add_varint(out, shifts[i].version);
		r = r < 0 ? r : rarog_bytes_add_varint(out, shifts[i].previous);
		r = r < 0 ? r : rarog_bytes_add_varint(out, shifts[i].runs);
		r = r < 0 ? r : rarog_bytes_add_varint(out, shifts[i].is_kept);
		r = r < 0 ? r : put_double(out, shifts[i].before);
		r = r < 0 ? r : put_double(out, shifts[i].after);
		r = r < 0 ? r : put_double(out, shifts[i].p);
	}
	return r;
}

static int put_series(struct rarog_bytes *out, const struct rarog_series *series)
{
	const struct rarog_changes *changes = &series->scan.changes;
	int r = rarog_bytes_add_varint(out, series->n);

	r = r < 0 ? r : rarog_bytes_add_varint(out, series->turns);
	r = r < 0 ? r : rarog_bytes_add_varint(out, series->agreed);
	r = r < 0 ? r : rarog_bytes_add_varint(out, series->differed);
	r = r < 0 ? r : rarog_bytes_add_varint(out, series->same);
	r = r < 0 ? r : rarog_bytes_add_varint(out, series->scan.start);
	r = r < 0 ? r : rarog_bytes_add_varint(out, series->scan.settled);
	r = r < 0 ? r : put_values(out, series->values.n, series->values.v);
	r = r < 0 ? r : put_shifts(out, series->steps.n, series->steps.v);
	r = r < 0 ? r : put_shifts(out, series->settled.n, series->settled.v);
	for (size_t i = 0; r == 0 && i < changes->list.n; i++)
		r = rarog_bytes_add_varint(out, changes->list.v[i].at);
	return r;
}

static int put_sittings(struct rarog_bytes *out, const struct rarog_history_group *group)
{
	int r = rarog_bytes_add_varint(out, group->sittings.n);

	for (size_t i = 0; r == 0 && i < group->sittings.n; i++) {
		const struct rarog_history_sitting *sitting = &group->sittings.v[i];

		r = rarog_bytes_add_varint(out, sitting->version);
		r = r < 0 ? r : rarog_bytes_add_varint(out, sitting->first_ns);
		r = r < 0 ? r : rarog_bytes_add_varint(out, sitting->last_ns);
	}
	return r;
}

static int put_sets(struct rarog_bytes *out, const struct rarog_history_row *row)
{
	int r = rarog_bytes_add_varint(out, row->sets.n);

	for (size_t i = 0; r == 0 && i < row->sets.n; i++) {
		r = rarog_bytes_add_varint(out, row->sets.v[i].version);
		r = r < 0 ? r : rarog_bytes_add_varint(out, row->sets.v[i].set);
	}
	return r;
}

static int put_calls(struct rarog_bytes *out, const struct rarog_history_calls *calls)
{
	int r = rarog_bytes_add_varint(out, calls->list.n);

	for (size_t i = 0; r == 0 && i < calls->list.n; i++)
		r = rarog_bytes_add(out, sizeof(calls->list.v[i]), &calls->list.v[i]);
	r = r < 0 ? r : rarog_bytes_add_varint(out, calls->untimed.n);
	for (size_t i = 0; r == 0 && i < calls->untimed.n; i++)
		r = rarog_bytes_add(out, sizeof(uint64_t), &calls->untimed.v[i]);
	return r;
}

/* Rows that nothing is known of have none. */
static bool has_values(const struct rarog_history_row *row)
{
	size_t n = row->sets.n + (row->left_out > 0);

	for (size_t k = 0; k < RAROG_HISTORY_SERIES; k++)
		n += row->series[k].n;
	return n > 0;
}

static size_t count_rows(const struct rarog_history_group *group)
{
	size_t n = 0;

	for (size_t i = 0; i < group->rows.n; i++)
		n += has_values(&group->rows.v[i]);
	return n;
}

static int put_group(struct rarog_bytes *out, const struct rarog_history_group *group)
{
	int r = rarog_bytes_add(out, RAROG_HASH_BYTES, group->job_key.bytes);

	r = r < 0 ? r : rarog_bytes_add(out, RAROG_HASH_BYTES, group->machine_class.bytes);
	r = r < 0 ? r : put_text(out, group->setting);
	r = r < 0 ? r : put_text(out, group->machine);
	r = r < 0 ? r : rarog_bytes_add_varint(out, group->first);
	r = r < 0 ? r : put_text(out, group->job ? group->job : "");
	r = r < 0 ? r : rarog_bytes_add_varint(out, group->is_blocks);
	r = r < 0 ? r : put_values(out, group->totals.n, group->totals.v);
	r = r < 0 ? r : put_sittings(out, group);
	r = r < 0 ? r : rarog_bytes_add_varint(out, count_rows(group));
	for (size_t i = 0; r == 0 && i < group->rows.n; i++) {
		const struct rarog_history_row *row = &group->rows.v[i];

		if (!has_values(row))
			continue;
		r = put_text(out, row->binary);
		r = r < 0 ? r : put_text(out, row->name);
		r = r < 0 ? r : rarog_bytes_add_varint(out, row->set);
		r = r < 0 ? r : rarog_bytes_add_varint(out, row->left_out);
		r = r < 0 ? r : put_sets(out, row);
		for (size_t k = 0; r == 0 && k < RAROG_HISTORY_SERIES; k++)
			r = put_series(out, &row->series[k]);
	}
	return r;
}

static int put_history(struct rarog_bytes *out, const struct rarog_history *history)
{
	int r = rarog_bytes_add(out, sizeof(MAGIC), MAGIC);

	r = r < 0 ? r : put_text(out, history->tip);
	r = r < 0 ? r : rarog_bytes_add_varint(out, history->profiles);
	r = r < 0 ? r : rarog_bytes_add_varint(out, history->seal);
	r = r < 0 ? r : rarog_bytes_add_varint(out, history->versions.n);
	for (size_t i = 0; r == 0 && i < history->versions.n; i++)
		r = put_text(out, history->versions.v[i]);
	r = r < 0 ? r : put_calls(out, &history->calls);
	r = r < 0 ? r : rarog_bytes_add_varint(out, history->groups.n);
	for (size_t i = 0; r == 0 && i < history->groups.n; i++)
		r = put_group(out, &history->groups.v[i]);
	if (r == 0) {
		uint64_t sum = XXH3_64bits(out->v, out->n);

		r = rarog_bytes_add(out, sizeof(sum), &sum);
	}
	return r < 0 ? rarog_oom() : 0;
}

int rarog_history_save(const struct rarog_history *history, const char *path)
{
	rarog_cleanup(rarog_bytes_release) struct rarog_bytes out = { 0 };
	rarog_cleanup(rarog_new_file_release) struct rarog_new_file file = RAROG_NEW_FILE_NONE;
	int r = put_history(&out, history);

	if (r == 0)
		r = rarog_new_file_open(path, &file);
	if (r < 0)
		return r;
	r = rarog_write_all(file.fd, out.n, out.v);
	return r < 0 ? rarog_fail(r, "%s: %s", path, strerror(-r)) : rarog_new_file_commit(&file);
}

/* --- reading --- */

/* A number that counts things of at least @least bytes each cannot be larger than what is left. */
static size_t get_count(struct rarog_byte_cursor *in, size_t least)
{
	uint64_t n = rarog_get_varint(in);

	if (n > (uint64_t)(in->end - in->at) / least)
		in->bad = true;
	return in->bad ? 0 : (size_t)n;
}

static char *get_text(struct rarog_byte_cursor *in)
{
	size_t n = get_count(in, 1);
	const uint8_t *bytes = rarog_get_bytes(in, n);

	return strndup(bytes ? (const char *)bytes : "", bytes ? n : 0);
}

static double get_double(struct rarog_byte_cursor *in)
{
	const uint8_t *bytes = rarog_get_bytes(in, sizeof(double));
	double value = 0;

	if (bytes)
		memcpy(&value, bytes, sizeof(value));
	if (!__builtin_isfinite(value)) {
		in->bad = true;
		value = 0;
	}
	return value;
}

#define GET_VALUES(in, list)                                                                       \
	do {                                                                                       \
		size_t n_ = get_count(in, 1 + sizeof(double));                                     \
		uint32_t last_ = 0;                                                                \
		if (rarog_vec_reserve(list, n_) < 0)                                               \
			return rarog_oom();                                                        \
		for (size_t i_ = 0; i_ < n_; i_++) {                                               \
			last_ += (uint32_t)rarog_get_varint(in);                                   \
			(list)->v[i_].version = last_;                                             \
			(list)->v[i_].value = get_double(in);                                      \
		}                                                                                  \
		(list)->n = n_;                                                                    \
	} while (0)

#define GET_SHIFTS(in, list)                                                                       \
	do {                                                                                       \
		size_t n_ = get_count(in, 4 + 3 * sizeof(double));                                 \
		if (rarog_vec_reserve(list, n_) < 0)                                               \
			return rarog_oom();                                                        \
		for (size_t i_ = 0; i_ < n_; i_++)                                                 \
			(list)->v[i_] = get_shift(in);                                             \
		(list)->n = n_;                                                                    \
	} while (0)

static struct rarog_shift get_shift(struct rarog_byte_cursor *in)
{
	struct rarog_shift shift = { 0 };

	shift.version = (uint32_t)rarog_get_varint(in);
	shift.previous = (uint32_t)rarog_get_varint(in);
	shift.runs = (uint16_t)rarog_get_varint(in);
	shift.is_kept = rarog_get_varint(in) != 0;
	shift.until = shift.version;
	shift.before = get_double(in);
	shift.after = get_double(in);
	shift.p = get_double(in);
	return shift;
}

static int get_series(struct rarog_byte_cursor *in, struct rarog_series *series)
{
	series->n = (uint32_t)rarog_get_varint(in);
	series->turns = (uint32_t)rarog_get_varint(in);
	series->agreed = (uint32_t)rarog_get_varint(in);
	series->differed = (uint32_t)rarog_get_varint(in);
	series->same = (uint32_t)rarog_get_varint(in);
	series->scan.start = (size_t)rarog_get_varint(in);
	series->scan.settled = (size_t)rarog_get_varint(in);
	GET_VALUES(in, &series->values);
	GET_SHIFTS(in, &series->steps);
	GET_SHIFTS(in, &series->settled);
	for (size_t i = 0; i < series->settled.n; i++) {
		const struct rarog_change_point change = { (size_t)rarog_get_varint(in),
							   series->settled.v[i].p };

		if (rarog_vec_push(&series->scan.changes.list, change) < 0)
			return rarog_oom();
	}
	if (series->values.n > series->n || series->scan.start > series->n ||
	    series->n - series->values.n > series->scan.start)
		in->bad = true;
	return 0;
}

static int get_sets(struct rarog_byte_cursor *in, struct rarog_history_row *row)
{
	size_t n = get_count(in, 2);

	if (rarog_vec_reserve(&row->sets, n) < 0)
		return rarog_oom();
	for (size_t i = 0; i < n; i++) {
		row->sets.v[i].version = (uint32_t)rarog_get_varint(in);
		row->sets.v[i].set = rarog_get_varint(in);
	}
	row->sets.n = n;
	return 0;
}

static uint64_t get_hash(struct rarog_byte_cursor *in)
{
	const uint8_t *bytes = rarog_get_bytes(in, sizeof(uint64_t));
	uint64_t hash = 0;

	if (bytes)
		memcpy(&hash, bytes, sizeof(hash));
	return hash;
}

static int get_calls(struct rarog_byte_cursor *in, struct rarog_history_calls *calls)
{
	struct rarog_history_call call;
	int r = 0;

	for (size_t n = get_count(in, sizeof(call)); r == 0 && n > 0; n--) {
		call.caller = get_hash(in);
		call.callee = get_hash(in);
		r = rarog_history_calls_add(calls, &call);
	}
	for (size_t n = get_count(in, sizeof(uint64_t)); r == 0 && n > 0; n--)
		r = rarog_history_calls_add_untimed(calls, get_hash(in));
	return r;
}

static int get_row(struct rarog_byte_cursor *in, struct rarog_history_group *group)
{
	rarog_cleanup(rarog_freep) char *binary = get_text(in);
	rarog_cleanup(rarog_freep) char *name = get_text(in);
	uint64_t set = rarog_get_varint(in);
	struct rarog_history_row *row;
	int r;

	if (!binary || !name)
		return rarog_oom();
	row = rarog_history_row(group, binary, name, set);
	if (!row)
		return -ENOMEM;
	if (has_values(row)) { /* a second time */
		in->bad = true;
		return 0;
	}
	row->left_out = (uint32_t)rarog_get_varint(in);
	r = get_sets(in, row);
	for (size_t k = 0; r == 0 && k < RAROG_HISTORY_SERIES; k++)
		r = get_series(in, &row->series[k]);
	return r;
}

static int get_sittings(struct rarog_byte_cursor *in, struct rarog_history_group *group)
{
	size_t n = get_count(in, 3);

	if (rarog_vec_reserve(&group->sittings, n) < 0)
		return rarog_oom();
	for (size_t i = 0; i < n; i++) {
		struct rarog_history_sitting *sitting = &group->sittings.v[i];

		sitting->version = (uint32_t)rarog_get_varint(in);
		sitting->first_ns = rarog_get_varint(in);
		sitting->last_ns = rarog_get_varint(in);
	}
	group->sittings.n = n;
	return 0;
}

static int get_group(struct rarog_byte_cursor *in, struct rarog_history *history)
{
	const uint8_t *keys = rarog_get_bytes(in, 2 * sizeof(struct rarog_hash));
	rarog_cleanup(rarog_freep) char *setting = get_text(in);
	rarog_cleanup(rarog_freep) char *machine = get_text(in);
	struct rarog_history_group *group;
	struct rarog_hash hashes[2];

	if (!setting || !machine)
		return rarog_oom();
	if (!keys)
		return 0;
	memcpy(hashes, keys, sizeof(hashes));
	group = rarog_history_group(history, &hashes[0], &hashes[1], setting);
	if (!group)
		return -ENOMEM;
	free(group->machine);
	group->machine = rarog_take(machine);
	group->first = (uint32_t)rarog_get_varint(in);
	free(group->job);
	group->job = get_text(in);
	if (!group->job)
		return rarog_oom();
	group->is_blocks = rarog_get_varint(in) != 0;
	GET_VALUES(in, &group->totals);
	int r = get_sittings(in, group);
	size_t n = get_count(in, 4);

	for (size_t i = 0; r == 0 && !in->bad && i < n; i++)
		r = get_row(in, group);
	return r;
}

static int get_versions(struct rarog_byte_cursor *in, struct rarog_history *history)
{
	size_t n = get_count(in, 1);

	for (size_t i = 0; i < n; i++) {
		char *name = get_text(in);

		if (!name || rarog_vec_push(&history->versions, name) < 0) {
			free(name);
			return rarog_oom();
		}
	}
	return 0;
}

static int get_history(struct rarog_byte_cursor *in, struct rarog_history *history)
{
	int r;

	history->tip = get_text(in);
	if (!history->tip)
		return rarog_oom();
	history->profiles = rarog_get_varint(in);
	history->seal = rarog_get_varint(in);
	r = get_versions(in, history);
	r = r < 0 ? r : get_calls(in, &history->calls);
	size_t n = get_count(in, 1);

	for (size_t i = 0; r == 0 && !in->bad && i < n; i++)
		r = get_group(in, history);
	return r;
}

static bool versions_exist(const struct rarog_series *series, size_t n)
{
	for (size_t i = 0; i < series->values.n; i++)
		if (series->values.v[i].version >= n)
			return false;
	for (size_t i = 0; i < series->settled.n; i++)
		if (series->settled.v[i].version >= n || series->settled.v[i].previous >= n)
			return false;
	for (size_t i = 0; i < series->steps.n; i++)
		if (series->steps.v[i].version >= n || series->steps.v[i].previous >= n)
			return false;
	return true;
}

static bool is_sound(const struct rarog_history *history)
{
	size_t n = history->versions.n;

	for (size_t g = 0; g < history->groups.n; g++) {
		if (history->groups.v[g].first > n) /* n: of a profile without any amount */
			return false;
		for (size_t i = 0; i < history->groups.v[g].rows.n; i++)
			for (size_t k = 0; k < RAROG_HISTORY_SERIES; k++)
				if (!versions_exist(&history->groups.v[g].rows.v[i].series[k], n))
					return false;
	}
	return true;
}

static int decode(size_t n, const char *bytes, struct rarog_history *history)
{
	struct rarog_byte_cursor in = { (const uint8_t *)bytes, NULL, false };
	uint64_t sum;
	int r;

	if (n < sizeof(MAGIC) + sizeof(sum) || memcmp(bytes, MAGIC, sizeof(MAGIC)) != 0)
		return 0;
	memcpy(&sum, bytes + n - sizeof(sum), sizeof(sum));
	if (XXH3_64bits(bytes, n - sizeof(sum)) != sum)
		return 0;
	in.at += sizeof(MAGIC);
	in.end = (const uint8_t *)bytes + n - sizeof(sum);
	r = get_history(&in, history);
	return r < 0 ? r : !in.bad && in.at == in.end && is_sound(history);
}

int rarog_history_load(const char *path, struct rarog_history *ret_history)
{
	rarog_cleanup(rarog_history_release) struct rarog_history history = { 0 };
	rarog_cleanup(rarog_freep) char *bytes = NULL;
	size_t n = 0;

	if (rarog_file_read(path, FILE_MOST, &bytes, &n) < 0)
		return 0;
	int r = decode(n, bytes, &history);

	if (r == 1)
		*ret_history = rarog_take_struct(history);
	return r;
}
