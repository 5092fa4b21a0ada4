/* SPDX-License-Identifier: GPL-3.0-or-later */
int other_user(int x);

static int __attribute__((noinline)) helper(int x) { return x * 77; }

int other_user(int x) { return helper(x + 1) - 1; }
