/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The drain: a thread that empties the rings of all images into the recorder, keeps the heartbeat,
 * takes strands and chunks back from threads that are gone, and answers agents that loaded a
 * library.
 */
#ifndef RAROG_ENGINE_INLINE_RING_DRAIN_H
#define RAROG_ENGINE_INLINE_RING_DRAIN_H

#include "engine/inline/code/gates.h"
#include "engine/inline/code/image.h"
#include "events/switches.h"

struct rarog_drain;
struct rarog_thinning;

/**
 * rarog_drain_new() - start the thread
 * @lock: held while the modules are used (installing)
 * @thinning: begun; borrowed
 */
int rarog_drain_new(struct rarog_recorder *recorder, pthread_mutex_t *lock,
		    struct rarog_thinning *thinning, struct rarog_drain **ret_drain);

/** rarog_drain_switches() - context switches of what is drained; before the first image. */
void rarog_drain_switches(struct rarog_drain *drain, struct rarog_switches *take_switches);

/** rarog_drain_image() - an image is about to run; the drain owns it from now on. */
void rarog_drain_image(struct rarog_drain *drain, struct rarog_image *take_image);

/** rarog_drain_process() - process @pid runs @image (NULL: nothing of ours) and is process number
 * @index of the profile. Replaces what was said of @pid before, ending its strands (exec). */
int rarog_drain_process(struct rarog_drain *drain, pid_t pid, struct rarog_image *image,
			uint32_t index);

/** rarog_drain_image_of() - the image that @pid runs, NULL: none. */
struct rarog_image *rarog_drain_image_of(struct rarog_drain *drain, pid_t pid);

/** rarog_drain_stood_ns() - how long, until now, programs stood still for their libraries. */
uint64_t rarog_drain_stood_ns(const struct rarog_drain *drain);

/** rarog_drain_quieten() - no noise is made, and nothing is gained or paused for, until it may be
 * again: what runs ends at its next look at the clock. For the tracer's thread. */
void rarog_drain_quieten(struct rarog_drain *drain, bool is_quiet);

/** rarog_drain_change_gates() - as rarog_gates_change(), in all images. */
int rarog_drain_change_gates(struct rarog_drain *drain, struct rarog_modules *modules,
			     const struct rarog_place_change *change);

/** rarog_drain_tell_counts() - what strands that live have counted so far, each since it began; of
 * a plan with delays. Strands that ended were told by the plan's account. */
void rarog_drain_tell_counts(struct rarog_drain *drain, const struct rarog_delay_account *account);

/** rarog_drain_process_gone() - @pid has ended (or its image was replaced) at @ticks; what its
 * strands still hold is fetched and they end there. Waits until that is done. */
void rarog_drain_process_gone(struct rarog_drain *drain, pid_t pid, uint64_t ticks);

/** rarog_drain_stop() - empty what is left, stop the thread, free everything.
 * Return: 0 or the first error of the recorder, with message. */
int rarog_drain_stop(struct rarog_drain *drain);

#endif
