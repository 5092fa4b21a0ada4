/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The frames of the flame graph: the context tree in preorder, the heaviest contexts only where
 * there are more than a page should carry. What is left out stays as one frame beside its kept
 * siblings, with its time, its calls and the number of contexts it stands for.
 */
#ifndef RAROG_VIEW_HTML_FRAMES_H
#define RAROG_VIEW_HTML_FRAMES_H

#include "base/json-writer.h"
#include "view/tree.h"

struct rarog_frame {
	uint32_t node; /* of the tree; left out: their parent */
	uint32_t depth;
	uint32_t location;          /* RAROG_NONE: the root, or contexts left out */
	uint32_t left_out;          /* 0, or the number of contexts it stands for */
	uint64_t count;             /* calls; left out: with all below */
	uint64_t self;              /* exclusive ticks; left out: inclusive */
	uint64_t waited, preempted; /* of self; 0 where CPU time is not known */
};

struct rarog_frames {
	size_t n, capacity;
	struct rarog_frame *v; /* preorder, v[0] is the root; empty if there is no tree */
	struct {
		uint64_t contexts, ticks, calls;
	} left_out;
};

/**
 * rarog_frames_init() - choose and order the frames
 * @max: contexts to keep at most, at least 1; a parent weighs at least what its child does, so
 *	keeping the heaviest keeps a tree. The weight is the greatest of the shares of time, of
 *	calls and of each part of the time that is known.
 *
 * Return: 0; -ENOMEM.
 */
int rarog_frames_init(struct rarog_frames *frames, const struct rarog_call_tree *tree, size_t max);

void rarog_frames_release(struct rarog_frames *frames);

/* rarog_frames_write_function() - the location's number, -1 of the root, -2 of what was left out */
void rarog_frames_write_function(struct rarog_json *json, const struct rarog_frame *frame);

/* rarog_frames_write_left_out() - pairs: frame, contexts */
void rarog_frames_write_left_out(struct rarog_json *json, const struct rarog_frames *frames);

#endif
