/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the kernel's breakpoint for a function goes (uprobes), proven on the binary. A breakpoint
 * replaces an instruction that the kernel then has to execute itself: some it can work out in
 * software, all others it single-steps in a copy, which costs many times as much. So the place is
 * the first instruction of the cheap kind that every call passes exactly once.
 */
#ifndef RAROG_BINARY_PROBE_PLACE_H
#define RAROG_BINARY_PROBE_PLACE_H

#include "binary/patch-site.h"

struct rarog_probe_place {
	uint8_t verdict; /* enum rarog_site_verdict: not OK, and its calls cannot be counted */
	uint8_t offset;  /* bytes from the entry; the return address is on top of the stack there */
	bool is_quick;   /* the kernel works the instruction out */
	bool may_return; /* it does not look at its return address: the kernel may replace that */
	bool may_be_entry; /* the probe could be at the entry itself, if single-stepped */
	uint8_t written; /* before the place: bits of rdi, rsi, rdx, rcx, r8, r9 (from bit 0 on) */
	/* Quick places for an engine that is told of faults, since what stands before them may
	 * fault: a call that never comes by has had one. 0: there is none, or .offset is quick
	 * itself. */
	uint8_t if_told;
	uint8_t if_counted; /* there the return address may be anywhere: nothing but counting */
};

/**
 * rarog_probe_places() - judge every function of @binary
 * @ret_places: places[n], n and order as rarog_binary_functions(); the caller frees
 *
 * Return: 0, -ENOMEM, others of rarog_patch_sites().
 */
int rarog_probe_places(const struct rarog_binary *binary, struct rarog_probe_place **ret_places);

enum rarog_probe_kind {
	RAROG_PROBE_REFUSED, /* no kernel probes it, or not all do afterwards what it does */
	RAROG_PROBE_STEPPED, /* it is executed elsewhere: a second trap, and ten times the cost */
	RAROG_PROBE_QUICK,   /* the kernel works it out */
};

/** rarog_probe_kind() - of the instruction at code[0 … n-1], anywhere in a function. */
enum rarog_probe_kind rarog_probe_kind(size_t n, const uint8_t code[n]);

/** rarog_probe_kind_at() - of that at the vaddr @address. */
enum rarog_probe_kind rarog_probe_kind_at(const struct rarog_binary *binary, uint64_t address);

#endif
