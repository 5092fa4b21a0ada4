/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What rarog and its elevated helper say to each other, over a SOCK_SEQPACKET socket pair: plain
 * structs, one request and one answer at a time. Descriptors travel beside them.
 *
 *	LOAD    how much, what for                      -> descriptors of maps
 *	WATCH   a process                               ->
 *	ATTACH  n offsets, descriptor of the file       -> refused[n]
 *	MARKS   n places, descriptor of the file        ->
 *	SEAL    all probes are in                       ->
 *	STOP    take them out                           ->
 */
#ifndef RAROG_ENGINE_EBPF_SPLIT_WIRE_H
#define RAROG_ENGINE_EBPF_SPLIT_WIRE_H

#include <stddef.h>
#include <stdint.h>

#define RAROG_SPLIT_MAGIC   0x52534c33u /* both are of one build of rarog, or of none */
#define RAROG_SPLIT_PLACES  2048        /* of one request */
#define RAROG_SPLIT_MESSAGE 512
#define RAROG_SPLIT_FILES   11     /* descriptors beside one message */
#define RAROG_SPLIT_PROBES  131072 /* of one run: more than any program has functions worth it */

enum rarog_split_kind {
	RAROG_SPLIT_LOAD = 1,
	RAROG_SPLIT_WATCH,
	RAROG_SPLIT_ATTACH,
	RAROG_SPLIT_MARKS,
	RAROG_SPLIT_SEAL,
	RAROG_SPLIT_STOP,
	RAROG_SPLIT_KINDS
};

struct rarog_split_request {
	uint32_t magic;
	uint32_t kind;      /* enum rarog_split_kind */
	uint32_t n;         /* LOAD: probes of the run; ATTACH, MARKS: places after this */
	uint32_t n_sets;    /* LOAD: functions whose values are captured … */
	uint32_t n_marks;   /* … and marks, if values of any are */
	uint32_t first;     /* ATTACH: number of the first */
	int32_t pid;        /* WATCH; ATTACH, MARKS: only in this process, 0: in all */
	uint32_t state;     /* WATCH: RAROG_EBPF_WAITING or …_FOLLOWED; of pid 0 …_EVERYBODY */
	uint32_t mode;      /* LOAD: enum rarog_ebpf_mode … */
	uint32_t follow;    /* … children, too, 0 or 1 … */
	uint32_t skips;     /* … and not every call of some functions, 0 or 1 */
	uint32_t links;     /* LOAD: none better … */
	uint32_t everybody; /* … all that run the file join, 0 or 1 … */
	uint32_t device;    /* … the file, as in struct rarog_ebpf_config */
	uint64_t inode;
};

struct rarog_split_answer {
	uint32_t magic;
	int32_t result;                    /* 0, -errno */
	uint32_t links;                    /* LOAD */
	uint32_t n;                        /* ATTACH: bytes after this, 1 is a refusal */
	char message[RAROG_SPLIT_MESSAGE]; /* of a failure */
};

/* Maps whose descriptors LOAD answers with, in this order. That of processes stays with the helper:
 * it decides which are recorded. */
#define RAROG_SPLIT_MAPS 11
extern const char *const rarog_split_maps[RAROG_SPLIT_MAPS];

/* Memory of a message: the struct, and what stands after it. */
struct rarog_split_part {
	void *bytes;
	size_t size;
};

/** rarog_split_send() - one message of @parts, with files[n_files]. 0; -errno: the other one is
 * gone, … */
int rarog_split_send(int socket, const struct rarog_split_part parts[2], size_t n_files,
		     const int files[]);

/**
 * rarog_split_receive() - one message
 * @parts: the first must come whole, the second up to its size; that becomes what has come
 * @n_files: descriptors at most, with O_CLOEXEC; becomes how many have come
 *
 * Return: 0; -EPIPE: the other one is gone; -EBADMSG: not of that form, its descriptors are closed;
 * -errno.
 */
int rarog_split_receive(int socket, struct rarog_split_part parts[2], size_t *n_files,
			int ret_files[]);

#endif
