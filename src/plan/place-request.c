/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/place-request.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"
#include "plan/call-sampling.h"

#define RETURN "return" /* no function is called so */

static int fail(const char *text)
{
	return rarog_fail(-EINVAL,
			  "--at=%s: expected FILE:LINE, FILE:LINE-LINE, 0xADDRESS, "
			  "0xADDRESS-0xADDRESS, FUNC@CALLER, FUNC@FILE:LINE or return@FUNC, and "
			  "perhaps #N",
			  text);
}

static bool is_address(const char *text)
{
	return text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
}

/* A number at @text, up to @max. Returns what is after it, NULL: it is none. */
static const char *read_number(const char *text, int base, uint64_t max, uint64_t *ret_number)
{
	char *end;

	if (base == 16 && !is_address(text))
		return NULL;
	if (base == 10 && (*text < '0' || *text > '9'))
		return NULL;
	errno = 0;
	*ret_number = strtoull(text, &end, base);
	return errno == 0 && *ret_number > 0 && *ret_number <= max ? end : NULL;
}

/* What ends a path does not begin with "./", which says only where a path begins. */
static const char *without_dots(const char *file)
{
	while (rarog_starts_with(file, "./"))
		file += 2;
	return file;
}

/* One number or two. */
static int read_numbers(struct rarog_place_request *request, const char *whole, const char *text)
{
	int base = request->file ? 10 : 16;
	uint64_t max = request->file ? INT_MAX : UINT64_MAX;
	const char *end = read_number(text, base, max, &request->first);

	if (end && *end == '-')
		end = read_number(end + 1, base, max, &request->last);
	if (!end || *end != '\0')
		return fail(whole);
	if (request->last && request->last <= request->first)
		return rarog_fail(-EINVAL, "--at=%s: the region's end is not after its beginning",
				  whole);
	return 0;
}

/* "#N" at the end of @place is taken from it. */
static int read_every(struct rarog_place_request *request, const char *text, char *place)
{
	char *hash = strrchr(place, '#');
	uint64_t every;
	const char *end = hash ? read_number(hash + 1, 10, RAROG_CALL_SAMPLING_MAX, &every) : NULL;

	if (!hash || strchr(hash, '@')) /* a lambda's name may have one, too */
		return 0;
	if (!end || *end)
		return rarog_fail(-EINVAL, "--at=%s: after '#' stands a number from 1 to %d", text,
				  RAROG_CALL_SAMPLING_MAX);
	request->every = (uint32_t)every;
	*hash = '\0';
	return 0;
}

/* The first '#' ends BINARY, unless a number without a place before it follows. */
static const char *end_of_binary(const char *text)
{
	const char *hash = strchr(text, '#');

	return hash && (strpbrk(hash + 1, ":@") || is_address(hash + 1)) ? hash : NULL;
}

static int read_line(struct rarog_place_request *request, const char *whole, const char *place)
{
	const char *colon;

	place = without_dots(place);
	colon = strrchr(place, ':');
	if (!colon || colon == place)
		return fail(whole);
	request->file = strndup(place, (size_t)(colon - place));
	return request->file ? read_numbers(request, whole, colon + 1) : rarog_oom();
}

/* The '@' between a function and its caller; NULL: a file's name may have one after a '/'. */
static const char *find_call(const char *place)
{
	const char *at = strchr(place, '@');
	const char *slash = at && *place != '/' ? memchr(place, '/', (size_t)(at - place)) : NULL;

	return slash ? NULL : at;
}

static bool ends_with_line(const char *text)
{
	const char *colon = strrchr(text, ':');

	return colon && (colon == text || colon[-1] != ':') && colon[1] &&
	       strspn(colon + 1, "0123456789") == strlen(colon + 1);
}

static int read_call(struct rarog_place_request *request, const char *whole, const char *place,
		     const char *at)
{
	rarog_cleanup(rarog_freep) char *callee = strndup(place, (size_t)(at - place));
	int r;

	if (!callee)
		return rarog_oom();
	if (!*callee || !at[1])
		return fail(whole);
	request->is_return = strcmp(callee, RETURN) == 0;
	if (request->is_return)
		return rarog_match_include(&request->callee, at + 1);
	r = rarog_match_include(&request->callee, callee);
	if (r < 0)
		return r;
	return ends_with_line(at + 1) ? read_line(request, whole, at + 1)
				      : rarog_match_include(&request->caller, at + 1);
}

static int read_request(struct rarog_place_request *request, const char *text)
{
	const char *hash = end_of_binary(text), *place, *call;
	rarog_cleanup(rarog_freep) char *binary = strndup(text, hash ? (size_t)(hash - text) : 0);
	int r;

	request->text = strdup(hash ? hash + 1 : text);
	request->given = strdup(text);
	if (!binary || !request->text || !request->given)
		return rarog_oom();
	if (hash && (!*binary || rarog_match_include(&request->binary, binary) < 0))
		return fail(text);
	r = read_every(request, text, request->text);
	if (r < 0)
		return r;
	place = request->text;
	if (is_address(place))
		return read_numbers(request, text, place);
	call = find_call(place);
	return call ? read_call(request, text, place, call) : read_line(request, text, place);
}

static void request_release(struct rarog_place_request *request)
{
	free(request->given);
	free(request->text);
	free(request->file);
	rarog_match_release(&request->binary);
	rarog_match_release(&request->callee);
	rarog_match_release(&request->caller);
}

static bool is_there(const struct rarog_place_requests *requests, const char *text)
{
	for (size_t i = 0; i < requests->list.n; i++)
		if (strcmp(requests->list.v[i].given, text) == 0)
			return true;
	return false;
}

int rarog_place_requests_add(struct rarog_place_requests *requests, const char *text)
{
	struct rarog_place_request request = { 0 };
	int r;

	if (is_there(requests, text))
		return 0;
	r = read_request(&request, text);
	if (r == 0 && rarog_vec_push(&requests->list, request) < 0)
		r = rarog_oom();
	if (r < 0)
		request_release(&request);
	return r;
}

void rarog_place_requests_release(struct rarog_place_requests *requests)
{
	for (size_t i = 0; i < requests->list.n; i++)
		request_release(&requests->list.v[i]);
	rarog_vec_release(&requests->list);
}

bool rarog_place_request_is_call(const struct rarog_place_request *request)
{
	return request->callee.include.n > 0;
}

bool rarog_place_request_is_line(const struct rarog_place_request *request)
{
	return request->file && request->last == 0 && !rarog_place_request_is_call(request);
}

bool rarog_place_request_is_in(struct rarog_place_request *request, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *names[] = { path, slash ? slash + 1 : path };

	return rarog_match_test(&request->binary, RAROG_COUNT(names), names);
}
