/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Three files' worth of settings, the runtime one made of -c KEY=VALUE. All are checked when they
 * are opened: a later question gets a value or the standard, never an error. */
#include "store/settings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/units.h"
#include "store/vcs.h"

const char *const rarog_scope_names[] = { "user", "repository", "runtime", NULL };

struct rarog_settings {
	char *paths[RAROG_SCOPES];
	struct rarog_yaml_file files[RAROG_SCOPES];
};

void rarog_settings_free(struct rarog_settings *settings)
{
	if (!settings)
		return;
	for (size_t i = 0; i < RAROG_SCOPES; i++) {
		free(settings->paths[i]);
		rarog_yaml_release(&settings->files[i]);
	}
	free(settings);
}

/* --- opening --- */

static char *user_file(void)
{
	const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (xdg && *xdg == '/')
		return rarog_asprintf("%s/rarog/config.yml", xdg);
	return home && *home ? rarog_asprintf("%s/.config/rarog/config.yml", home) : NULL;
}

char *rarog_settings_file(const char *root, enum rarog_scope_kind scope)
{
	if (scope == RAROG_SCOPE_USER)
		return user_file();
	if (scope == RAROG_SCOPE_REPOSITORY && root)
		return rarog_asprintf("%s/" RAROG_SETTINGS_FILE, root);
	return NULL;
}

static int read_file(struct rarog_settings *settings, enum rarog_scope_kind scope)
{
	struct rarog_yaml_file *file = &settings->files[scope];
	int r = -ENOENT;

	if (settings->paths[scope])
		r = rarog_yaml_read(settings->paths[scope], file);
	if (r == -ENOENT || r == -ENOTDIR) {
		rarog_error_clear();
		r = rarog_yaml_parse(rarog_scope_names[scope], 0, "", file);
	}
	return r < 0 ? r : rarog_settings_check(file->root);
}

/* --- KEY=VALUE --- */

/* The value alone first, so that what is wrong with it is said in terms of what was typed. */
static int check_value(const char *key, const char *value, struct rarog_str *yaml)
{
	rarog_cleanup(rarog_freep) char *name = rarog_asprintf("-c %s", key);
	const struct rarog_setting *setting = rarog_setting_find(key);

	if (!name)
		return rarog_oom();
	if (!setting)
		return rarog_fail_prefix(-EINVAL, "-c");
	return rarog_setting_yaml(setting, name, value, yaml);
}

static int add_runtime(const char *assignment, struct rarog_str *text)
{
	rarog_cleanup(rarog_str_release) struct rarog_str next = { 0 }, value = { 0 };
	const char *equals = strchr(assignment, '=');
	rarog_cleanup(rarog_freep) char *key =
		strndup(assignment, equals ? (size_t)(equals - assignment) : 0);
	int r;

	if (!key)
		return rarog_oom();
	if (!*key)
		return rarog_fail(-EINVAL, "-c %s: expected KEY=VALUE", assignment);
	r = check_value(key, equals + 1, &value);
	if (r == 0)
		r = rarog_yaml_set("-c", rarog_str_text(text), key, rarog_str_text(&value), &next);
	if (r < 0)
		return r;
	rarog_str_release(text);
	*text = rarog_take_struct(next);
	return 0;
}

static int read_runtime(struct rarog_settings *settings, const struct rarog_strings *runtime)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	struct rarog_yaml_file *file = &settings->files[RAROG_SCOPE_RUNTIME];
	int r = 0;

	for (size_t i = 0; r == 0 && runtime && i < runtime->n; i++)
		r = add_runtime(runtime->v[i], &text);
	if (r == 0)
		r = rarog_yaml_parse("-c", text.length, rarog_str_text(&text), file);
	return r < 0 ? r : rarog_settings_check(file->root);
}

/* Where there is no work tree to have a file. */
static int read_committed(struct rarog_settings *settings, struct rarog_vcs *vcs)
{
	struct rarog_yaml_file *file = &settings->files[RAROG_SCOPE_REPOSITORY];
	rarog_cleanup(rarog_freep) char *text = NULL;
	size_t n = 0;
	int r = rarog_vcs_file(vcs, "HEAD", RAROG_SETTINGS_FILE, &text, &n);

	if (r < 0) /* none in it, or no commit yet */
		rarog_error_clear();
	r = rarog_yaml_parse("HEAD:" RAROG_SETTINGS_FILE, r < 0 ? 0 : n, r < 0 ? "" : text, file);
	return r < 0 ? r : rarog_settings_check(file->root);
}

static int open_settings(const char *root, struct rarog_vcs *bare,
			 const struct rarog_strings *runtime, struct rarog_settings **ret_settings)
{
	rarog_cleanup(rarog_settings_freep) struct rarog_settings *settings =
		calloc(1, sizeof(*settings));
	int r;

	if (!settings)
		return rarog_oom();
	settings->paths[RAROG_SCOPE_USER] = rarog_settings_file(root, RAROG_SCOPE_USER);
	settings->paths[RAROG_SCOPE_REPOSITORY] = rarog_settings_file(root, RAROG_SCOPE_REPOSITORY);
	if (root && !settings->paths[RAROG_SCOPE_REPOSITORY])
		return rarog_oom();
	r = read_file(settings, RAROG_SCOPE_USER);
	if (r == 0)
		r = bare ? read_committed(settings, bare)
			 : read_file(settings, RAROG_SCOPE_REPOSITORY);
	if (r == 0)
		r = read_runtime(settings, runtime);
	if (r < 0)
		return r;
	*ret_settings = rarog_take(settings);
	return 0;
}

int rarog_settings_open(const char *root, const struct rarog_strings *runtime,
			struct rarog_settings **ret_settings)
{
	return open_settings(root, NULL, runtime, ret_settings);
}

int rarog_settings_open_of(struct rarog_vcs *vcs, const struct rarog_strings *runtime,
			   struct rarog_settings **ret_settings)
{
	const char *root = vcs ? rarog_vcs_root(vcs) : NULL;

	return open_settings(root, root ? NULL : vcs, runtime, ret_settings);
}

const struct rarog_yaml *rarog_settings_root(const struct rarog_settings *settings,
					     enum rarog_scope_kind scope)
{
	return settings->files[scope].root;
}

/* --- asking --- */

const struct rarog_yaml *rarog_settings_get(const struct rarog_settings *settings, const char *key,
					    enum rarog_scope_kind *ret_scope)
{
	for (size_t i = RAROG_SCOPES; i-- > 0;) {
		const struct rarog_yaml *value = rarog_yaml_find(settings->files[i].root, key);

		if (rarog_yaml_is_null(value))
			continue;
		if (ret_scope)
			*ret_scope = (enum rarog_scope_kind)i;
		return value;
	}
	return NULL;
}

size_t rarog_settings_gather(const struct rarog_settings *settings, const char *key,
			     const struct rarog_yaml *ret_values[RAROG_SCOPES])
{
	size_t n = 0;

	for (size_t i = RAROG_SCOPES; i-- > 0;) {
		const struct rarog_yaml *value = rarog_yaml_find(settings->files[i].root, key);

		if (!rarog_yaml_is_null(value))
			ret_values[n++] = value;
	}
	return n;
}

/* What was written, or the standard: a scalar's text; NULL: neither. */
static const char *text_of(const struct rarog_settings *settings, const char *key)
{
	const struct rarog_yaml *value = rarog_settings_get(settings, key, NULL);
	const struct rarog_setting *setting = rarog_setting_find(key);

	if (value && value->kind == RAROG_YAML_SCALAR)
		return value->text;
	return setting ? setting->standard : NULL;
}

const char *rarog_settings_text(const struct rarog_settings *settings, const char *key)
{
	return text_of(settings, key);
}

bool rarog_settings_bool(const struct rarog_settings *settings, const char *key)
{
	const char *text = text_of(settings, key);
	const struct rarog_yaml value = { .text = text ? text : "", .name = "" };
	bool truth = false;

	rarog_yaml_bool(&value, &truth);
	return truth;
}

int64_t rarog_settings_int(const struct rarog_settings *settings, const char *key)
{
	const char *text = text_of(settings, key);

	return text ? strtoll(text, NULL, 10) : 0;
}

uint64_t rarog_settings_duration(const struct rarog_settings *settings, const char *key)
{
	const char *text = text_of(settings, key);
	uint64_t ns = 0;

	if (text)
		rarog_parse_duration(text, &ns);
	return ns;
}

uint64_t rarog_settings_size(const struct rarog_settings *settings, const char *key)
{
	const char *text = text_of(settings, key);
	uint64_t bytes = 0;

	if (text)
		rarog_parse_size(text, &bytes);
	return bytes;
}

int rarog_settings_choice(const struct rarog_settings *settings, const char *key)
{
	const struct rarog_setting *setting = rarog_setting_find(key);
	const char *text = text_of(settings, key);

	for (int i = 0; text && setting && setting->choices && setting->choices[i]; i++)
		if (strcmp(setting->choices[i], text) == 0)
			return i;
	return 0;
}
