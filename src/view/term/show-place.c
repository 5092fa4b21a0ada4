/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where code stands, as views name it. */
#include <inttypes.h>
#include <string.h>

#include "base/str.h"
#include "view/term/show.h"

struct rarog_str rarog_show_place(const struct rarog_location *location)
{
	struct rarog_str place = { 0 };
	const char *slash = location->file ? strrchr(location->file, '/') : NULL;

	if (location->file && location->line > 0)
		rarog_str_addf(&place, "%s:%" PRIu32, slash ? slash + 1 : location->file,
			       location->line);
	else if (location->file)
		rarog_str_add(&place, slash ? slash + 1 : location->file);
	return place;
}
