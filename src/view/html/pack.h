/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Text on its way into a page: deflated (RFC 1951, no header), then base64. What comes out holds
 * letters, digits, '+', '/' and '=' only, so nothing in it can end the element it stands in.
 */
#ifndef RAROG_VIEW_HTML_PACK_H
#define RAROG_VIEW_HTML_PACK_H

#include <stdio.h>

#include "base/cleanup.h"

struct rarog_pack;

/**
 * rarog_pack_new() - a stream that packs what is written to it into @out
 * @out: borrowed; its errors are for its owner to ask (ferror)
 *
 * Return: 0; -ENOMEM.
 */
int rarog_pack_new(FILE *out, struct rarog_pack **ret_pack);

/** rarog_pack_stream() - where to write; lives as long as @pack; do not close. */
FILE *rarog_pack_stream(struct rarog_pack *pack);

/** rarog_pack_finish() - write what is still held back. Return: 0; -EIO when @out took not all. */
int rarog_pack_finish(struct rarog_pack *pack);

void rarog_pack_free(struct rarog_pack *pack);
RAROG_DEFINE_FREEP(rarog_pack);

#endif
