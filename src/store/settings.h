/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Settings in three scopes. From the one that counts most:
 *
 *   runtime      rarog -c KEY=VALUE …
 *   repository   .rarog.yml in the tree, versioned with the code; bare: of HEAD
 *   user         $XDG_CONFIG_HOME/rarog/config.yml (~/.config/rarog/config.yml)
 *
 * Keys are dotted paths ("gc.max-size"). The first scope that has one decides; lists and maps are
 * not merged but where rarog_settings_gather() is used. settings-keys.c has the table of all keys;
 * what is below jobs, matrix, workloads, … is for the readers of these sections.
 */
#ifndef RAROG_STORE_SETTINGS_H
#define RAROG_STORE_SETTINGS_H

#include "base/cleanup.h"
#include "base/options.h"
#include "store/yaml.h"

#define RAROG_SETTINGS_FILE ".rarog.yml"

enum rarog_scope_kind {
	RAROG_SCOPE_USER,
	RAROG_SCOPE_REPOSITORY,
	RAROG_SCOPE_RUNTIME,
	RAROG_SCOPES
};

/** rarog_scope_names - "user", "repository", "runtime", NULL at the end. */
extern const char *const rarog_scope_names[];

/* --- the keys there are --- */

enum rarog_setting_type {
	RAROG_SETTING_TEXT,
	RAROG_SETTING_BOOL,
	RAROG_SETTING_INT,
	RAROG_SETTING_DURATION,
	RAROG_SETTING_SIZE,
	RAROG_SETTING_CHOICE,
	RAROG_SETTING_TEMPLATE, /* of names: store/template.h */
	RAROG_SETTING_SECTION,  /* a list or map that another module reads */
};

struct rarog_setting {
	const char *key;
	enum rarog_setting_type type;
	const char *standard; /* if it is not set; NULL: nothing */
	const char *help;     /* one line */
	const char *const *choices;
};

/** rarog_settings_table - all keys, by section; .key NULL ends it. */
extern const struct rarog_setting rarog_settings_table[];

/** rarog_setting_find() - what is known of @key; also of a key below a SECTION. NULL: unknown: the
 * recorded message names the near ones. */
const struct rarog_setting *rarog_setting_find(const char *key);

/** rarog_settings_check() - every key of a file known, every value fit: 0, -EINVAL, naming the
 * first that is not. */
int rarog_settings_check(const struct rarog_yaml *root);

/** rarog_setting_yaml() - what a user typed as @value of @setting, as YAML: a text is taken to the
 * letter ("%cmd%"), all else is YAML. Appended to @text. 0, -EINVAL: not fit. @name: for messages.
 */
int rarog_setting_yaml(const struct rarog_setting *setting, const char *name, const char *value,
		       struct rarog_str *text);

/* --- reading --- */

struct rarog_settings;

/** rarog_settings_file() - the file of a scope; @root as below. NULL: it has none, or no memory. */
char *rarog_settings_file(const char *root, enum rarog_scope_kind scope);

/**
 * rarog_settings_open() - the settings that hold in the work tree @root
 * @root: NULL: none (bare, or outside of any project)
 * @runtime: KEY=VALUE each; the value is YAML ("x", 3, [a, b])
 *
 * Files that are not there are empty. Return: 0; -EINVAL: a file is no sound YAML, has an unknown
 * key or a wrong value; -errno.
 */
int rarog_settings_open(const char *root, const struct rarog_strings *runtime,
			struct rarog_settings **ret_settings);

struct rarog_vcs;

/** rarog_settings_open_of() - the same for a version system, NULL: none; a bare repository has the
 * .rarog.yml of its HEAD. */
int rarog_settings_open_of(struct rarog_vcs *vcs, const struct rarog_strings *runtime,
			   struct rarog_settings **ret_settings);
void rarog_settings_free(struct rarog_settings *settings);
RAROG_DEFINE_FREEP(rarog_settings);

/** rarog_settings_root() - all that one scope says: a map, maybe empty. */
const struct rarog_yaml *rarog_settings_root(const struct rarog_settings *settings,
					     enum rarog_scope_kind scope);

/** rarog_settings_get() - the value that holds, NULL: not set anywhere. @ret_scope: may be NULL. */
const struct rarog_yaml *rarog_settings_get(const struct rarog_settings *settings, const char *key,
					    enum rarog_scope_kind *ret_scope);

/** rarog_settings_gather() - the values of all scopes, the one that counts most first; how many. */
size_t rarog_settings_gather(const struct rarog_settings *settings, const char *key,
			     const struct rarog_yaml *ret_values[RAROG_SCOPES]);

/* Values of known keys, checked when the settings were opened, so these cannot fail. Not set: the
 * table's standard; none: NULL, false, 0. */
const char *rarog_settings_text(const struct rarog_settings *settings, const char *key);
bool rarog_settings_bool(const struct rarog_settings *settings, const char *key);
int64_t rarog_settings_int(const struct rarog_settings *settings, const char *key);
uint64_t rarog_settings_duration(const struct rarog_settings *settings, const char *key);
uint64_t rarog_settings_size(const struct rarog_settings *settings, const char *key);
int rarog_settings_choice(const struct rarog_settings *settings, const char *key);

/* --- changing a file, its comments and layout kept --- */

/**
 * rarog_yaml_set() - the text of a settings file with @key set to @value
 * @name: of the file, for messages
 * @text: as it is now
 * @key: dotted path; maps that are missing are made
 * @value: YAML in one line: a scalar, [a list], {a: map}
 *
 * The result is read again: if anything but @key changed, nothing was done and -EINVAL says that it
 * must be edited by hand. Return: 0; -EINVAL.
 */
int rarog_yaml_set(const char *name, const char *text, const char *key, const char *value,
		   struct rarog_str *ret_text);

/** rarog_yaml_unset() - without @key, and without the maps that it leaves empty. 1, 0 there was no
 * such key, -EINVAL. */
int rarog_yaml_unset(const char *name, const char *text, const char *key,
		     struct rarog_str *ret_text);

#endif
