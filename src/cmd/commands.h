/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The commands there are. A new one: its `extern` line here and one line in the array in main.c
 * (doc/howto/add-a-command.md).
 */
#ifndef RAROG_CMD_COMMANDS_H
#define RAROG_CMD_COMMANDS_H

#include "cmd/command.h"

extern const struct rarog_command rarog_cmd_add;
extern const struct rarog_command rarog_cmd_binary;
extern const struct rarog_command rarog_cmd_bundle;
extern const struct rarog_command rarog_cmd_cc;
extern const struct rarog_command rarog_cmd_check;
extern const struct rarog_command rarog_cmd_collect;
extern const struct rarog_command rarog_cmd_completion;
extern const struct rarog_command rarog_cmd_config;
extern const struct rarog_command rarog_cmd_cpp;
extern const struct rarog_command rarog_cmd_diff;
extern const struct rarog_command rarog_cmd_doctor;
extern const struct rarog_command rarog_cmd_export;
extern const struct rarog_command rarog_cmd_fsck;
extern const struct rarog_command rarog_cmd_gc;
extern const struct rarog_command rarog_cmd_help;
extern const struct rarog_command rarog_cmd_hook;
extern const struct rarog_command rarog_cmd_import;
extern const struct rarog_command rarog_cmd_init;
extern const struct rarog_command rarog_cmd_log;
extern const struct rarog_command rarog_cmd_model;
extern const struct rarog_command rarog_cmd_probes;
extern const struct rarog_command rarog_cmd_pull;
extern const struct rarog_command rarog_cmd_push;
extern const struct rarog_command rarog_cmd_report;
extern const struct rarog_command rarog_cmd_rm;
extern const struct rarog_command rarog_cmd_bisect;
extern const struct rarog_command rarog_cmd_blow;
extern const struct rarog_command rarog_cmd_feature;
extern const struct rarog_command rarog_cmd_run;
extern const struct rarog_command rarog_cmd_show;
extern const struct rarog_command rarog_cmd_stats;
extern const struct rarog_command rarog_cmd_status;
extern const struct rarog_command rarog_cmd_tag;
extern const struct rarog_command rarog_cmd_version;

/* All, in the order of `rarog help`, NULL at the end. */
extern const struct rarog_command *const rarog_commands[];

/* Options that every command takes, in rarog's own table. */
extern const struct rarog_option rarog_common_options[];

/** rarog_command_find() - by name; NULL: recorded message names the nearest ones. */
const struct rarog_command *rarog_command_find(const char *name);

/** rarog_command_help() - what `rarog CMD --help` prints. */
void rarog_command_help(const struct rarog_command *command, FILE *out, int width);

/** rarog_overview() - what `rarog --help` prints. */
void rarog_overview(FILE *out, int width);

#endif
