/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions that noise is put into: chosen by what one traced run says of them. */
#ifndef RAROG_BLOW_CORPUS_H
#define RAROG_BLOW_CORPUS_H

#include "base/options.h"
#include "base/vec.h"
#include "blow/code-facts.h"
#include "blow/slope.h"
#include "profile/reader.h"

enum rarog_blow_state {
	RAROG_BLOW_OPEN,
	RAROG_BLOW_NARROW, /* its interval is as narrow as was asked for */
	RAROG_BLOW_SMALL,  /* … and says that it has no influence to speak of */
	RAROG_BLOW_FAILED, /* the program did not get to its end in time, or ended otherwise */
	RAROG_BLOW_SHORT,  /* its calls are too short for noise that is a part of them */
	RAROG_BLOW_LEFT,   /* others may matter more: it got no more runs */
	RAROG_BLOW_STATES,
};

/** rarog_blow_state_names - "open", "known", "small", "broken", "short", "left". */
extern const char *const rarog_blow_state_names[RAROG_BLOW_STATES];

/* Where noise is put: a function, or a mark (plan/marks.h) that is known by its name. */
struct rarog_blow_function {
	char *path, *name;
	uint64_t address;      /* in the file */
	bool is_mark;          /* it is a line, a call, a return or a region */
	uint64_t calls;        /* without noise */
	uint64_t total_ns;     /* it was on the stack, in the traced run … */
	uint64_t exclusive_ns; /* … and did not wait for what it called; of that it … */
	uint64_t waited_ns;    /* … waited for something else, … */
	uint64_t self_ns;      /* … and had a processor, … */
	double self_error;     /* … to be believed but for this part of it: function-times.h */
	double target_ns;      /* slow: noise of the next run, all together */
	double part;           /* causal: by which it is virtually faster in the next run */
	uint64_t delay_ns;     /* noise or gain of each call in the next run, or the last one */
	double spent_ns;       /* noise in it in the run that is being made, … */
	uint64_t spent_calls;  /* … and calls that had some */
	double injected_ns;    /* in its last one, measured … */
	double asked_ns;       /* … and as asked for */
	double paused_ns;      /* causal: by which others were late in it */
	double influence;      /* of the last one, and … */
	double influences;     /* … of all, as the thesis has it: for comparison only */
	double spans_ns;       /* causal: of all runs, what would be gained if it took no time */
	uint32_t state;        /* enum rarog_blow_state */
	size_t n_runs;         /* with noise in it, … */
	size_t n_controls;     /* … and of its own to compare with */
	bool awaits_turn;      /* LEFT until those that may matter more are known */
	bool has_estimate;
	bool is_impossible; /* more than all of the run would be gained: it is not known */
	bool has_code;      /* code is known */
	struct rarog_blow_code_facts code;
	struct rarog_blow_estimate estimate; /* the slope, and … */
	struct rarog_blow_estimate answer;   /* … what it says: mode.h */
	double width; /* of its interval, but for self_error: more runs with noise make it less */
	RAROG_VEC(struct rarog_blow_run) runs; /* and the shared ones beside them */
};

/* One that was called, whether it is chosen or not. */
struct rarog_blow_called {
	char *name;
	uint64_t calls, total_ns;
	bool is_chosen;
};

struct rarog_blow_corpus {
	RAROG_VEC(struct rarog_blow_function) v;
	RAROG_VEC(struct rarog_blow_called) all; /* empty where a journal has the choice */
	size_t n_called;                         /* functions that were called at all */
	double starved; /* part of the time in which threads could run, and others did, where it is
			 * not known of which function that was */
	uint64_t traced_ns; /* what the traced run took, or one without rarog: function-times.h */
};

/* A function is chosen if it is called often enough, or from enough places, or is of a kind that
 * was asked for, and takes time enough; or if it is named. */
struct rarog_blow_choice {
	uint64_t called;  /* at least so often, or … */
	uint64_t sites;   /* … from so many places of the code (0: places do not count), … */
	bool varying;     /* … or with a cost that varies … */
	double share;     /* … and on the stack for at least this part of the run, or … */
	bool by_self;     /* … itself at work for that, … */
	uint64_t mean_ns; /* … and a call takes as long */
	bool io, locks;   /* whatever they take: those that do I/O, those that take locks */
	struct rarog_strings names; /* these and no others, whatever they take; empty: no names */
	/* Marks whatever they take: places of --at, and regions of the program's author. */
	struct rarog_strings at, regions;
	bool only_marks; /* no functions */
	bool libraries;  /* the run has functions of libraries, too; for what is said */
};

/** rarog_blow_corpus_choose() - of the functions in @profile. To be checked next. 0; -errno with
 * message. */
int rarog_blow_corpus_choose(struct rarog_blow_corpus *corpus, struct rarog_profile *profile,
			     const struct rarog_blow_choice *choice);

/** rarog_blow_corpus_check() - has each of it what @choice asks for? 0; -EINVAL, -ENOENT with
 * message. */
int rarog_blow_corpus_check(const struct rarog_blow_corpus *corpus,
			    const struct rarog_blow_choice *choice);

/* Which place: of a file the function at an address, or (@mark) a mark with this name. */
struct rarog_blow_place {
	const char *path;
	uint64_t address;
	const char *mark; /* NULL: a function */
};

struct rarog_blow_function *rarog_blow_corpus_find(const struct rarog_blow_corpus *corpus,
						   const struct rarog_blow_place *place);

void rarog_blow_corpus_release(struct rarog_blow_corpus *corpus);

#endif
