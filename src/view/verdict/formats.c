/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/cleanup.h"
#include "view/verdict/verdict-view.h"

const struct rarog_verdict_format *rarog_verdict_format(const struct rarog_verdicts_asked *asked,
							bool is_history)
{
#define FORMAT(format, help) { asked->format, &rarog_verdict_##format },
	const struct {
		bool is_asked;
		const struct rarog_verdict_format *format;
	} formats[] = { RAROG_VERDICT_FORMATS(FORMAT) };
#undef FORMAT
	const struct rarog_verdict_format *chosen = NULL;

	for (size_t i = 0; i < RAROG_COUNT(formats); i++) {
		if (!formats[i].is_asked)
			continue;
		if (is_history && !formats[i].format->write_history)
			return NULL;
		chosen = chosen ? chosen : formats[i].format;
	}
	return chosen ? chosen : &rarog_verdict_text;
}
