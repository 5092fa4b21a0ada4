/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SystemTap as a program: stap, or what the variable RAROG_STAP names (a build of one's own). It
 * gets its script through memory; no file is left behind.
 */
#ifndef RAROG_ENGINE_STAP_TOOL_H
#define RAROG_ENGINE_STAP_TOOL_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "base/str.h"

struct rarog_stap_tool;

/** rarog_stap_check() - can this machine and user run it? 0; -errno with message: what is missing
 * and how to get it. Not asked where RAROG_STAP is set: then it is that program's business. */
int rarog_stap_check(void);

/** rarog_stap_tool_new() - for @script; @keeps: may SystemTap keep the module that it makes, or use
 * one that it has kept? 0; -errno with message. */
int rarog_stap_tool_new(const char *script, bool keeps, struct rarog_stap_tool **ret_tool);

/** rarog_stap_tool_free() - ends it if it runs, and sees to it that its module is gone. */
void rarog_stap_tool_free(struct rarog_stap_tool *tool);
RAROG_DEFINE_FREEP(rarog_stap_tool);

/** rarog_stap_tool_elaborate() - what it finds of the script's probes. 0; -errno with message. */
int rarog_stap_tool_elaborate(struct rarog_stap_tool *tool, struct rarog_str *ret_text);

/** rarog_stap_tool_compile() - into its cache, unless it is there. 0; -errno with message. */
int rarog_stap_tool_compile(struct rarog_stap_tool *tool);

/** rarog_stap_tool_start() - with @target as the script's target(). Return: descriptor of what it
 * prints, the tool's; -errno with message. */
int rarog_stap_tool_start(struct rarog_stap_tool *tool, pid_t target);

/** rarog_stap_tool_running() - it has said that its probes are in: remember its module. */
void rarog_stap_tool_running(struct rarog_stap_tool *tool);

/** rarog_stap_tool_stop() - ask it to take its probes out and end; the rest of what it prints can
 * still be read. */
void rarog_stap_tool_stop(struct rarog_stap_tool *tool);

/**
 * rarog_stap_tool_end() - when all was read: how did it end?
 * @ret_skipped: probes that were passed and skipped, as it says
 *
 * Return: 0; -EIO with message: what it complained of.
 */
int rarog_stap_tool_end(struct rarog_stap_tool *tool, unsigned long *ret_skipped);

/** rarog_stap_tool_fail() - "stap @what", and what it complained of. -EIO with message. */
int rarog_stap_tool_fail(const struct rarog_stap_tool *tool, const char *what);

#endif
