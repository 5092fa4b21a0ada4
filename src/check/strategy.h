/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which methods check which profiles, by the project's settings:
 *
 *   check:
 *     apply: first            # of the strategies that fit; or all
 *     strategies:
 *       - method: best-model-order
 *         collector: trace    # these and more: all that are said must fit
 *         workload: "*.txt"
 *         set: { trust: 0.8 } # thresholds
 *       - method: runs        # fits everything
 */
#ifndef RAROG_CHECK_STRATEGY_H
#define RAROG_CHECK_STRATEGY_H

#include "check/check.h"
#include "store/settings.h"

struct rarog_strategies;

/**
 * rarog_strategies_read() - those of all scopes, the one that counts most first
 * @ret_strategies: NULL: there are none
 *
 * Return: 0; -EINVAL "file:line:column: …"; -ENOMEM.
 */
int rarog_strategies_read(const struct rarog_settings *settings,
			  struct rarog_strategies **ret_strategies);
void rarog_strategies_free(struct rarog_strategies *strategies);
RAROG_DEFINE_FREEP(rarog_strategies);

/**
 * rarog_strategies_choose() - the methods for a profile, each once: of several strategies with the
 * same method the first
 * @facts: of the target's first profile
 * @ret_rules: RAROG_STRATEGY_RULES at most
 *
 * Return: how many; 0: none fits.
 */
size_t rarog_strategies_choose(struct rarog_strategies *strategies, const struct rarog_facts *facts,
			       struct rarog_check_rule ret_rules[]);

#define RAROG_STRATEGY_RULES 32

#endif
