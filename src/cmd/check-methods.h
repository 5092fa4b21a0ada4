/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RAROG_CMD_CHECK_METHODS_H
#define RAROG_CMD_CHECK_METHODS_H

#include "cmd/command.h"

/** rarog_check_list_methods() - every method with its thresholds, for people. 0, -ENOMEM. */
int rarog_check_list_methods(const struct rarog_context *context);

#endif
