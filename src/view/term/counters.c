/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/term/counters.h"

#include "base/units.h"

static uint64_t number(const json_t *counter, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(counter, key));
}

uint64_t rarog_counter_shown(const json_t *counter, struct rarog_str *text)
{
	const json_t *ns = json_object_get(counter, "ns");
	uint64_t amount = number(counter, ns ? "ns" : "count");
	uint64_t enabled = number(counter, "enabled_ns"), running = number(counter, "running_ns");

	rarog_str_add(text, (ns ? rarog_format_ns(amount) : rarog_format_count(amount)).text);
	if (json_is_true(json_object_get(counter, "user_only")))
		rarog_str_add(text, " in user code");
	if (enabled > 0 && running == 0)
		rarog_str_add(text, " (never counted: others had its turn)");
	else if (running < enabled)
		rarog_str_addf(text, " (scaled: counted for %s of the time)",
			       rarog_format_percent(running, enabled).text);
	return amount;
}
