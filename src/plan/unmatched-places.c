/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/unmatched-places.h"

#include <string.h>

#include "base/error.h"
#include "base/nearest.h"
#include "binary/source-lines.h"
#include "plan/unmatched-others.h"

struct offer {
	struct rarog_nearest nearest;
	bool is_whole; /* folders are named, too */
	bool is_named; /* it is a file's name; only, no line of that has code */
	size_t n;      /* files */
};

static void take(void *context, const char *path)
{
	struct offer *offer = context;
	const char *slash = offer->is_whole ? NULL : strrchr(path, '/');

	offer->is_named |= rarog_source_is_called(path, offer->nearest.wanted);
	rarog_nearest_offer(&offer->nearest, slash ? slash + 1 : path);
	offer->n++;
}

static int offer_files(const struct rarog_searched *searched, struct rarog_place_request *request,
		       struct offer *offer)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < searched->binaries.n; i++)
		if (rarog_place_request_is_in(request, searched->binaries.v[i].path))
			r = rarog_source_files_visit(searched->binaries.v[i].binary, take, offer);
	return r;
}

static struct rarog_place_request *find(const struct rarog_place_requests *requests)
{
	for (size_t i = 0; i < requests->list.n; i++)
		if (!requests->list.v[i].is_found)
			return &requests->list.v[i];
	return NULL;
}

/* Why no lines are known. */
static enum rarog_debug_lack lack_of(const struct rarog_searched *searched,
				     struct rarog_place_request *request)
{
	enum rarog_debug_lack lack = RAROG_DEBUG_NONE;

	for (size_t i = 0; i < searched->binaries.n && lack == RAROG_DEBUG_NONE; i++)
		if (rarog_place_request_is_in(request, searched->binaries.v[i].path))
			lack = rarog_binary_debug_lack(searched->binaries.v[i].binary);
	return lack;
}

static const char *const without_lines[] = {
	[RAROG_DEBUG_NONE] = "no lines are known without debug information; build with -g",
	/* lines are where the code is */
	[RAROG_DEBUG_ELSEWHERE] = "no lines are known without debug information; build with -g",
	[RAROG_DEBUG_UNREAD] = "no lines are known without debug information; build with -g",
	[RAROG_DEBUG_PACKED] =
		("no lines are known, the debug information is compressed in a way that this "
		 "libelf does not know (zstd?); objcopy --decompress-debug-sections, build with "
		 "-gz=zlib"),
	[RAROG_DEBUG_DAMAGED] = "no lines are known, the debug information is damaged; build again",
};

static int describe_file(const struct rarog_searched *searched, struct rarog_place_request *request,
			 struct rarog_str *text)
{
	struct offer offer = { .nearest = { .wanted = request->file },
			       .is_whole = strchr(request->file, '/') };
	int r = offer_files(searched, request, &offer);

	if (r == 0 && offer.n == 0)
		return rarog_str_addf(text, "%s: %s, or name addresses", request->file,
				      without_lines[lack_of(searched, request)]);
	if (r == 0 && offer.is_named)
		return rarog_str_addf(text, "no line of %s has code", request->file);
	if (r == 0)
		r = rarog_str_addf(text, "no source file is called %s", request->file);
	return r < 0 ? r : rarog_nearest_add(&offer.nearest, "", text);
}

static int describe_call(struct rarog_place_request *request, struct rarog_str *text)
{
	if (request->is_return)
		return rarog_str_addf(text, "%s: no such function is in the code that was loaded",
				      request->text);
	return rarog_str_addf(text,
			      "%s: no such call is in the code that was loaded; calls that were "
			      "inlined, or go through a pointer, are none; rarog binary callgraph "
			      "lists those that there are",
			      request->text);
}

static int describe(const struct rarog_searched *searched, struct rarog_place_request *request,
		    struct rarog_str *text)
{
	const char *binary = rarog_match_unused(&request->binary);

	if (binary)
		return rarog_str_addf(text, "%s: no binary that is measured is called %s",
				      request->given, binary);
	if (rarog_place_request_is_call(request))
		return describe_call(request, text);
	if (request->file)
		return describe_file(searched, request, text);
	return rarog_str_addf(text,
			      "%s is in no function that was loaded; addresses are those of the "
			      "file, as rarog probes has them",
			      request->text);
}

static int add_others(const struct rarog_place_requests *requests,
		      const struct rarog_place_request *first, struct rarog_str *text)
{
	size_t n = 0;
	int r = 0;

	for (size_t i = 0; r == 0 && i < requests->list.n; i++)
		if (!requests->list.v[i].is_found && &requests->list.v[i] != first)
			r = rarog_unmatched_other(text, &n, requests->list.v[i].given);
	return r;
}

int rarog_unmatched_place(const struct rarog_searched *searched, struct rarog_str *ret_text)
{
	struct rarog_place_request *request = find(&searched->plan->places);
	int r;

	if (!request)
		return 0;
	r = describe(searched, request, ret_text);
	if (r == 0)
		r = add_others(&searched->plan->places, request, ret_text);
	return r < 0 ? r : 1;
}
