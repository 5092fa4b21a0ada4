/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/probes/arguments.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "binary/signature.h"

enum { FUNCTION, MANGLED, ARGUMENT, TYPE, VALUE, WHY, COLUMNS };

static const struct rarog_column columns[COLUMNS] = {
	[FUNCTION] = { "FUNCTION", "name", .is_elastic = true },
	[MANGLED] = { "", "mangled", .is_for_csv = true },
	[ARGUMENT] = { "ARGUMENT", "argument" },
	[TYPE] = { "TYPE", "type" },
	[VALUE] = { "CAPTURED AS", "kind" },
	[WHY] = { "WHY NOT", "reason" },
};

/* What would be captured of a parameter; NULL: nothing. */
static const char *kind_of(const struct rarog_signature *signature,
			   const struct rarog_parameter *parameter)
{
	struct rarog_value_path path;

	if (parameter->why_not || !parameter->name ||
	    rarog_signature_path(signature, parameter->name, &path) < 0)
		return NULL;
	return rarog_value_kind_names[path.kind];
}

static bool is_void(const struct rarog_signature *signature, size_t index,
		    const struct rarog_parameter *parameter)
{
	return index == rarog_signature_count(signature) && strcmp(parameter->type, "void") == 0;
}

static int add_row(struct rarog_table *table, const struct rarog_listed_probe *probe,
		   const char *argument, const char *type, const char *kind, const char *why)
{
	const char *name = probe->function->name;

	return rarog_table_add(table,
			       (const struct rarog_cell[COLUMNS]){
				       [FUNCTION] = { probe->demangled ? probe->demangled : name },
				       [MANGLED] = { name },
				       [ARGUMENT] = { argument },
				       [TYPE] = { type },
				       [VALUE] = { kind ? kind : "" },
				       [WHY] = { why ? why : "" },
			       });
}

/* -ENODATA, -ENOTSUP: why not is the message. */
static int read_signature(const struct rarog_probe_list *list,
			  const struct rarog_listed_probe *probe,
			  struct rarog_signature **ret_signature)
{
	return rarog_signature_read(list->binary, (size_t)(probe->function - list->functions),
				    ret_signature);
}

static const char *reason(const struct rarog_probe_list *list, int r)
{
	static const char *const lacks[] = {
		[RAROG_DEBUG_NONE] = "no debug information of it",
		[RAROG_DEBUG_ELSEWHERE] =
			"its debug information is in a .dwo file that is not there",
		[RAROG_DEBUG_UNREAD] = "this libdw finds nothing in its .dwo file",
		[RAROG_DEBUG_PACKED] = ("its debug information is compressed in a way that this "
					"libelf does not know; objcopy "
					"--decompress-debug-sections helps"),
		[RAROG_DEBUG_DAMAGED] = "its debug information is damaged",
	};

	return r == -ENODATA ? lacks[rarog_binary_debug_lack(list->binary)] : rarog_error_message();
}

static int add_function(const struct rarog_probe_list *list, const struct rarog_listed_probe *probe,
			struct rarog_table *table)
{
	rarog_cleanup(rarog_signature_freep) struct rarog_signature *signature = NULL;
	int r = read_signature(list, probe, &signature);

	if (r == -ENOMEM)
		return r;
	if (r < 0)
		return add_row(table, probe, "", "", NULL, reason(list, r));
	for (size_t i = 0; r == 0 && i <= rarog_signature_count(signature); i++) {
		struct rarog_parameter p = rarog_signature_parameter(signature, i);

		if (!is_void(signature, i, &p))
			r = add_row(table, probe, p.name ? p.name : "", p.type,
				    kind_of(signature, &p), p.name ? p.why_not : "it has no name");
	}
	return r;
}

int rarog_probe_arguments_table(const struct rarog_probe_list *list, struct rarog_table **ret_table)
{
	rarog_cleanup(rarog_table_freep) struct rarog_table *table =
		rarog_table_new(COLUMNS, columns);
	int r = table ? 0 : rarog_oom();

	for (size_t i = 0; r == 0 && i < list->probes.n; i++)
		if (list->probes.v[i].verdict == RAROG_SITE_OK)
			r = add_function(list, &list->probes.v[i], table);
	if (r == 0)
		*ret_table = rarog_take(table);
	return r;
}

static void write_parameter(struct rarog_json *json, const struct rarog_signature *signature,
			    size_t index)
{
	struct rarog_parameter p = rarog_signature_parameter(signature, index);

	if (is_void(signature, index, &p))
		return;
	rarog_json_object(json, NULL);
	rarog_json_string(json, "name", p.name);
	rarog_json_string(json, "type", p.type);
	rarog_json_string(json, "kind", kind_of(signature, &p));
	rarog_json_string(json, "reason", p.name ? p.why_not : "it has no name");
	rarog_json_bool(json, "is_return", index == rarog_signature_count(signature));
	rarog_json_end_object(json);
}

void rarog_probe_arguments_json(struct rarog_json *json, const struct rarog_probe_list *list,
				const struct rarog_listed_probe *probe)
{
	rarog_cleanup(rarog_signature_freep) struct rarog_signature *signature = NULL;
	int r = read_signature(list, probe, &signature);

	rarog_json_string(json, "arguments_reason", r < 0 ? reason(list, r) : NULL);
	rarog_json_array(json, "arguments");
	for (size_t i = 0; r == 0 && i <= rarog_signature_count(signature); i++)
		write_parameter(json, signature, i);
	rarog_json_end_array(json);
}
