/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Values told by marks: what stands in registers, in memory, or in the note itself. As with those
 * of calls (values.bpf.h), vector registers are not seen, and a place that is none makes the value
 * unread.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct rarog_ebpf_mark);
} marks SEC(".maps");

#define REGISTERS 16

struct mark_reading {
	struct rarog_ebpf_mark *mark;
	__u64 general[REGISTERS]; /* as instructions number them */
	__u64 rip;
	struct rarog_probed_record record;
};

static __always_inline void take_registers(struct mark_reading *r, struct pt_regs *context)
{
	r->general[0] = context->rax;
	r->general[1] = context->rcx;
	r->general[2] = context->rdx;
	r->general[3] = context->rbx;
	r->general[4] = context->rsp;
	r->general[5] = context->rbp;
	r->general[6] = context->rsi;
	r->general[7] = context->rdi;
	r->general[8] = context->r8;
	r->general[9] = context->r9;
	r->general[10] = context->r10;
	r->general[11] = context->r11;
	r->general[12] = context->r12;
	r->general[13] = context->r13;
	r->general[14] = context->r14;
	r->general[15] = context->r15;
	r->rip = context->rip;
}

/* 0: it is none, RAROG_MARK_NO_REGISTER. The compiler may not look there before it has checked. */
static __always_inline __u64 register_at(const struct mark_reading *r, __u64 number)
{
	if (number >= REGISTERS)
		return 0;
	__asm__ volatile("" : "+r"(number));
	return r->general[number];
}

static __always_inline __u64 extend(__u64 value, const struct rarog_mark_way *way)
{
	__u32 unused = (64 - 8 * way->bytes) & 63;

	value >>= way->shift & 63;
	if (way->is_signed)
		return (__u64)((__s64)(value << unused) >> unused);
	return value << unused >> unused;
}

static __always_inline bool find_mark_value(const struct mark_reading *r,
					    const struct rarog_mark_way *way, __u64 *ret_value)
{
	__u64 value = (__u64)way->number + (way->is_place ? r->rip : 0);

	if (way->source == RAROG_MARK_GENERAL) {
		value = register_at(r, way->base);
	} else if (way->source == RAROG_MARK_MEMORY) {
		value += register_at(r, way->base) + register_at(r, way->index) * way->scale;
		if (!read_word(value, way->bytes, &value))
			return false;
	} else if (way->source != RAROG_MARK_NUMBER) {
		return false;
	}
	*ret_value = extend(value, way);
	return true;
}

static long take_mark_value(__u32 i, void *reading)
{
	struct mark_reading *r = reading;
	__u64 value = 0;

	if (i >= RAROG_VALUES_MOST)
		return 1;
	if (!find_mark_value(r, &r->mark->set.ways[i], &value))
		r->record.unknown |= 1 << i;
	r->record.values[i] = value;
	return 0;
}

/* Reading is no time of a region: it begins afterwards, and ends before. */
static __always_inline bool send_mark(struct mark_reading *r, struct pt_regs *context, __u64 cookie)
{
	__u32 kind = kind_of_mark(context, cookie), n = r->mark->set.n;
	bool begins = (kind & ((1u << RAROG_PROBED_KIND) - 1)) == RAROG_PROBED_BEGIN;
	__u64 ns = begins ? 0 : bpf_ktime_get_ns();

	bpf_loop(n, take_mark_value, r, 0);
	return send_record(&r->record, n, kind, r->mark->number, place_of_mark(context, cookie),
			   ns);
}

SEC("uprobe.s")
int pass_mark_values(struct pt_regs *context)
{
	__u64 cookie = bpf_get_attach_cookie(context);
	struct mark_reading r = { 0 };
	__u32 index = cookie;

	if (!(cookie & RAROG_EBPF_COOKIE_VALUES)) {
		pass(context, cookie);
		return 0;
	}
	if (!is_measured())
		return 0;
	r.mark = bpf_map_lookup_elem(&marks, &index);
	if (!r.mark)
		return 0; /* rarog has made one for each such cookie */
	if (is_mark_left_out(cookie, r.mark->number))
		return 0;
	take_registers(&r, context);
	if (!send_mark(&r, context, cookie))
		add(&lost, RAROG_EBPF_LOST_MARKS);
	return 0;
}
