/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which changes of a jump's bytes do no harm until we come is stub-place.c's part; here they are
 * found. A jump of which anything was changed goes: what is int3 where an instruction of the file
 * begins stays, everything else becomes what the file has.
 *
 * Taking out while threads run: its first byte becomes a trap, so that nobody comes in by the
 * entry; then, from the last to the second, the others become the file's, so that whoever goes on
 * from a breakpoint in the middle meets a trap until all behind it is right; then the first. Who
 * runs into one of these traps stops for the tracer, waits for this file's lock, and tries again.
 * Between the steps is time for processors to have run what they have read before. A process that
 * nobody traces has no such traps; there it is one write.
 *
 * A jump over a nop of five bytes stays as long as the breakpoint is there
 * (rarog_patch_is_passed()): the kernel may be about to write all five.
 *
 * Hooks do not go like this: exceptions and backtrace() would find our return addresses. The tracer
 * puts back all of these first (tracer-traps.c).
 */
#include "collect/trace/inline/breaks.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "collect/trace/inline/dropped.h"
#include "collect/trace/inline/known-areas.h"
#include "collect/trace/inline/patch.h"
#include "collect/trace/inline/semaphores.h"
#include "collect/trace/inline/stub-place.h"

#define STEP_NS 20000 /* until no processor runs what it read before a write */

/* Of all patches, their semaphores, and of where areas are. Who writes patches is called back. */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

/* --- what is known --- */

/* What a patch serves is not measured any more, or never was. */
static void tell(const struct rarog_installed *installed, const struct rarog_patch *patch,
		 enum rarog_drop why)
{
	struct rarog_module *m = installed->module;

	if (!patch->is_marks)
		rarog_dropped_function(m, patch->function, why, patch->is_hook);
	for (uint32_t i = 0; i < patch->n_marks; i++)
		rarog_dropped_mark(m, m->marks.v.v[patch->first_mark + i].name, why);
}

static void note(const struct rarog_installed *installed, struct rarog_patch *patch, bool was_there)
{
	patch->is_out = true;
	tell(installed, patch, was_there ? RAROG_DROP_BREAK_BEFORE : RAROG_DROP_BREAK);
}

/* Memory has @now in @patch's place, by somebody else. */
static void beware(struct rarog_module *m, const struct rarog_patch *patch, const uint8_t now[])
{
	bool is_changed = rarog_patch_state(patch, now) == RAROG_PATCH_CHANGED;
	uint8_t at = RAROG_BREAKS_AT_ENTRIES;

	for (int i = 1; i < patch->n; i++)
		if (is_changed ? now[i] != patch->bytes[i]
			       : now[i] == RAROG_INT3 && patch->original[i] != RAROG_INT3)
			at = RAROG_BREAKS_BEHIND;
	if (at > m->breaks_at)
		m->breaks_at = at;
}

/* Where somebody sets breakpoints, a jump that does not stand all that may follow has to go before
 * there is one in it, which might be gone again when we come. */
static bool is_too_weak(const struct rarog_module *m, const struct rarog_patch *patch)
{
	static const uint8_t stands[] = {
		[RAROG_BREAKS_NOWHERE] = RAROG_PLACE_ANYWHERE,
		[RAROG_BREAKS_AT_ENTRIES] = RAROG_PLACE_ENTRY,
		[RAROG_BREAKS_BEHIND] = RAROG_PLACE_SAFE,
	};

	return !patch->is_hook && patch->quality > stands[m->breaks_at];
}

bool rarog_breaks_forbid(const struct rarog_installed *installed, const struct rarog_patch *patch)
{
	bool is_forbidden;

	pthread_mutex_lock(&lock);
	is_forbidden = is_too_weak(installed->module, patch);
	pthread_mutex_unlock(&lock);
	return is_forbidden;
}

static void note_hook(struct rarog_image *image, const struct rarog_installed *installed,
		      struct rarog_patch *patch, bool was_there)
{
	bool is_known = patch->is_out;

	note(installed, patch, was_there);
	if (!__atomic_exchange_n(&image->control->off, 1, __ATOMIC_SEQ_CST) || !is_known)
		rarog_warn("%s: %s has a breakpoint of somebody else's (perf probe, bpftrace, "
			   "--engine=ebpf?), and the program cannot be measured without it: no "
			   "call is recorded%s",
			   installed->module->path,
			   rarog_dropped_name(installed->module, patch->function),
			   was_there ? "" : " from here on");
}

static bool is_recording(const struct rarog_image *image)
{
	for (uint32_t i = 1; i < RAROG_STRANDS; i++)
		if (rarog_image_strand(image, i)->state == RAROG_STRAND_ACTIVE)
			return true;
	return false;
}

/* Of a hook that is missing nothing may depend: where calls are open already it is put in the
 * breakpoint's place, which nobody meets there then. The kernel takes back only what is int3. */
void rarog_breaks_found(struct rarog_image *image, const struct rarog_installed *installed,
			struct rarog_patch *patch, uint8_t now[])
{
	pthread_mutex_lock(&lock);
	beware(installed->module, patch, now);
	if (patch->is_hook) {
		note_hook(image, installed, patch, true);
		if (is_recording(image))
			memcpy(now, patch->bytes, patch->n);
	} else {
		note(installed, patch, true);
	}
	pthread_mutex_unlock(&lock);
}

int rarog_breaks_keep(struct rarog_image *image, const struct rarog_installed *now)
{
	int r;

	pthread_mutex_lock(&lock);
	r = rarog_vec_push(&image->installed, *now);
	pthread_mutex_unlock(&lock);
	return r;
}

int rarog_breaks_add_place(struct rarog_image *image, const struct rarog_area_place *place)
{
	int r;

	pthread_mutex_lock(&lock);
	r = rarog_vec_push(&image->places, *place);
	pthread_mutex_unlock(&lock);
	return r;
}

void rarog_breaks_drop_place(struct rarog_image *image)
{
	pthread_mutex_lock(&lock);
	image->places.n--;
	pthread_mutex_unlock(&lock);
}

/* --- out, while threads run --- */

struct taken {
	const struct rarog_installed *installed;
	struct rarog_patch *patch;
	bool is_done;
};

struct taking {
	struct rarog_remote *remote;
	RAROG_VEC(struct taken) patches;
};

static bool read_byte(const struct taking *t, uint64_t address, uint8_t *ret)
{
	return pread(t->remote->memory, ret, 1, (off_t)address) == 1;
}

static void write_byte(const struct taking *t, uint64_t address, uint8_t byte)
{
	if (pwrite(t->remote->memory, &byte, 1, (off_t)address) != 1)
		rarog_debug(RAROG_LOG_INSTALL, "process %d: %#llx cannot be written",
			    (int)t->remote->pid, (unsigned long long)address);
}

static void close_entry(const struct taking *t, const struct rarog_patch *patch)
{
	uint8_t now;

	if (read_byte(t, patch->address, &now) && now == patch->bytes[0])
		write_byte(t, patch->address, RAROG_TRAP);
}

static void restore_byte(const struct taking *t, const struct rarog_patch *patch, int i)
{
	uint64_t address = patch->address + (uint64_t)i;
	uint8_t now, without;

	if (!read_byte(t, address, &now))
		return;
	without = rarog_patch_without(patch, i, now);
	if (without != now)
		write_byte(t, address, without);
}

static void pause_step(void)
{
	const struct timespec moment = { .tv_nsec = STEP_NS };

	nanosleep(&moment, NULL);
}

/* The kernel may have made a call of a breakpoint at a nop since we read it, and our bytes may be
 * in that now: it leads anywhere. The breakpoint is lost then. */
static void mend_nop(const struct taking *t, const struct rarog_patch *patch)
{
	uint8_t now[RAROG_PATCH_SIZE];

	if (rarog_remote_read(t->remote, patch->address, sizeof(now), now) == 0 &&
	    now[0] != patch->original[0] && now[0] != RAROG_INT3 &&
	    memcmp(now + 1, patch->original + 1, sizeof(now) - 1) == 0)
		rarog_remote_write(t->remote, patch->address, sizeof(now), patch->original);
}

/* Of a nop of five bytes that begins as the file's: nobody runs the others, and the next breakpoint
 * might make a call of it. false: it is not such a one. */
static bool restore_nop(const struct taking *t, const struct rarog_patch *patch)
{
	uint8_t now;
	bool is_done = rarog_patch_is_on_nop(patch) && read_byte(t, patch->address, &now) &&
		       now == patch->original[0] &&
		       rarog_remote_write(t->remote, patch->address + 1, RAROG_PATCH_SIZE - 1,
					  patch->original + 1) == 0;

	if (is_done)
		mend_nop(t, patch);
	return is_done;
}

static void take_out_stepwise(const struct taking *t)
{
	for (size_t i = 0; i < t->patches.n; i++) {
		struct taken *one = &t->patches.v[i];

		one->is_done = restore_nop(t, one->patch);
		if (!one->is_done)
			close_entry(t, one->patch);
	}
	pause_step();
	for (size_t i = 0; i < t->patches.n; i++)
		for (int at = t->patches.v[i].patch->n - 1; !t->patches.v[i].is_done && at > 0;
		     at--)
			restore_byte(t, t->patches.v[i].patch, at);
	pause_step();
	for (size_t i = 0; i < t->patches.n; i++)
		if (t->patches.v[i].is_done)
			mend_nop(t, t->patches.v[i].patch);
		else
			restore_byte(t, t->patches.v[i].patch, 0);
}

static void take_out_at_once(const struct taking *t)
{
	for (size_t i = 0; i < t->patches.n; i++) {
		const struct rarog_patch *patch = t->patches.v[i].patch;
		uint8_t now[RAROG_PATCH_SIZE];

		if (rarog_remote_read(t->remote, patch->address, patch->n, now) < 0)
			continue;
		for (int at = 0; at < patch->n; at++)
			now[at] = rarog_patch_without(patch, at, now[at]);
		rarog_remote_write(t->remote, patch->address, patch->n, now);
	}
}

static bool is_traced(pid_t pid)
{
	return rarog_process_status(pid, "TracerPid:") == getpid();
}

static void take_out(const struct taking *t)
{
	if (t->patches.n == 0)
		return;
	if (is_traced(t->remote->pid))
		take_out_stepwise(t);
	else
		take_out_at_once(t);
	for (size_t i = 0; i < t->patches.n; i++)
		rarog_semaphores_lower(t->remote, t->patches.v[i].installed, t->patches.v[i].patch);
}

static void add(struct taking *t, const struct rarog_installed *installed,
		struct rarog_patch *patch)
{
	for (size_t i = 0; i < t->patches.n; i++)
		if (t->patches.v[i].patch == patch)
			return;
	if (rarog_vec_push(&t->patches, (struct taken){ installed, patch, false }) < 0)
		rarog_debug(RAROG_LOG_INSTALL, "no memory");
}

/* What leads to a jump before the entry must not when that is nops again. */
static void add_both(struct taking *t, const struct rarog_installed *installed,
		     struct rarog_patch *patch)
{
	struct rarog_patch *next = patch + 1;
	bool has_next = next < installed->patches + installed->n_patches;

	if (has_next && patch->n == RAROG_PATCH_SIZE && next->n == RAROG_SHORT_PATCH_SIZE &&
	    next->address == patch->address + RAROG_PATCH_SIZE)
		add(t, installed, next);
	add(t, installed, patch);
}

/* --- looking --- */

struct looking {
	struct rarog_image *image;
	const struct rarog_installed *installed;
	struct taking taking;
	bool is_traced, knows_traced;
};

static bool looks_at_traced(struct looking *l)
{
	if (!l->knows_traced) {
		l->is_traced = is_traced(l->taking.remote->pid);
		l->knows_traced = true;
	}
	return l->is_traced;
}

/* While it is as we wrote it: must it go nevertheless? Where nobody is traced taking it out is a
 * risk of its own. */
static bool is_unwanted(struct looking *l, const struct rarog_patch *patch, const uint8_t now[])
{
	return !rarog_patch_is_rest_as_file(l->installed, patch, now) ||
	       (is_too_weak(l->installed->module, patch) && looks_at_traced(l));
}

static void look_at(void *context, struct rarog_patch *patch, uint8_t *now)
{
	struct looking *l = context;
	enum rarog_patch_state state = rarog_patch_state(patch, now);

	if (state == RAROG_PATCH_BREAKPOINT || state == RAROG_PATCH_CHANGED)
		beware(l->installed->module, patch, now);
	if (state == RAROG_PATCH_BREAKPOINT && !patch->is_out) {
		note(l->installed, patch, false);
		rarog_semaphores_lower(l->taking.remote, l->installed, patch);
	}
	if (rarog_patch_is_passed(patch, now) && !patch->is_hook) {
		tell(l->installed, patch, RAROG_DROP_BREAK);
		return;
	}
	if (state != RAROG_PATCH_CHANGED &&
	    (state != RAROG_PATCH_OURS || !is_unwanted(l, patch, now)))
		return;
	if (patch->is_hook)
		note_hook(l->image, l->installed, patch, false);
	else
		note(l->installed, patch, false);
	if (patch->is_hook && looks_at_traced(l))
		__atomic_store_n(&l->image->hook_out, true, __ATOMIC_SEQ_CST);
	else
		add_both(&l->taking, l->installed, patch);
}

/* What is seen in one jump may be a reason for others to go. Return: patches looked at. */
static size_t look_into(struct looking *l)
{
	const struct rarog_module *m = l->installed->module;
	uint8_t before;

	do {
		before = m->breaks_at;
		/* of a library that is not there any more nothing can be read */
		if (rarog_patches_visit(l->taking.remote, l->installed, false, look_at, l) < 0)
			return 0;
	} while (m->breaks_at != before);
	return l->installed->n_patches;
}

size_t rarog_breaks_look(struct rarog_image *image, pid_t pid)
{
	struct rarog_remote remote = { .memory = -1 };
	struct looking l = { .image = image, .taking.remote = &remote };
	size_t n = 0;

	if (rarog_remote_open_memory(pid, &remote) < 0)
		return 0;
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < image->installed.n; i++) {
		l.installed = &image->installed.v[i];
		if (rarog_area_serves(&remote, image, l.installed))
			n += look_into(&l);
	}
	take_out(&l.taking);
	rarog_vec_release(&l.taking.patches);
	pthread_mutex_unlock(&lock);
	rarog_remote_close(&remote);
	return n;
}

/* --- all of a module --- */

/* @image: patches are written; NULL: restored. What a look takes out in between would have its
 * semaphores lowered twice. */
static int settle(struct rarog_image *image, struct rarog_remote *remote,
		  const struct rarog_installed *installed)
{
	rarog_cleanup(rarog_semaphores_release) struct rarog_semaphores semaphores = { 0 };
	int r;

	pthread_mutex_lock(&lock);
	r = rarog_semaphores_look(remote, installed, &semaphores);
	if (r == 0)
		r = image ? rarog_patches_write(image, remote, installed)
			  : rarog_patches_restore(remote, installed);
	if (r == 0)
		r = rarog_semaphores_settle(remote, &semaphores);
	pthread_mutex_unlock(&lock);
	return r;
}

int rarog_breaks_write(struct rarog_image *image, struct rarog_remote *remote,
		       const struct rarog_installed *installed)
{
	return settle(image, remote, installed);
}

int rarog_breaks_restore(struct rarog_remote *remote, const struct rarog_installed *installed)
{
	return settle(NULL, remote, installed);
}

/* --- a thread has met one --- */

#define RETRIES 64

/* Where threads were told to try again although nothing was to be taken out: somebody else may have
 * been quicker, or the fault is the program's own, which comes again. */
static struct retry {
	pid_t tid;
	uint64_t address;
} retries[RETRIES];
static unsigned next_retry;

static bool is_second(pid_t tid, uint64_t address)
{
	for (unsigned i = 0; i < RETRIES; i++)
		if (retries[i].tid == tid && retries[i].address == address) {
			retries[i] = (struct retry){ 0 };
			return true;
		}
	retries[next_retry++ % RETRIES] = (struct retry){ tid, address };
	return false;
}

/* Wrong ways lead among the steps, or to where nothing runs: no memory, or data, or what is no
 * address (SI_KERNEL; where there is memory that is a fault of the instruction there). */
static bool is_trap_at(struct rarog_remote *remote, uint64_t address, const siginfo_t *fault)
{
	uint8_t byte;
	bool is_memory = rarog_remote_read(remote, address, 1, &byte) == 0;

	if (fault->si_signo == SIGILL)
		return is_memory && byte == RAROG_TRAP;
	return !is_memory || fault->si_code != SI_KERNEL;
}

struct place {
	const struct rarog_installed *installed;
	struct rarog_patch *patch;
	bool is_wrong; /* the address is where the changed jump leads */
};

static bool find_window(const struct rarog_image *image, struct rarog_remote *remote,
			uint64_t address, struct place *ret)
{
	for (size_t i = 0; i < image->installed.n; i++) {
		const struct rarog_installed *installed = &image->installed.v[i];
		struct rarog_patch *patch =
			rarog_patches_find(installed->n_patches, installed->patches, address);

		if (!patch || !rarog_area_serves(remote, image, installed))
			continue;
		*ret = (struct place){ installed, patch, false };
		return true;
	}
	return false;
}

static bool leads_now(struct rarog_remote *remote, const struct rarog_patch *patch,
		      uint64_t address)
{
	uint8_t now[RAROG_PATCH_SIZE];
	int32_t distance;

	if (rarog_remote_read(remote, patch->address, sizeof(now), now) < 0 ||
	    now[0] != patch->bytes[0])
		return false;
	memcpy(&distance, now + 1, sizeof(distance));
	return patch->address + RAROG_PATCH_SIZE + (uint64_t)(int64_t)distance == address;
}

static bool could_lead(const struct rarog_patch *patch, uint64_t address)
{
	struct rarog_window window = { .address = patch->address, .starts = patch->starts };

	if (patch->n != RAROG_PATCH_SIZE || patch->starts == 1)
		return false;
	memcpy(window.original, patch->original, sizeof(window.original));
	return rarog_window_leads(&window, patch->place, address);
}

static bool has_been_changed(struct rarog_remote *remote, const struct rarog_patch *patch)
{
	uint8_t now[RAROG_PATCH_SIZE];

	return patch->is_out || (rarog_remote_read(remote, patch->address, patch->n, now) == 0 &&
				 rarog_patch_state(patch, now) == RAROG_PATCH_CHANGED);
}

/* The jump that leads there now is the right one, else one that may have until a moment ago: it was
 * taken out or changed again. */
static bool find_wrong(const struct rarog_image *image, struct rarog_remote *remote,
		       uint64_t address, struct place *ret)
{
	bool is_found = false;

	for (size_t i = 0; i < image->installed.n; i++)
		for (size_t k = 0; k < image->installed.v[i].n_patches; k++) {
			struct rarog_patch *patch = &image->installed.v[i].patches[k];

			if (!could_lead(patch, address) ||
			    !rarog_area_serves(remote, image, &image->installed.v[i]))
				continue;
			if (leads_now(remote, patch, address)) {
				*ret = (struct place){ &image->installed.v[i], patch, true };
				return true;
			}
			if (is_found || !has_been_changed(remote, patch))
				continue;
			*ret = (struct place){ &image->installed.v[i], patch, true };
			is_found = true;
		}
	return is_found;
}

/* Is there anything that must go? */
static bool is_to_go(struct rarog_remote *remote, const struct place *place)
{
	uint8_t now[RAROG_PATCH_SIZE];
	enum rarog_patch_state state;

	if (rarog_remote_read(remote, place->patch->address, place->patch->n, now) < 0)
		return false;
	state = rarog_patch_state(place->patch, now);
	if (state == RAROG_PATCH_CHANGED)
		beware(place->installed->module, place->patch, now);
	return state == RAROG_PATCH_CHANGED || state == RAROG_PATCH_OURS;
}

static bool is_passed(struct rarog_remote *remote, const struct rarog_patch *patch)
{
	uint8_t now[RAROG_PATCH_SIZE];

	return !patch->is_hook && rarog_remote_read(remote, patch->address, patch->n, now) == 0 &&
	       rarog_patch_is_passed(patch, now);
}

static enum rarog_trap deal_with(struct rarog_image *image, struct rarog_remote *remote,
				 const struct place *place, pid_t tid, uint64_t address)
{
	struct taking taking = { .remote = remote };

	if (is_passed(remote, place->patch)) /* since a moment ago */
		return RAROG_TRAP_OURS;
	if (!is_to_go(remote, place)) {
		if (!place->patch->is_out || is_second(tid, address))
			return RAROG_TRAP_PROGRAMS;
		return RAROG_TRAP_OURS;
	}
	if (place->patch->is_hook) {
		note_hook(image, place->installed, place->patch, false);
		__atomic_store_n(&image->hook_out, true, __ATOMIC_SEQ_CST);
		return RAROG_TRAP_HOOKS;
	}
	note(place->installed, place->patch, false);
	add_both(&taking, place->installed, place->patch);
	take_out(&taking);
	rarog_vec_release(&taking.patches);
	return RAROG_TRAP_OURS;
}

enum rarog_trap rarog_breaks_trap(struct rarog_image *image, pid_t pid, pid_t tid,
				  const siginfo_t *fault, uint64_t address, uint64_t *ret_address)
{
	struct rarog_remote remote = { .memory = -1 };
	enum rarog_trap trap = RAROG_TRAP_PROGRAMS;
	struct place place;

	if (rarog_remote_open_memory(pid, &remote) < 0)
		return trap;
	pthread_mutex_lock(&lock);
	if (find_window(image, &remote, address, &place) ||
	    (is_trap_at(&remote, address, fault) && find_wrong(image, &remote, address, &place)))
		trap = deal_with(image, &remote, &place, tid, address);
	pthread_mutex_unlock(&lock);
	rarog_remote_close(&remote);
	if (trap != RAROG_TRAP_PROGRAMS)
		*ret_address = place.is_wrong ? place.patch->address : address;
	return trap;
}

/* The jump that may have led to @address, of those that @remote has (NULL: that any process has);
 * NULL: none. The lock is held. */
static const struct rarog_patch *find_astray(const struct rarog_image *image,
					     struct rarog_remote *remote, uint64_t address)
{
	for (size_t i = 0; i < image->installed.n; i++)
		for (size_t k = 0; k < image->installed.v[i].n_patches; k++) {
			const struct rarog_patch *patch = &image->installed.v[i].patches[k];

			if (patch->is_out && could_lead(patch, address) &&
			    (!remote || rarog_area_serves(remote, image, &image->installed.v[i])))
				return patch;
		}
	return NULL;
}

static bool is_in_areas(const struct rarog_image *image, uint64_t address)
{
	for (size_t i = 0; i < image->places.n; i++)
		if (address - image->places.v[i].address < image->places.v[i].size)
			return true;
	return false;
}

bool rarog_breaks_is_astray(const struct rarog_image *image, uint64_t address)
{
	bool is_astray;

	pthread_mutex_lock(&lock);
	is_astray = is_in_areas(image, address) || find_astray(image, NULL, address);
	pthread_mutex_unlock(&lock);
	return is_astray;
}

uint64_t rarog_breaks_way_back(const struct rarog_image *image, struct rarog_remote *remote,
			       uint64_t address)
{
	const struct rarog_patch *patch;
	uint64_t entry = 0;
	uint8_t byte;

	pthread_mutex_lock(&lock);
	patch = find_astray(image, remote, address);
	if (patch && (rarog_remote_read(remote, address, 1, &byte) < 0 || byte == RAROG_TRAP))
		entry = patch->address;
	pthread_mutex_unlock(&lock);
	return entry;
}
