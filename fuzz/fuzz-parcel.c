/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words of a parcel, from anybody's remote. What can be read must print as something that reads
 * as the same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "store/parcel.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	rarog_cleanup(rarog_parcel_release) struct rarog_parcel first = { 0 }, second = { 0 };
	rarog_cleanup(rarog_str_release) struct rarog_str once = { 0 }, twice = { 0 };

	if (rarog_parcel_parse("fuzz", n, (const char *)bytes, &first) < 0)
		return 0;
	if (rarog_parcel_print(&first, &once) < 0)
		return 0;
	if (rarog_parcel_parse("again", once.length, once.text, &second) < 0 ||
	    rarog_parcel_print(&second, &twice) < 0 || strcmp(once.text, twice.text) != 0)
		abort();
	return 0;
}
