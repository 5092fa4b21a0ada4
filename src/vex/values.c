/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The agent's way to read (agent/value-read.h), with the registers of the simulated processor. No
 * other thread runs meanwhile, so what the kernel says can be read can be read.
 */
#include "vex/values.h"

#include "vex/store.h"

/* What the reading needs. */
struct memory {
	uint64_t page; /* known to be readable */
	int is_allowed;
};

#include "agent/value-read.h"

#define FUTEX             202
#define FUTEX_CMP_REQUEUE 4
#define FUTEX_PRIVATE     128
#define EFAULT            14

/* Bytes of records in a process. */
#define ROOM (1ull << 30)

static struct rarog_vex_requests *requests;
static uint64_t used;

/* --- what is asked for --- */

static Bool read_all(Int fd, void *to, SizeT size)
{
	while (size > 0) {
		Int n = VG_(read)(fd, to, size > 1 << 20 ? 1 << 20 : (Int)size);

		if (n <= 0)
			return False;
		to = (HChar *)to + n;
		size -= (SizeT)n;
	}
	return True;
}

static void *read_file(Int fd)
{
	struct vg_stat stat;
	void *bytes;

	if (VG_(fstat)(fd, &stat) != 0 || stat.size < (Long)sizeof(struct rarog_vex_requests))
		return NULL;
	bytes = VG_(malloc)("rarog.wishes", (SizeT)stat.size);
	if (read_all(fd, bytes, (SizeT)stat.size))
		return bytes;
	VG_(free)(bytes);
	return NULL;
}

void values_open(const HChar *path)
{
	SysRes r = VG_(open)(path, VKI_O_RDONLY, 0);

	if (sr_isError(r))
		return;
	requests = read_file((Int)sr_Res(r));
	VG_(close)((Int)sr_Res(r));
}

Bool values_are_wanted(void)
{
	return requests != NULL;
}

const struct rarog_value_set *values_of(const HChar *path, Addr bias, Addr address)
{
	if (!requests || VG_(strcmp)(path, requests->path) != 0)
		return NULL;
	for (UInt i = 0; i < requests->n; i++)
		if (requests->all[i].address == address - bias)
			return &requests->all[i].set;
	return NULL;
}

void values_fork(void)
{
	store_drop(RAROG_VEX_CALLS);
	used = 0;
}

/* --- reading --- */

static int kernel_reads(uint64_t page)
{
	register Long timeout __asm__("r10") = 0;
	register ULong second __asm__("r8") = page;
	register Long compared __asm__("r9") = 0;
	Long r = FUTEX;

	__asm__ volatile("syscall"
			 : "+a"(r)
			 : "D"(page), "S"((Long)(FUTEX_CMP_REQUEUE | FUTEX_PRIVATE)), "d"(0L),
			   "r"(timeout), "r"(second), "r"(compared)
			 : "rcx", "r11", "memory");
	return r != -EFAULT;
}

static struct reading begin_reading(UWord slot)
{
	struct reading reading = { .stack = slot };

	reading.memory.page = slot & ~(PAGE - 1);
	reading.memory.is_allowed = 1;
	return reading;
}

static uint64_t low_half(const U256 *vector)
{
	return *(const word64 *)vector;
}

/* Return: bits of those that could not be read. */
static uint32_t read_values(struct reading *reading, UInt n, const struct rarog_value_way ways[n],
			    uint64_t values[n])
{
	uint32_t unknown = 0;

	for (UInt i = 0; i < n; i++)
		if (value_of(reading, &ways[i], &values[i]) < 0) {
			values[i] = 0;
			unknown |= 1u << i;
		}
	return unknown;
}

/* --- calls --- */

struct rarog_vex_call *values_enter(const struct rarog_vex_function *function, UWord slot,
				    const struct rarog_value_set *set,
				    const VexGuestAMD64State *registers)
{
	UInt n = (UInt)set->n_enter + set->n_leave;
	SizeT length = sizeof(struct rarog_vex_call) + n * sizeof(uint64_t);
	const uint64_t general[] = { registers->guest_RDI, registers->guest_RSI,
				     registers->guest_RDX, registers->guest_RCX,
				     registers->guest_R8,  registers->guest_R9 };
	struct reading reading = begin_reading(slot);
	struct rarog_vex_call *call;

	if (used + length > ROOM) {
		store_head->unkept++;
		return NULL;
	}
	for (UInt i = 0; i < 6; i++)
		reading.general[i] = general[i];
	for (UInt i = 0; i < 8; i++)
		reading.vector[i] = low_half(&registers->guest_YMM0 + i);
	call = store_add(RAROG_VEX_CALLS, length);
	call->length = (uint32_t)length;
	call->function = function->id;
	call->n_enter = set->n_enter;
	call->n_leave = set->n_leave;
	call->unknown_leave = (1u << set->n_leave) - 1;
	call->unknown_enter = read_values(&reading, set->n_enter, set->values, call->values);
	call->set = (Addr)set;
	store_added(RAROG_VEX_CALLS, length);
	used += length;
	return call;
}

void values_leave(struct rarog_vex_call *call, UWord slot, const VexGuestAMD64State *registers)
{
	const struct rarog_value_set *set = (const struct rarog_value_set *)call->set;
	struct reading reading = begin_reading(slot);

	reading.general[0] = registers->guest_RAX;
	reading.general[1] = registers->guest_RDX;
	reading.vector[0] = low_half(&registers->guest_YMM0);
	reading.vector[1] = low_half(&registers->guest_YMM1);
	call->unknown_leave = read_values(&reading, set->n_leave, set->values + set->n_enter,
					  call->values + set->n_enter);
}
