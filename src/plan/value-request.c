/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A colon separates function and arguments if it is not one of two, nor that of a tag
 * (f[abi:cxx11]): C++ names have these.
 */
#include "plan/value-request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/str.h"
#include "binary/signature.h"
#include "plan/function-match.h"

static void request_release(struct rarog_value_request *request)
{
	rarog_match_release(&request->functions);
	free(request->text);
	free(request->pattern);
	free(request->path);
}

void rarog_value_requests_release(struct rarog_value_requests *requests)
{
	for (size_t i = 0; i < requests->all.n; i++)
		request_release(&requests->all.v[i]);
	rarog_vec_release(&requests->all);
}

bool rarog_value_request_is_name(const struct rarog_value_request *request)
{
	const struct rarog_pattern *pattern = &request->functions.include.v[0];

	return pattern->kind == RAROG_PATTERN_NAME || pattern->is_name;
}

static bool is_in_tag(const char *text, const char *colon)
{
	static const char tag[] = "[abi";
	size_t n = sizeof(tag) - 1;

	return (size_t)(colon - text) >= n && strncmp(colon - n, tag, n) == 0;
}

/* The colon between function and arguments; NULL: there is none. */
static const char *find_colon(const char *text)
{
	for (const char *at = strrchr(text, ':'); at && at >= text; at--)
		if (*at == ':' && at[1] != ':' && (at == text || at[-1] != ':') &&
		    !is_in_tag(text, at))
			return at;
	return NULL;
}

static int add_request(struct rarog_value_requests *requests, size_t n, const char *pattern,
		       size_t n_path, const char *path)
{
	struct rarog_value_request request = { 0 };
	int r;

	if (n == 0)
		return rarog_fail(-EINVAL, "no function is named");
	request.pattern = strndup(pattern, n);
	request.path = path ? strndup(path, n_path) : NULL;
	request.text = path ? rarog_asprintf("%.*s:%.*s", (int)n, pattern, (int)n_path, path)
			    : strndup(pattern, n);
	if (!request.text || !request.pattern || (path && !request.path)) {
		request_release(&request);
		return rarog_oom();
	}
	r = rarog_match_include(&request.functions,
				strcmp(request.pattern, "all") == 0 ? "*" : request.pattern);
	if (r == 0)
		r = rarog_vec_push(&requests->all, request) < 0 ? rarog_oom() : 0;
	if (r < 0)
		request_release(&request);
	return r;
}

int rarog_value_requests_args(struct rarog_value_requests *requests, const char *text)
{
	const char *colon = find_colon(text), *name = colon ? colon + 1 : NULL;
	size_t n = colon ? (size_t)(colon - text) : strlen(text);
	int r = 0;

	if (!colon)
		return add_request(requests, n, text, 0, NULL);
	while (r == 0 && name) {
		size_t length = strcspn(name, ",");

		if (length == 0)
			return rarog_fail(-EINVAL, "--args=%s: FUNC:NAME,NAME… is expected", text);
		r = add_request(requests, n, text, length, name);
		name = name[length] ? name + length + 1 : NULL;
	}
	return r;
}

int rarog_value_requests_arg(struct rarog_value_requests *requests, const char *text)
{
	const char *colon = find_colon(text);

	if (!colon || colon == text || !colon[1])
		return rarog_fail(-EINVAL,
				  "--arg=%s: FUNC:PATH is expected, as in 'f:list->length'", text);
	return add_request(requests, (size_t)(colon - text), text, strlen(colon + 1), colon + 1);
}

int rarog_value_requests_ret(struct rarog_value_requests *requests, const char *text)
{
	return add_request(requests, strlen(text), text, strlen("return"), "return");
}

const char *rarog_value_requests_unmatched(const struct rarog_value_requests *requests)
{
	for (size_t i = 0; i < requests->all.n; i++)
		if (!requests->all.v[i].is_matched)
			return requests->all.v[i].pattern;
	return NULL;
}

void rarog_value_requests_say_undescribed(struct rarog_binary *binary, const char *path, size_t n)
{
	const char *s = n == 1 ? "" : "s";

	if (n == 0)
		return;
	switch (rarog_binary_debug_lack(binary)) {
	case RAROG_DEBUG_ELSEWHERE:
		rarog_warn("%s: its debug information is in .dwo files that are not there: no "
			   "arguments of %zu function%s are captured; keep those of the build",
			   path, n, s);
		break;
	case RAROG_DEBUG_UNREAD:
		rarog_warn("%s: this libdw finds nothing in its .dwo files: no arguments of %zu "
			   "function%s are captured; build without -fdebug-types-section or "
			   "without -gsplit-dwarf",
			   path, n, s);
		break;
	case RAROG_DEBUG_PACKED:
		rarog_warn("%s: its debug information is compressed in a way that this libelf does "
			   "not know (zstd?): no arguments of %zu function%s are captured; objcopy "
			   "--decompress-debug-sections, or build with -gz=zlib",
			   path, n, s);
		break;
	case RAROG_DEBUG_DAMAGED:
		rarog_warn("%s: its debug information is damaged: no arguments of %zu function%s "
			   "are captured; build it again",
			   path, n, s);
		break;
	case RAROG_DEBUG_NONE:
		rarog_warn("%s: no debug information of %zu function%s: no arguments of %s are "
			   "captured; compile with -g, or install the debug symbols",
			   path, n, s, n == 1 ? "it" : "them");
	}
}

/* --- of a function --- */

void rarog_wanted_values_release(struct rarog_wanted_values *values)
{
	for (size_t i = 0; i < values->all.n; i++) {
		free(values->all.v[i].name);
		free(values->all.v[i].type);
	}
	rarog_vec_release(&values->all);
	values->n_enter = values->n_leave = 0;
}

struct gathering {
	const struct rarog_signature *signature;
	const char *function;
	unsigned max;
	struct rarog_wanted_values *values;
};

static bool is_known(const struct gathering *g, const char *name)
{
	for (size_t i = 0; i < g->values->all.n; i++)
		if (strcmp(g->values->all.v[i].name, name) == 0)
			return true;
	return false;
}

static bool is_of_return(const char *path)
{
	path += strspn(path, "*");
	return strncmp(path, "return", 6) == 0 && strchr("-.", path[6]);
}

/* Those at the entry stand first. */
static int push(struct gathering *g, const struct rarog_wanted_value *value)
{
	struct rarog_wanted_values *values = g->values;
	int r = rarog_vec_push(&values->all, *value);

	if (r < 0)
		return rarog_oom();
	if (value->is_return) {
		values->n_leave++;
		return 0;
	}
	for (size_t i = values->all.n - 1; i > values->n_enter; i--)
		values->all.v[i] = values->all.v[i - 1];
	values->all.v[values->n_enter++] = *value;
	return 0;
}

static int add_value(struct gathering *g, const char *name)
{
	rarog_cleanup(rarog_str_release) struct rarog_str type = { 0 };
	struct rarog_wanted_value value = { .is_return = is_of_return(name) };
	unsigned n = value.is_return ? g->values->n_leave : g->values->n_enter;
	int r = rarog_signature_path(g->signature, name, &value.path);

	if (r < 0 || is_known(g, name))
		return r;
	if (n == g->max)
		return rarog_fail(-ENOTSUP, "more than %u values of one call", g->max);
	r = rarog_signature_path_type(g->signature, name, &type);
	if (r < 0)
		return r;
	value.name = strdup(name);
	value.type = rarog_str_take(&type);
	r = value.name && value.type ? push(g, &value) : rarog_oom();
	if (r < 0) {
		free(value.name);
		free(value.type);
	}
	return r;
}

/* What cannot be had is told, unless a pattern asked for whatever there is. */
static int tolerate(const struct gathering *g, const struct rarog_value_request *request, int r,
		    const char *path)
{
	if (r == 0 || r == -ENOMEM)
		return r;
	if (rarog_value_request_is_name(request))
		rarog_warn("%s: '%s' is not captured: %s", g->function, path,
			   rarog_error_message());
	else
		rarog_debug(RAROG_LOG_SITE, "%s: '%s' is not captured: %s", g->function, path,
			    rarog_error_message());
	return 0;
}

static int add_all(struct gathering *g, const struct rarog_value_request *request)
{
	size_t n = rarog_signature_count(g->signature);
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++) {
		struct rarog_parameter p = rarog_signature_parameter(g->signature, i);

		if (!p.name)
			continue;
		if (p.why_not)
			r = tolerate(g, request, rarog_fail(-ENOTSUP, "it %s", p.why_not), p.name);
		else
			r = tolerate(g, request, add_value(g, p.name), p.name);
	}
	return r;
}

static int grant(struct gathering *g, const struct rarog_value_request *request)
{
	if (!request->path)
		return add_all(g, request);
	return tolerate(g, request, add_value(g, request->path), request->path);
}

/* "f" means "f.constprop.0", too: that is what is called. */
static bool is_for(struct rarog_value_request *request, const struct rarog_function *f)
{
	rarog_cleanup(rarog_freep) char *base = NULL;
	const char *dot = strchr(f->name, '.');

	if (rarog_function_matches(&request->functions, f))
		return true;
	if (!dot || dot == f->name)
		return false;
	base = strndup(f->name, (size_t)(dot - f->name));
	return base && rarog_match_test(&request->functions, 1, (const char *const[]){ base });
}

/* Marks the requests that @f fulfils. Return: is any of them for this function by its name? -1:
 * none
 */
static int match(struct rarog_value_requests *requests, const struct rarog_function *f)
{
	int result = -1;

	for (size_t i = 0; i < requests->all.n; i++) {
		struct rarog_value_request *request = &requests->all.v[i];

		if (!is_for(request, f))
			continue;
		request->is_matched = true;
		result = rarog_value_request_is_name(request) || result == 1;
	}
	return result;
}

bool rarog_value_requests_mean(struct rarog_value_requests *requests,
			       const struct rarog_function *function)
{
	for (size_t i = 0; i < requests->all.n; i++)
		if (is_for(&requests->all.v[i], function))
			return true;
	return false;
}

int rarog_value_requests_of(struct rarog_value_requests *requests, struct rarog_binary *binary,
			    size_t function, unsigned max, struct rarog_wanted_values *ret_values)
{
	rarog_cleanup(rarog_signature_freep) struct rarog_signature *signature = NULL;
	rarog_cleanup(rarog_wanted_values_release) struct rarog_wanted_values values = { 0 };
	const struct rarog_function *functions;
	rarog_cleanup(rarog_freep) char *demangled = NULL;
	struct gathering g = { .max = max, .values = &values };
	int by_name, r;

	rarog_binary_functions(binary, &functions);
	by_name = match(requests, &functions[function]);
	if (by_name < 0) {
		*ret_values = (struct rarog_wanted_values){ 0 };
		return 0;
	}
	demangled = rarog_demangle(functions[function].name);
	r = rarog_signature_read(binary, function, &signature);
	if (r == -ENOTSUP || r == -EPROTONOSUPPORT) {
		/* all of a unit's functions are in one language: once is enough */
		if (by_name || (r == -EPROTONOSUPPORT && !requests->is_foreign_said))
			rarog_warn("%s; nothing of it is captured", rarog_error_message());
		requests->is_foreign_said |= r == -EPROTONOSUPPORT;
		r = 0;
	}
	g.signature = signature;
	g.function = demangled ? demangled : functions[function].name;
	for (size_t i = 0; signature && r == 0 && i < requests->all.n; i++)
		if (is_for(&requests->all.v[i], &functions[function]))
			r = grant(&g, &requests->all.v[i]);
	if (r < 0)
		return r;
	*ret_values = values;
	values = (struct rarog_wanted_values){ 0 };
	return 0;
}
