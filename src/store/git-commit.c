/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Commits: one by its name through cat-file, many by git log. What a user writes is given to
 * cat-file as it is; git's own rules of gitrevisions(7) decide.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/nearest.h"
#include "base/vec.h"
#include "store/git-own.h"

static int copy(const char *text, size_t n, char **ret_text)
{
	free(*ret_text);
	*ret_text = strndup(text, n);
	return *ret_text ? 0 : rarog_oom();
}

static int add_parent(struct rarog_commit *commit, const char *text, size_t n)
{
	char **more = realloc(commit->parents, (commit->n_parents + 1) * sizeof(*more));

	if (!more)
		return rarog_oom();
	commit->parents = more;
	more[commit->n_parents] = strndup(text, n);
	if (!more[commit->n_parents])
		return rarog_oom();
	commit->n_parents++;
	return 0;
}

/* --- the bytes of a commit object (gitformat: header lines, blank line, message) --- */

/* "Name <mail> 1700000000 +0100" */
static int parse_person(const char *line, const char *end, char **ret_name, char **ret_mail,
			int64_t *ret_time)
{
	const char *open = memchr(line, '<', (size_t)(end - line));
	const char *close = open ? memchr(open, '>', (size_t)(end - open)) : NULL;
	const char *name_end = open;
	int r;

	if (!close)
		return 0;
	while (name_end > line && name_end[-1] == ' ')
		name_end--;
	*ret_time = strtoll(close + 1, NULL, 10);
	r = copy(line, (size_t)(name_end - line), ret_name);
	if (r == 0 && ret_mail)
		r = copy(open + 1, (size_t)(close - open - 1), ret_mail);
	return r;
}

static int parse_line(const char *line, const char *end, struct rarog_commit *c)
{
	if (rarog_starts_with(line, "tree "))
		return copy(line + 5, (size_t)(end - line - 5), &c->tree);
	if (rarog_starts_with(line, "parent "))
		return add_parent(c, line + 7, (size_t)(end - line - 7));
	if (rarog_starts_with(line, "author "))
		return parse_person(line + 7, end, &c->author, &c->email, &c->author_time);
	if (rarog_starts_with(line, "committer "))
		return parse_person(line + 10, end, &c->committer, NULL, &c->commit_time);
	return 0;
}

/* The subject is the first paragraph in one line, as git log's %s. */
static int parse_message(const char *text, struct rarog_commit *c)
{
	const char *end;
	int r;

	text += strspn(text, "\n");
	end = strstr(text, "\n\n");
	if (!end)
		end = text + strlen(text);
	r = copy(text, (size_t)(end - text), &c->subject);
	for (char *at = r == 0 ? c->subject : NULL; at && *at; at++)
		if (*at == '\n')
			*at = at[1] ? ' ' : '\0';
	end += strspn(end, "\n");
	return r < 0 ? r : copy(end, strlen(end), &c->body);
}

static int parse_commit(const char *bytes, struct rarog_commit *c)
{
	const char *line = bytes;
	int r = 0;

	while (r == 0 && *line && *line != '\n') {
		const char *end = strchrnul(line, '\n');

		r = parse_line(line, end, c);
		line = *end ? end + 1 : end;
	}
	return r < 0 ? r : parse_message(line, c);
}

/* --- a name --- */

static void drop_parents(struct rarog_commit *commit)
{
	for (size_t i = 0; i < commit->n_parents; i++)
		free(commit->parents[i]);
	commit->n_parents = 0;
}

static int to_commit(struct rarog_vcs *vcs, const struct rarog_git_object *object,
		     struct rarog_commit *ret_commit)
{
	rarog_cleanup(rarog_commit_release) struct rarog_commit commit = { 0 };
	const char *shallow = rarog_git_own(vcs)->shallow;
	int r = copy(object->id, strlen(object->id), &commit.name);

	if (r == 0)
		r = parse_commit(object->bytes, &commit);
	if (r < 0)
		return r;
	if (shallow && strstr(shallow, object->id))
		drop_parents(&commit);
	*ret_commit = rarog_take_struct(commit);
	return 0;
}

static int has_head(struct rarog_vcs *vcs)
{
	struct rarog_git_object object = { 0 };
	int r = rarog_git_object(vcs, "HEAD^{commit}", &object);

	free(object.bytes);
	return r;
}

/* -EINVAL with the candidates when @text begins several hashes; 0: it does not. */
static int check_ambiguous(struct rarog_vcs *vcs, const char *text)
{
	rarog_cleanup(rarog_freep) char *option = rarog_asprintf("--disambiguate=%s", text);
	const char *const arguments[] = { "rev-parse", option, NULL };
	rarog_cleanup(rarog_str_release) struct rarog_str names = { 0 };
	rarog_cleanup(rarog_str_release) struct rarog_str list = { 0 };
	size_t n = 0;

	if (!option)
		return rarog_oom();
	if (strlen(text) < 4 || text[strspn(text, "0123456789abcdefABCDEF")] != '\0')
		return 0;
	if (rarog_git(&rarog_git_own(vcs)->git, arguments, 0, NULL, &names, NULL) != 0)
		return 0;
	for (char *at = names.text, *name; (name = strsep(&at, "\n")) != NULL && n < 4;)
		if (*name)
			rarog_str_addf(&list, "%s%.16s", n++ > 0 ? ", " : "", name);
	if (n < 2)
		return 0;
	return rarog_fail(-EINVAL, "'%s' is ambiguous: %s; give more digits", text,
			  rarog_str_text(&list));
}

static int unknown(struct rarog_vcs *vcs, const char *text)
{
	static const char *const arguments[] = { "for-each-ref", "--format=%(refname:short)",
						 "refs/heads",   "refs/tags",
						 "refs/remotes", NULL };
	rarog_cleanup(rarog_str_release) struct rarog_str names = { 0 };
	rarog_cleanup(rarog_str_release) struct rarog_str near = { 0 };
	struct rarog_nearest nearest = { .wanted = text };
	int r = check_ambiguous(vcs, text);

	if (r == 0)
		r = has_head(vcs);
	if (r < 0)
		return r;
	if (r == 0 && rarog_starts_with(text, "HEAD"))
		return rarog_fail(-ENODATA, "there is no commit yet; git commit makes one");
	if (rarog_git(&rarog_git_own(vcs)->git, arguments, 0, NULL, &names, NULL) == 0 &&
	    names.length > 0)
		for (char *at = names.text, *name; (name = strsep(&at, "\n")) != NULL;)
			rarog_nearest_offer(&nearest, name);
	rarog_nearest_add(&nearest, "", &near);
	return rarog_fail(-ENOENT, "'%s' names no version%s%s", text, rarog_str_text(&near),
			  near.length == 0 && vcs->is_shallow
				  ? "; the clone is shallow: git fetch --unshallow gets the rest"
				  : "");
}

int rarog_git_resolve(struct rarog_vcs *vcs, const char *text, struct rarog_commit *ret_commit)
{
	/* ":/words" takes everything after it as words */
	rarog_cleanup(rarog_freep) char *name =
		rarog_asprintf("%s%s", text, rarog_starts_with(text, ":/") ? "" : "^{commit}");
	struct rarog_git_object object = { 0 };
	int r;

	if (!name)
		return rarog_oom();
	if (*text == '\0' || *text == '-' || strchr(text, '\n'))
		return rarog_fail(-EINVAL, "'%s' cannot be a revision", text);
	r = rarog_git_object(vcs, name, &object);
	if (r == -EINVAL) /* cat-file says so of some, "missing" of others */
		r = 0;
	if (r > 0 && strcmp(object.type, "commit") == 0) {
		r = to_commit(vcs, &object, ret_commit);
		free(object.bytes);
		return r;
	}
	free(object.bytes);
	return r < 0 ? r : unknown(vcs, text);
}

/* --- many --- */

#define FIELDS 10
#define FORMAT "--format=%H%x00%T%x00%P%x00%an%x00%ae%x00%cn%x00%at%x00%ct%x00%s%x00%b"

typedef RAROG_VEC(const char *) words_t;

/* Not the HEADs of other worktrees: one of ours may be half made. */
static int add_all(words_t *words)
{
	int r = rarog_vec_push(words, "--single-worktree");

	return r < 0 ? r : rarog_vec_push(words, "--all");
}

static int walk_words(const struct rarog_walk *walk, const char *limit, words_t *words)
{
	const char *const always[] = { "log",           "-z",
				       FORMAT,          "--no-patch",
				       "--no-decorate", "--encoding=UTF-8",
				       "--no-mailmap" };
	int r = 0;

	for (size_t i = 0; r == 0 && i < RAROG_COUNT(always); i++)
		r = rarog_vec_push(words, always[i]);
	if (r == 0 && walk->first_parent)
		r = rarog_vec_push(words, "--first-parent");
	if (r == 0 && walk->order == RAROG_WALK_TOPOLOGICAL)
		r = rarog_vec_push(words, "--topo-order");
	if (r == 0 && walk->reverse)
		r = rarog_vec_push(words, "--reverse");
	if (r == 0 && walk->limit > 0)
		r = rarog_vec_push(words, limit);
	for (size_t i = 0; r == 0 && i < walk->n_from; i++)
		if (strcmp(walk->from[i], "--all") == 0)
			r = add_all(words);
	if (r == 0)
		r = rarog_vec_push(words, "--end-of-options");
	for (size_t i = 0; r == 0 && i < walk->n_from; i++)
		if (strcmp(walk->from[i], "--all") != 0)
			r = rarog_vec_push(words, walk->from[i]);
	if (r == 0)
		r = rarog_vec_push(words, "--");
	for (size_t i = 0; r == 0 && i < walk->n_paths; i++)
		r = rarog_vec_push(words, walk->paths[i]);
	return r < 0 ? rarog_oom() : rarog_vec_push(words, NULL);
}

/* Where a field goes: a text or a number. */
struct field {
	char **text;
	int64_t *seconds;
};

/* One field; 1 read, 0 the end. */
static int read_field(FILE *from, const struct field *field)
{
	rarog_cleanup(rarog_freep) char *text = NULL;
	size_t room = 0;

	if (getdelim(&text, &room, '\0', from) < 0)
		return 0;
	if (field->seconds) {
		*field->seconds = strtoll(text, NULL, 10);
		return 1;
	}
	free(*field->text);
	*field->text = rarog_take(text);
	return 1;
}

static int split_parents(const char *text, struct rarog_commit *c)
{
	int r = 0;

	while (r == 0 && *text) {
		size_t n = strcspn(text, " ");

		r = add_parent(c, text, n);
		text += n + (text[n] == ' ');
	}
	return r;
}

/* 1 a commit, 0 the end. */
static int read_commit(FILE *from, struct rarog_commit *c)
{
	rarog_cleanup(rarog_freep) char *parents = NULL;
	const struct field fields[FIELDS] = {
		{ .text = &c->name },           { .text = &c->tree },
		{ .text = &parents },           { .text = &c->author },
		{ .text = &c->email },          { .text = &c->committer },
		{ .seconds = &c->author_time }, { .seconds = &c->commit_time },
		{ .text = &c->subject },        { .text = &c->body },
	};
	int r;

	for (int i = 0; i < FIELDS; i++)
		if (read_field(from, &fields[i]) == 0)
			return i == 0 ? 0 : rarog_fail(-EIO, "git log ended in the middle");
	r = split_parents(parents, c);
	return r < 0 ? r : 1;
}

static int visit_all(FILE *from, int (*visit)(const struct rarog_commit *commit, void *user),
		     void *user)
{
	for (;;) {
		rarog_cleanup(rarog_commit_release) struct rarog_commit commit = { 0 };
		int r = read_commit(from, &commit);

		if (r <= 0)
			return r;
		r = visit(&commit, user);
		if (r != 0)
			return r;
	}
}

/* Is there what @text of @n bytes names? Nothing at all is HEAD. */
static int check_end(struct rarog_vcs *vcs, size_t n, const char *text)
{
	rarog_cleanup(rarog_commit_release) struct rarog_commit commit = { 0 };
	rarog_cleanup(rarog_freep) char *name = strndup(text, n);

	if (!name)
		return rarog_oom();
	return n > 0 ? rarog_git_resolve(vcs, name, &commit) : 0;
}

/* The ends of "A..B", "A...B", "^A" and "A" are looked at one by one, for a message about one. */
static int check_range(struct rarog_vcs *vcs, const char *text)
{
	const char *dots;
	int r;

	if (*text == '-')
		return 0;
	text += *text == '^';
	dots = strstr(text, "..");
	if (!dots)
		return check_end(vcs, strlen(text), text);
	r = check_end(vcs, (size_t)(dots - text), text);
	dots += strspn(dots, ".");
	return r < 0 ? r : check_end(vcs, strlen(dots), dots);
}

static int walk_failed(struct rarog_vcs *vcs, const struct rarog_walk *walk, const char *words)
{
	if (has_head(vcs) == 0 && walk->n_from == 0)
		return rarog_fail(-ENODATA, "there is no commit yet; git commit makes one");
	for (size_t i = 0; i < walk->n_from; i++) {
		int r = check_range(vcs, walk->from[i]);

		if (r < 0)
			return r;
	}
	words = rarog_starts_with(words, "fatal: ") ? words + 7 : words;
	return rarog_fail(-ENOENT, "%s: %.*s", walk->n_from > 0 ? walk->from[0] : "HEAD",
			  (int)strcspn(words, "\n"), words);
}

int rarog_git_walk(struct rarog_vcs *vcs, const struct rarog_walk *walk,
		   int (*visit)(const struct rarog_commit *commit, void *user), void *user)
{
	rarog_cleanup(rarog_git_stop) struct rarog_git_stream stream = RAROG_GIT_STREAM_NONE;
	rarog_cleanup(rarog_str_release) struct rarog_str errors = { 0 };
	words_t words = { 0 };
	char limit[40];
	int r;

	snprintf(limit, sizeof(limit), "--max-count=%llu", (unsigned long long)walk->limit);
	r = walk_words(walk, limit, &words);
	if (r == 0)
		r = rarog_git_start(&rarog_git_own(vcs)->git, words.v, false, &stream);
	rarog_vec_release(&words);
	if (r == 0)
		r = visit_all(stream.from, visit, user);
	if (r != 0)
		return r;
	rarog_git_words(&stream, &errors); /* it has closed its output: all is said */
	if (rarog_git_finish(&stream) != 0)
		return walk_failed(vcs, walk, rarog_str_text(&errors));
	return 0;
}
