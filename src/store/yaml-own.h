/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What only yaml*.c share. */
#ifndef RAROG_STORE_YAML_OWN_H
#define RAROG_STORE_YAML_OWN_H

#include "base/vec.h"
#include "store/yaml.h"

/* "a: &x 1": the anchor x. */
struct rarog_yaml_anchor {
	char *name;
	const struct rarog_yaml *node; /* NULL: not complete: an alias to it would be a loop */
};

struct rarog_yaml_pool {
	char *name;
	RAROG_VEC(struct rarog_yaml *) nodes;
	RAROG_VEC(struct rarog_yaml_anchor) anchors;
};

#endif
