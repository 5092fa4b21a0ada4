/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "binary/unwinder.h"

#include "binary/internal.h"

bool rarog_unwinder_raises(const struct rarog_binary *binary, const struct rarog_function *f)
{
	const struct rarog_fde *fde = rarog_eh_frame_find(&binary->frame, f->address);

	return fde && fde->start == f->address &&
	       rarog_eh_frame_goes_to_handlers(&binary->frame, fde);
}
