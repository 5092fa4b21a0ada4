/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/export/labels.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/json-writer.h"
#include "view/text.h"

int rarog_labels_init(struct rarog_labels *labels, const struct rarog_run *run)
{
	rarog_cleanup(rarog_fclosep) FILE *stream = NULL;
	size_t size = 0;

	*labels = (struct rarog_labels){ 0 };
	labels->offsets = calloc(run->n_locations + 1, sizeof(*labels->offsets));
	stream = open_memstream(&labels->text, &size);
	if (!labels->offsets || !stream)
		return rarog_oom();
	for (size_t i = 0; i < run->n_locations; i++) {
		struct rarog_json json;

		rarog_json_start(&json, stream, false);
		rarog_json_string(&json, NULL, rarog_location_title(&run->locations[i]));
		labels->offsets[i + 1] = (size_t)ftell(stream);
	}
	return fflush(stream) == 0 ? 0 : rarog_oom();
}

void rarog_labels_release(struct rarog_labels *labels)
{
	free(labels->text);
	free(labels->offsets);
	*labels = (struct rarog_labels){ 0 };
}
