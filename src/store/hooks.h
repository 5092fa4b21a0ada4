/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The git hooks that call rarog: their files. What they call is `rarog hook run NAME`. */
#ifndef RAROG_STORE_HOOKS_H
#define RAROG_STORE_HOOKS_H

#include "store/vcs.h"

/** rarog_hook_names - "post-commit", "pre-push", NULL at the end. */
extern const char *const rarog_hook_names[];

struct rarog_hooks {
	char *directory; /* core.hooksPath, else hooks of the common directory */
	bool is_shared;  /* set for more than this repository (user, system) */
};

/** rarog_hooks_find() - 0; -ENOTSUP no git. */
int rarog_hooks_find(struct rarog_vcs *vcs, struct rarog_hooks *ret_hooks);
void rarog_hooks_release(struct rarog_hooks *hooks);

enum rarog_hook_state {
	RAROG_HOOK_NONE,  /* no such hook */
	RAROG_HOOK_OTHER, /* another program's */
	RAROG_HOOK_OURS,
	RAROG_HOOK_CHAINED, /* ours, and it calls the one that was there before */
};

/** rarog_hook_state() - of the hook @name; or -errno. */
int rarog_hook_state(const struct rarog_hooks *hooks, const char *name);

/** rarog_hook_install() - a hook that was there is kept as NAME.before-rarog and called first.
 * @program: rarog's own path. -EEXIST there is one kept already that is not ours to replace. */
int rarog_hook_install(const struct rarog_hooks *hooks, const char *name, const char *program);

/** rarog_hook_uninstall() - the one before gets its name back. 1 done, 0 it is not ours. */
int rarog_hook_uninstall(const struct rarog_hooks *hooks, const char *name);

#endif
