/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An image: one program image (made by an execve) and the processes forked from it, which share
 * rings and code. See agent/layout.h for its memory.
 */
#ifndef RAROG_ENGINE_INLINE_CODE_IMAGE_H
#define RAROG_ENGINE_INLINE_CODE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "agent/layout.h"
#include "engine/inline/code/module.h"
#include "events/recorder.h"
#include "process/remote.h"

/* What rarog knows of a strand record of the image (zeroed: free). */
struct rarog_image_strand {
	uint64_t generation; /* 0: not seen yet */
	uint32_t recorded;   /* index in the profile */
	uint64_t sequence;   /* of the next chunk */
};

struct rarog_patch {
	uint64_t address;
	uint64_t place;    /* that it leads to */
	uint32_t function; /* of the module */
	uint8_t n;         /* of bytes */
	uint8_t length;    /* of the code that is not run there any more, at least n */
	uint8_t starts;    /* bit i: an instruction of the file begins at byte i */
	bool is_spare;     /* a hook that nothing depends on */
	bool is_hook;      /* exceptions, libraries, switches of stacks depend on it */
	bool is_marks;     /* serves marks only, not the function's calls */
	bool is_out;       /* a foreign breakpoint was there before */
	bool is_changed;   /* by one that came since */
	bool is_turned;    /* taken out for the budget's sake: turned.h */
	uint64_t turn;     /* number of its last turn, of image->turns; 0: none */
	uint8_t bytes[RAROG_PATCH_SIZE], original[RAROG_PATCH_SIZE];
	uint8_t n_marks;      /* that it serves as well … */
	uint32_t first_mark;  /* … in the module's marks */
	uint8_t n_semaphores; /* counters of these: semaphores.c */
	uint32_t semaphores;  /* the first of them, in rarog_installed.semaphores */
};

/* Code areas that were made, in whichever process of the image. */
struct rarog_area_place {
	uint64_t address, size, serial;
	uint64_t code_size; /* of it, from the start on: the agent and the stubs */
};

/* A module that was patched, and could be again. */
struct rarog_installed {
	struct rarog_module *module;
	uint64_t bias;
	uint64_t address, serial; /* of its code area */
	size_t n_patches;
	struct rarog_patch *patches;
	uint64_t *semaphores; /* addresses, of all patches */
	/* Words of gates, by the number of the probe; processes may have areas of their own that
	 * are one to us. */
	RAROG_VEC(uint32_t *) gates;
	size_t gates_size; /* bytes of each */
	bool is_lost;      /* a breakpoint has come: nothing but hooks is to be there any more */
};

struct robust_list;
struct rarog_threads;

struct rarog_image {
	struct rarog_modules *modules;   /* borrowed */
	struct rarog_recorder *recorder; /* borrowed */
	/* our side of the shared memory … */
	uint8_t *memory;
	size_t memory_size;
	struct rarog_control *control;
	uint8_t *chunks;
	uint64_t *counters;
	/* … and where the program has it */
	uint64_t base, their_chunks;
	uint64_t reserved; /* bytes, from base on */
	size_t counters_stride;
	struct rarog_area header; /* of code areas, but for their serial */
	uint64_t areas_made;
	uint64_t born;   /* in the first of them: rarog_emit_born() */
	bool uses_libc;  /* a module uses what libc must be hooked for: switches of stacks, mcount()
			    … */
	bool may_forbid; /* … or what it is hooked for if that can be: prctl() */
	RAROG_VEC(struct rarog_installed)
	installed;          /* each module where it was in a process, rarog_area_serves();
			     * rarog_known_add() */
	bool is_unreadable; /* it was said that a process does not let its memory be read */
	size_t had_areas;   /* of installed, when last looked for unused ones: known-areas.c */
	bool hook_out;  /* a breakpoint has changed a hook, which must go, and all jumps with it */
	uint64_t turns; /* of jumps, that were wanted so far: turned.h */
	pid_t lost_in;  /* process that has jumps of what is lost; 0: none, or not seen yet */
	RAROG_VEC(struct rarog_area_place) places; /* rarog_known_add_place() */
	RAROG_VEC(uint64_t) avoid; /* entries that must not be patched now, ascending … */
	uint32_t avoided;          /* … and how many were not, or were no longer as in the file */
	struct rarog_id_map *ids;  /* function ids given out; the recorder's */
	RAROG_VEC(struct rarog_module *) first_ids; /* modules with ids, in the order of … */
	RAROG_VEC(uint32_t) first_id;               /* … their first id */
	uint32_t chunks_open;                       /* chunks that are memory from the start … */
	uint32_t chunks_given;                      /* … that agents may use so far … */
	uint32_t chunks_max;                        /* … and that there is room for */
	struct rarog_image *next;
	struct rarog_image_strand *strands; /* of drain.c: what is known of each strand */
	uint32_t looked_at;                 /* of filters.c: the strand last looked at */
};

/**
 * rarog_image_judge() - read and judge what rarog_image_new() will patch in @pid
 *
 * Everything that takes time is done here, while the process is as the kernel made it: were rarog
 * killed now, the program would simply run.
 *
 * Return: 0; RAROG_IMAGE_LET_BE: the program must run as it is, message says why; errors as
 * rarog_image_new().
 */
#define RAROG_IMAGE_LET_BE 1
int rarog_image_judge(struct rarog_modules *modules, pid_t pid, const char *program);

/**
 * rarog_image_new() - prepare a program image and patch it
 * @remote: the process, stopped at its first instruction
 * @program: path of the executable
 * @chunks: ring chunks to begin with
 *
 * Return: 0; -ENOEXEC and others: cannot be traced, message says why; the process is unharmed.
 */
int rarog_image_new(struct rarog_modules *modules, struct rarog_recorder *recorder,
		    struct rarog_remote *remote, const char *program, uint32_t chunks,
		    struct rarog_image **ret_image);
void rarog_image_free(struct rarog_image *image);

/**
 * rarog_image_attach() - the same for a program that runs
 * @threads: all of its, stopped
 * @avoid: entries of functions that must be left alone, @n_avoid of them, ascending
 *
 * Return: as rarog_image_new(); after a failure everything is as before.
 */
int rarog_image_attach(struct rarog_modules *modules, struct rarog_recorder *recorder,
		       struct rarog_threads *threads, const char *program, uint32_t chunks,
		       size_t n_avoid, const uint64_t avoid[], struct rarog_image **ret_image);

/** rarog_image_windows() - the entries that rarog_image_attach() would patch in @pid, ascending;
 * reads and judges what has not been yet. The caller frees *@ret_entries. Return: number, -errno
 * with message. */
long rarog_image_windows(struct rarog_modules *modules, pid_t pid, const char *program,
			 uint64_t **ret_entries);

/** rarog_image_linker() - the dynamic linker of @pid, which AT_BASE says the place of; NULL: a
 * static program. Errors as rarog_modules_get(). */
int rarog_image_linker(struct rarog_modules *modules, pid_t pid, struct rarog_module **ret_module);

/**
 * rarog_image_withdraw() - unmap all that is the image's in a process
 * @remote: where no thread will ever return there
 *
 * Return: 0, also when the process has ended meanwhile; -errno with message.
 */
int rarog_image_withdraw(struct rarog_image *image, struct rarog_remote *remote);

/**
 * rarog_image_loaded() - libraries came or went in a process of the image: patch what is new
 *
 * Return: 0, also where a library is left out, with a warning; -errno with message: there may be
 * one without hooks, so no call may be recorded.
 */
int rarog_image_loaded(struct rarog_image *image, struct rarog_remote *remote);

/** rarog_image_give_chunks() - let the agents use chunks up to number @to. */
void rarog_image_give_chunks(struct rarog_image *image, uint32_t to);

/** rarog_image_owned() - where struct rarog_owner may link control->owner, which lies
 * rarog_image_owner_distance bytes on */
struct robust_list *rarog_image_owned(const struct rarog_image *image);
extern const ptrdiff_t rarog_image_owner_distance;

static inline struct rarog_strand_shared *rarog_image_strand(const struct rarog_image *image,
							     uint32_t index)
{
	return (void *)(image->memory + (size_t)index * RAROG_STRAND_STRIDE);
}

#endif
