/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops without end in regions: what is thrown in some is caught within them, in others it leads out. */
#include <pthread.h>
#include <rarog.h>

static int serves RAROG_FEATURE_VARIABLE(Serves), throws RAROG_FEATURE_VARIABLE(Throws);
static int shields RAROG_FEATURE_VARIABLE(Shields), passes RAROG_FEATURE_VARIABLE(Passes);
static int stops RAROG_FEATURE_VARIABLE(Stops), after RAROG_FEATURE_VARIABLE(After);
static int guards RAROG_FEATURE_VARIABLE(Guards), gives_up RAROG_FEATURE_VARIABLE(GivesUp);
static volatile int sink;

struct guard {
	~guard() { sink = sink + 1; }
};

static void __attribute__((noinline)) take(int n)
{
	sink = sink + n;
	if (n % 3 == 0) throw n;
}

static void __attribute__((noinline)) thrown_out()
{
	for (int n = 1;; n++) take(n);
}

static void __attribute__((noinline)) serve()
{
	for (int n = 0;; n++) {
		try {
			take(n);
		} catch (...) {
			sink = sink + 1;
		}
	}
}

/* The end of the handler is said to be able to throw, and would come to the guard. */
static void __attribute__((noinline)) guarded()
{
	guard g;

	for (int n = 0;; n++) {
		try {
			take(n);
		} catch (...) {
			sink = sink + 1;
		}
	}
}

static void __attribute__((noinline)) shielded()
{
	try {
		thrown_out();
	} catch (...) {
		sink = sink + 1;
	}
}

static void __attribute__((noinline)) turn()
{
	if (shields) shielded();
	if (after) sink = sink * 2;
}

static void __attribute__((noinline)) in_loops()
{
	if (serves) serve();
	if (guards) guarded();
	if (gives_up) /* whether by an exception nothing says */
		for (;;) {
			try {
				pthread_exit(nullptr);
			} catch (...) {
				sink = sink + 1;
			}
		}
	if (throws)
		for (int n = 0;; n++) {
			try {
				throw n;
			} catch (...) {
				sink = sink + 1;
			}
		}
	if (passes)
		for (int n = 1;; n++) {
			try {
				take(n);
			} catch (...) {
				sink = sink + 1;
				throw;
			}
		}
}

int main(int argc, char **argv)
{
	(void)argv;
	shields = passes = after = argc;
	serves = throws = stops = guards = gives_up = argc > 1;
	for (int i = 0; i < 5; i++) turn();
	try {
		in_loops();
	} catch (int n) {
		sink = sink + n;
	}
	if (stops)
		for (int n = 0;; n++) {
			try {
				take(n);
			} catch (...) {
				if (n > 10) break;
			}
		}
	return 0;
}
