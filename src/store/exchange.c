/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The repository of an exchange: where it is, how it gets the user's means to reach the remote
 * (credentials, proxies and rewritten URLs of the project's own git configuration; the user's is
 * read by git itself), and the remote's tree. Only trees are fetched where the remote can leave
 * blobs out; where it cannot, everything comes and nothing else changes.
 */
#include "store/exchange.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/file.h"
#include "store/exchange-own.h"
#include "store/git-own.h"
#include "store/remove-tree.h"

void rarog_exchange_free(struct rarog_exchange *exchange)
{
	if (!exchange)
		return;
	if (exchange->directory)
		rarog_remove_tree(exchange->directory);
	free(exchange->directory);
	free(exchange->remote);
	free(exchange->listing);
	rarog_vec_release(&exchange->entries);
	free(exchange);
}

const char *rarog_exchange_remote(const struct rarog_exchange *exchange)
{
	return exchange->remote;
}

/* --- which remote --- */

/* The first line that git says, NULL: nothing. */
static char *ask(const struct rarog_git *git, const char *const arguments[])
{
	rarog_cleanup(rarog_str_release) struct rarog_str answer = { 0 };

	if (rarog_git(git, arguments, 0, NULL, &answer, NULL) != 0 || answer.length == 0) {
		rarog_error_clear();
		return NULL;
	}
	answer.text[strcspn(answer.text, "\n")] = '\0';
	return answer.text[0] ? rarog_str_take(&answer) : NULL;
}

static char *remote_of_branch(const struct rarog_git *git)
{
	rarog_cleanup(rarog_freep) char *branch =
		ask(git, (const char *const[]){ "symbolic-ref", "-q", "--short", "HEAD", NULL });
	rarog_cleanup(rarog_freep) char *key =
		branch ? rarog_asprintf("branch.%s.remote", branch) : NULL;

	return key ? ask(git, (const char *const[]){ "config", "--get", key, NULL }) : NULL;
}

static bool is_listed(const char *list, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = list; at && *at; at += strcspn(at, "\n"), at += *at == '\n')
		if (strncmp(at, name, length) == 0 && (at[length] == '\n' || !at[length]))
			return true;
	return false;
}

static bool is_url(const char *remote)
{
	struct stat status;

	return strchr(remote, '/') || strchr(remote, ':') || stat(remote, &status) == 0;
}

static int choose_remote(const struct rarog_git *git, const char *wanted, char **ret_remote)
{
	rarog_cleanup(rarog_str_release) struct rarog_str list = { 0 };
	int r = rarog_git_must(git, (const char *const[]){ "remote", NULL }, &list);
	const char *names = rarog_str_text(&list), *only = strchr(names, '\n');

	if (r < 0)
		return r;
	if (wanted && !is_listed(names, wanted) && !is_url(wanted))
		return rarog_fail(-ENOENT,
				  "'%s' is no remote of this repository; git remote shows them",
				  wanted);
	if (wanted)
		*ret_remote = strdup(wanted);
	else
		*ret_remote = remote_of_branch(git);
	if (!*ret_remote && !wanted && is_listed(names, "origin"))
		*ret_remote = strdup("origin");
	else if (!*ret_remote && only && !only[1])
		*ret_remote = strndup(names, (size_t)(only - names));
	if (!*ret_remote)
		return rarog_fail(-ENOENT, "%s",
				  list.length > 0 ? "which remote? there are several"
						  : "this repository has no remote; git remote "
						    "add origin URL gives it one");
	return 0;
}

/* Relative paths are meant from the work tree. */
static char *absolute(const struct rarog_git_own *own, const char *url)
{
	size_t colon = strcspn(url, ":"), slash = strcspn(url, "/");

	if (url[0] == '/' || url[0] == '~' || (colon < slash && url[colon]))
		return strdup(url);
	return rarog_asprintf("%s/%s", own->directory, url);
}

static char *url_of(const struct rarog_git_own *own, const char *remote, bool is_push)
{
	rarog_cleanup(rarog_freep) char *url = NULL;

	if (is_push)
		url = ask(&own->git,
			  (const char *const[]){ "remote", "get-url", "--push", remote, NULL });
	if (!url)
		url = ask(&own->git,
			  (const char *const[]){ "ls-remote", "--get-url", remote, NULL });
	return url ? absolute(own, url) : NULL;
}

/* --- its configuration --- */

static bool is_needed(const char *key)
{
	static const char *const prefixes[] = { "http.", "credential.",   "core.sshcommand",
						"ssh.",  "core.gitproxy", "core.askpass" };

	for (size_t i = 0; i < RAROG_COUNT(prefixes); i++)
		if (strncasecmp(key, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

static int write_config(const struct rarog_exchange *x, const char *url)
{
	const struct rarog_git_own *own = rarog_git_own(x->vcs);
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	rarog_cleanup(rarog_freep) char *path = rarog_asprintf("%s/config", x->directory);
	rarog_cleanup(rarog_fclosep) FILE *f = path ? fopen(path, "ae") : NULL;
	int r = rarog_git_settings(&own->git, is_needed, &text);

	if (r == 0)
		r = rarog_git_setting(&text, "remote." RAROG_EXCHANGE_NAME ".url", url);
	/* profiles are compressed already; and what is pushed once needs no search for deltas */
	if (r == 0)
		r = rarog_str_add(
			&text,
			"[core]\n\tbigFileThreshold = 64k\n\tcompression = 1\n"
			"[fetch]\n\tnegotiationAlgorithm = noop\n\twriteCommitGraph = false\n");
	if (r < 0)
		return rarog_oom();
	if (!f || fputs(text.text, f) == EOF || fflush(f) == EOF)
		return rarog_fail_errno("%s: cannot write", x->directory);
	return 0;
}

/* A directory that only we can read: the settings may hold a token. */
static int make_repository(struct rarog_exchange *x)
{
	rarog_cleanup(rarog_freep) char *folder = NULL;
	const char *format = rarog_vcs_hash_digits(x->vcs) == 64 ? "--object-format=sha256"
								 : "--object-format=sha1";
	int r = rarog_store_place(x->store, RAROG_PLACE_TMP, &folder);
	char *path = r == 0 ? rarog_asprintf("%s/exchange-XXXXXX", folder) : NULL;

	if (r == 0 && !path)
		return rarog_oom();
	if (r == 0 && !mkdtemp(path)) {
		r = rarog_fail_errno("%s: cannot make it", path);
		free(path);
	}
	if (r < 0)
		return r;
	x->directory = path;
	x->git = (struct rarog_git){ .directory = x->directory, .is_remote = true };
	return rarog_git_must(&x->git,
			      (const char *const[]){ "init", "--bare", "--quiet", "--template=",
						     "--initial-branch=none", format, ".", NULL },
			      NULL);
}

int rarog_exchange_open(struct rarog_store *store, struct rarog_vcs *vcs, const char *remote,
			bool is_push, struct rarog_exchange **ret_exchange)
{
	rarog_cleanup(rarog_exchange_freep) struct rarog_exchange *x = calloc(1, sizeof(*x));
	rarog_cleanup(rarog_freep) char *url = NULL;
	int r;

	if (!x)
		return rarog_oom();
	if (rarog_vcs_kind(vcs) != RAROG_VCS_GIT)
		return rarog_fail(-ENOTSUP, "there is no git here and so no remote; rarog bundle "
					    "carries profiles as a file");
	x->store = store;
	x->vcs = vcs;
	r = choose_remote(&rarog_git_own(vcs)->git, remote, &x->remote);
	if (r < 0)
		return r;
	url = url_of(rarog_git_own(vcs), x->remote, is_push);
	if (!url)
		return rarog_fail(-ENOENT, "remote %s has no URL", x->remote);
	r = make_repository(x);
	if (r == 0)
		r = write_config(x, url);
	if (r < 0)
		return r;
	*ret_exchange = rarog_take(x);
	return 0;
}

/* --- the remote's tree --- */

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct rarog_exchange_entry *)a)->path,
		      ((const struct rarog_exchange_entry *)b)->path);
}

const struct rarog_exchange_entry *rarog_exchange_find(const struct rarog_exchange *x,
						       const char *path)
{
	const struct rarog_exchange_entry key = { .path = path };

	if (x->entries.n == 0)
		return NULL;
	return bsearch(&key, x->entries.v, x->entries.n, sizeof(key), by_path);
}

/* "MODE blob ID TAB PATH NUL" */
static int read_listing(struct rarog_exchange *x, size_t n)
{
	char *at = x->listing, *end = at + n;

	x->entries.n = 0;
	while (at < end) {
		char *tab = strchr(at, '\t'), *next = at + strlen(at) + 1;
		struct rarog_exchange_entry entry;

		if (tab && tab - at > 12 && strncmp(at + 7, "blob ", 5) == 0) {
			*tab = '\0';
			entry = (struct rarog_exchange_entry){ .path = tab + 1, .id = at + 12 };
			if (rarog_vec_push(&x->entries, entry) < 0)
				return rarog_oom();
		}
		at = next;
	}
	if (x->entries.n > 0)
		qsort(x->entries.v, x->entries.n, sizeof(*x->entries.v), by_path);
	return 0;
}

static int list_tree(struct rarog_exchange *x)
{
	rarog_cleanup(rarog_str_release) struct rarog_str listing = { 0 };
	size_t n;
	int r = 0;

	if (*x->tip)
		r = rarog_git_must(&x->git,
				   (const char *const[]){ "ls-tree", "-r", "-z", "--full-tree",
							  RAROG_EXCHANGE_TIP, NULL },
				   &listing);
	n = listing.length;
	free(x->listing);
	x->listing = r == 0 ? rarog_str_take(&listing) : NULL;
	if (r == 0 && !x->listing && n > 0)
		return rarog_oom();
	return r < 0 ? r : read_listing(x, x->listing ? n : 0);
}

/* A newer rarog may keep things there that we do not know of. */
static int check_format(const struct rarog_exchange *x)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	const struct rarog_exchange_entry *format = rarog_exchange_find(x, "format");
	int r;

	if (!format)
		return *x->tip && x->entries.n > 0
			       ? rarog_fail(-EBADMSG,
					    "%s: " RAROG_EXCHANGE_REF " was not made by rarog",
					    x->remote)
			       : 0;
	r = rarog_git_must(&x->git, (const char *const[]){ "cat-file", "blob", format->id, NULL },
			   &text);
	if (r == 0 && strcmp(rarog_str_text(&text), "1\n") != 0)
		return rarog_fail(-EPROTONOSUPPORT,
				  "%s: its profiles were pushed by a newer rarog; update this one",
				  x->remote);
	return r;
}

/* 1 the remote has profiles, 0 not yet. */
static int has_ref(struct rarog_exchange *x)
{
	rarog_cleanup(rarog_str_release) struct rarog_str answer = { 0 };
	int r = rarog_git_must(&x->git,
			       (const char *const[]){ "ls-remote", "--quiet", RAROG_EXCHANGE_NAME,
						      RAROG_EXCHANGE_REF, NULL },
			       &answer);

	if (r < 0)
		return rarog_fail(r, "%s: %s", x->remote, rarog_error_message());
	return answer.length > 0;
}

/* A fetch of depth 1 of a ref that is not there fails without a word: has_ref() comes first. */
static int fetch_tip(struct rarog_exchange *x)
{
	static const char *const arguments[] = { "fetch",
						 "--quiet",
						 "--no-tags",
						 "--no-write-fetch-head",
						 "--no-recurse-submodules",
						 "--depth=1",
						 "--filter=blob:none",
						 RAROG_EXCHANGE_NAME,
						 ("+" RAROG_EXCHANGE_REF ":" RAROG_EXCHANGE_TIP),
						 NULL };
	rarog_cleanup(rarog_freep) char *tip = NULL;
	int r = rarog_git_must(&x->git, arguments, NULL);

	if (r < 0)
		return rarog_fail(r, "%s: %s", x->remote, rarog_error_message());
	tip = ask(&x->git,
		  (const char *const[]){ "rev-parse", "-q", "--verify", RAROG_EXCHANGE_TIP, NULL });
	snprintf(x->tip, sizeof(x->tip), "%s", tip ? tip : "");
	return 0;
}

int rarog_exchange_fetch(struct rarog_exchange *x)
{
	int there = has_ref(x), r = 0;

	x->tip[0] = '\0';
	if (there > 0)
		r = fetch_tip(x);
	if (there >= 0 && r == 0)
		r = list_tree(x);
	if (there < 0 || r < 0)
		return there < 0 ? there : r;
	return check_format(x);
}

/* --- names --- */

struct rarog_row_path rarog_exchange_row(const struct rarog_parcel *parcel, size_t n,
					 const char *words)
{
	const char *version = parcel->version ? parcel->version : "";
	struct rarog_hash of_version, of_words;
	struct rarog_row_path path;
	struct rarog_hex hex;

	rarog_hash_bytes(strlen(version), version, &of_version);
	rarog_hash_bytes(n, words, &of_words);
	hex = rarog_hash_hex(&of_version);
	snprintf(path.text, sizeof(path.text), "rows/%.2s/%s/%s-%.16s", hex.text, hex.text + 2,
		 rarog_hash_hex(&parcel->object).text, rarog_hash_hex(&of_words).text);
	return path;
}

struct rarog_profile_path rarog_exchange_profile(const struct rarog_hash *object)
{
	struct rarog_hex hex = rarog_hash_hex(object);
	struct rarog_profile_path path;

	snprintf(path.text, sizeof(path.text), "profiles/%.2s/%s", hex.text, hex.text + 2);
	return path;
}
