/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a call does that begins late. */
#ifndef RAROG_PLAN_NOISE_H
#define RAROG_PLAN_NOISE_H

enum rarog_noise {
	RAROG_NOISE_BUSY,   /* the processor is busy, as with slower code */
	RAROG_NOISE_SLEEP,  /* the processor is given to others */
	RAROG_NOISE_YIELD,  /* … if any want it, again and again */
	RAROG_NOISE_MEMORY, /* cache lines that all threads share are written and thrown out */
	RAROG_NOISE_LOCK,   /* busy, and one thread at a time */
	RAROG_NOISES,
};

#endif
