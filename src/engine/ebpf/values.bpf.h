/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Values captured with calls: what registers hold, and what they lead to. These programs may sleep:
 * memory that is not there yet is brought in as the program itself would have it brought in; a
 * pointer that leads nowhere makes the value unread.
 *
 * Vector registers are still in the processor, where no program of the kernel sees them: values
 * in them are never known here.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct rarog_value_set);
} value_sets SEC(".maps");

/* Only lengths are of interest, so a thread that comes between does no harm. */
struct text {
	char bytes[RAROG_TEXT_MAX + 2];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct text);
} texts SEC(".maps");

struct reading {
	struct rarog_value_set *set;
	__u64 general[8]; /* of 6 */
	__u64 stack;
	__u32 first; /* values of the set */
	struct rarog_probed_record record;
};

static __always_inline bool read_word(__u64 at, __u32 n, __u64 *ret_value)
{
	__u64 value = 0;

	if (n == 0 || n > 8 || bpf_copy_from_user(&value, n, (const void *)at) < 0)
		return false;
	*ret_value = value;
	return true;
}

static __noinline long text_length(__u64 at)
{
	__u32 zero = 0;
	struct text *text = bpf_map_lookup_elem(&texts, &zero);
	long n = -1;

	if (text && config.copies_texts)
		n = bpf_copy_from_user_str(text, sizeof(*text), (const void *)at, 0);
	else if (text)
		n = bpf_probe_read_user_str(text, sizeof(*text), (const void *)at);
	return n > 0 && n <= RAROG_TEXT_MAX + 1 ? n - 1 : -1;
}

struct steps {
	const struct rarog_value_way *way;
	__u64 value;
	bool is_unread;
};

static long take_step(__u32 i, void *steps)
{
	struct steps *s = steps;
	const struct rarog_value_way *way = s->way;
	bool is_last = i + 1 >= way->n_steps;
	__u64 at, other = 0;

	if (i >= RAROG_WAY_STEPS || i >= way->n_steps)
		return 1;
	at = s->value + (__u64)(__s64)way->steps[i];
	s->is_unread = !read_word(at, is_last ? way->bytes : 8, &s->value);
	if (!s->is_unread && is_last && way->finish == RAROG_WAY_DIFFERENCE) {
		s->is_unread = !read_word(at + (__u64)(__s64)way->other, 8, &other);
		s->value = other - s->value;
	}
	return s->is_unread || is_last;
}

static __always_inline bool begin_way(const struct reading *r, const struct rarog_value_way *way,
				      __u64 *ret_value)
{
	if (way->source == RAROG_WAY_GENERAL) {
		*ret_value = r->general[way->number & 7];
		return true;
	}
	return way->source == RAROG_WAY_STACK &&
	       read_word(r->stack + (__u64)(__s64)way->stack, 8, ret_value);
}

static long take_value(__u32 i, void *reading)
{
	struct reading *r = reading;
	__u32 at = r->first + i;
	struct steps s = { 0 };
	long length;

	if (i >= RAROG_VALUES_MOST || at >= 2 * RAROG_VALUES_MOST)
		return 1;
	s.way = &r->set->values[at];
	s.is_unread = !begin_way(r, s.way, &s.value);
	if (!s.is_unread && s.way->n_steps > 0)
		bpf_loop(RAROG_WAY_STEPS, take_step, &s, 0);
	if (!s.is_unread && s.way->finish == RAROG_WAY_LENGTH) {
		length = text_length(s.value);
		s.is_unread = length < 0;
		s.value = length;
	}
	if (s.is_unread)
		r->record.unknown |= 1 << i;
	r->record.values[i] = s.is_unread ? 0 : s.value;
	return 0;
}

static __always_inline struct rarog_value_set *set_of(__u32 function)
{
	struct rarog_ebpf_function *f = bpf_map_lookup_elem(&functions, &function);
	__u32 index;

	if (!f || f->values == 0)
		return NULL;
	index = f->values - 1;
	return bpf_map_lookup_elem(&value_sets, &index);
}

/* @n values are in it. @ns: 0 is now */
static __always_inline bool send_record(struct rarog_probed_record *record, __u32 n, __u32 kind,
					__u32 number, __u64 place, __u64 ns)
{
	__u64 id = bpf_get_current_pid_tgid();

	if (n > RAROG_VALUES_MOST)
		return false;
	record->n = n;
	record->event.ns = ns ? ns : bpf_ktime_get_ns();
	record->event.place = place;
	record->event.tid = (__u32)id;
	record->event.process = id >> 32;
	record->event.number = number;
	record->event.kind = kind | RAROG_PROBED_VALUES;
	return bpf_ringbuf_output(&events, record, RAROG_PROBED_RECORD_BYTES(n),
				  BPF_RB_NO_WAKEUP) == 0;
}

static __always_inline bool send_values(struct reading *r, __u32 n, __u32 kind, __u32 function,
					__u64 place, __u64 ns)
{
	bpf_loop(n, take_value, r, 0);
	return send_record(&r->record, n, kind, function, place, ns);
}

/* Reading is no time of the call: it begins when its arguments were read. */
static __always_inline bool enter_with_values(struct pt_regs *context)
{
	__u32 function = bpf_get_attach_cookie(context), strand;
	struct reading r = { 0 };

	r.set = set_of(function);
	if (!r.set)
		return enter(context);
	if (!is_measured())
		return false;
	strand = config.skips ? own_strand() : 0;
	if (is_left_out(strand, function))
		return false;
	r.general[0] = context->rdi;
	r.general[1] = context->rsi;
	r.general[2] = context->rdx;
	r.general[3] = context->rcx;
	r.general[4] = context->r8;
	r.general[5] = context->r9;
	r.stack = context->rsp;
	if (send_values(&r, r.set->n_enter, RAROG_PROBED_ENTRY, function, context->rsp, 0))
		return true;
	try_next(strand, function);
	add(&lost, RAROG_EBPF_LOST_CALLS);
	return false;
}

static __always_inline void leave_with_values(struct pt_regs *context)
{
	__u64 ns = bpf_ktime_get_ns(), place = context->rsp - 8;
	__u32 function = bpf_get_attach_cookie(context);
	struct reading r = { 0 };

	r.set = set_of(function);
	if (!r.set || r.set->n_leave == 0) {
		leave(context);
		return;
	}
	if (!is_followed(bpf_get_current_pid_tgid() >> 32))
		return;
	r.first = r.set->n_enter;
	r.general[0] = context->rax;
	r.general[1] = context->rdx;
	r.stack = place;
	if (!send_values(&r, r.set->n_leave, RAROG_PROBED_RETURN, function, place, ns))
		add(&lost, RAROG_EBPF_LOST_ENDS);
}

SEC("uprobe.s")
int enter_call_values(struct pt_regs *context)
{
	enter_with_values(context);
	return 0;
}

SEC("uprobe.s")
int leave_call_values(struct pt_regs *context)
{
	leave_with_values(context);
	return 0;
}

SEC("uprobe.s")
int session_call_values(struct pt_regs *context)
{
	if (!bpf_session_is_return())
		return !enter_with_values(context);
	leave_with_values(context);
	return 0;
}
