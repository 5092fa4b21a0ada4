/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Filters of system calls that a program that counts begins under: those of rarog itself (a
 * container has some), and others.
 */
#ifndef RAROG_ENGINE_BLOCKS_FILTERS_H
#define RAROG_ENGINE_BLOCKS_FILTERS_H

#include <stdint.h>

/**
 * rarog_block_filters_tried() - how many filters is rarog under?
 * @folder: a file may be made there
 *
 * Return: their number; 0: none, or one of them ends who makes a call of the runtime's.
 */
int rarog_block_filters_tried(const char *folder);

/* Who tells of others; zeroed: no one is heard. */
struct rarog_block_filters {
	/* Descriptors and 1. */
	int file;    /* which they open and read */
	int notices; /* of the kernel; 0: there was no room for them, and not all are told apart */
};

/** rarog_block_filters_listen() - make the file that they open in @folder. */
void rarog_block_filters_listen(const char *folder, struct rarog_block_filters *ret_filters);

/** rarog_block_filters_read() - how many have told, at least, since this was asked last. */
uint64_t rarog_block_filters_read(const struct rarog_block_filters *filters);

void rarog_block_filters_release(struct rarog_block_filters *filters);

#endif
