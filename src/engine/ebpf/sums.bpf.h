/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --detail=summary wholly in the kernel: no event of a call leaves it. The same sums as those of
 * events/machine-call.h, made by a stack for each thread (task storage, which ends with it):
 *
 *   entry    what lies below on the machine's stack has ended (probed/strand.c has the rule),
 *            the call gets a node of the tree, a frame is pushed
 *   return   the frame is popped: its time goes to its node, to the sums of its function and
 *            thread, to the histogram of the function, and to the frame below as a callee's
 *
 * What belongs to one thread is written by that thread alone and needs no lock; nodes and
 * histograms are shared and take atomic additions.
 */
struct frame {
	__u64 place, entry, children;
	__u32 function; /* with FRAME_INHERITED */
	__u32 node;     /* with FRAME_FOREIGN */
};

#define FRAME_FOREIGN   (1u << 31) /* the node belongs to another: as RAROG_TREE_FOREIGN */
#define FRAME_INHERITED (1u << 31) /* open when the process was forked: not a call of its own */

struct stack {
	__u32 strand; /* 0: none yet */
	__u32 depth;
	struct frame frames[RAROG_EBPF_FRAMES];
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct stack);
} stacks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, RAROG_EBPF_SUMS_MAX);
	__type(key, struct rarog_ebpf_pair); /* strand, function */
	__type(value, struct rarog_ebpf_sum);
} sums SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, RAROG_EBPF_NODES_MAX);
	__type(key, __u32);
	__type(value, struct rarog_ebpf_node);
} nodes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, RAROG_EBPF_NODES_MAX);
	__type(key, struct rarog_ebpf_pair); /* parent, function */
	__type(value, __u32);
} branches SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, RAROG_EBPF_BUCKETS_MAX);
	__type(key, struct rarog_ebpf_pair); /* function, bucket */
	__type(value, __u64);
} buckets SEC(".maps");

/* The compiler may not work out the address before the bound is checked. */
static __always_inline struct frame *frame_at(struct stack *s, __u32 i)
{
	__u64 at = i;

	if (at >= RAROG_EBPF_FRAMES)
		return NULL;
	__asm__ volatile("" : "+r"(at));
	return &s->frames[at];
}

static __always_inline struct frame *top_frame(struct stack *s)
{
	return frame_at(s, s->depth - 1);
}

/* --- the tree --- */

/* The node of a call of @function from @parent, made if it is new; FRAME_FOREIGN: there is no room,
 * it is the parent's. */
static __noinline __u32 child_of(__u32 parent, __u32 function)
{
	const struct rarog_ebpf_pair key = { parent, function };
	struct rarog_ebpf_node *from = bpf_map_lookup_elem(&nodes, &parent), *to;
	__u32 *known, node;
	__u64 hint;

	if (!from)
		return FRAME_FOREIGN;
	hint = from->hint; /* the last one: its node above its function */
	if ((__u32)hint == function + 1)
		return hint >> 32;
	known = bpf_map_lookup_elem(&branches, &key);
	if (!known) {
		node = next_number(RAROG_EBPF_NUMBER_NODES);
		to = bpf_map_lookup_elem(&nodes, &node);
		if (to && bpf_map_update_elem(&branches, &key, &node, BPF_NOEXIST) == 0) {
			to->parent = parent;
			to->function = function + 1;
		}
		/* another thread may have been first: then the number stays unused */
		known = bpf_map_lookup_elem(&branches, &key);
	}
	if (!known) {
		add(&lost, RAROG_EBPF_LOST_CONTEXTS);
		return parent | FRAME_FOREIGN;
	}
	from->hint = (__u64)*known << 32 | (function + 1);
	return *known;
}

/* --- the sums --- */

static __always_inline struct rarog_ebpf_sum *sum_of(__u32 strand, __u32 function)
{
	static const struct rarog_ebpf_sum empty;
	const struct rarog_ebpf_pair key = { strand, function };
	struct rarog_ebpf_sum *sum = bpf_map_lookup_elem(&sums, &key);

	if (sum)
		return sum;
	bpf_map_update_elem(&sums, &key, &empty, BPF_NOEXIST);
	return bpf_map_lookup_elem(&sums, &key);
}

/* 128 bits of a product, of two halves each. */
static __always_inline void add_square(struct rarog_ebpf_sum *sum, __u64 ticks)
{
	__u64 low = (__u32)ticks, high = ticks >> 32, mixed = low * high;
	__u64 square = low * low + (mixed << 33);
	__u64 carry = square < low * low;

	sum->square_low += square;
	sum->square_high += high * high + (mixed >> 31) + carry + (sum->square_low < square);
}

static __always_inline void add_bucket(__u32 function, __u64 ticks)
{
	const struct rarog_ebpf_pair key = { function, rarog_histogram_bucket(ticks) };
	__u64 *count = bpf_map_lookup_elem(&buckets, &key), none = 0;

	if (!count) {
		bpf_map_update_elem(&buckets, &key, &none, BPF_NOEXIST);
		count = bpf_map_lookup_elem(&buckets, &key);
	}
	if (count)
		__sync_fetch_and_add(count, 1);
	else
		add(&lost, RAROG_EBPF_LOST_BUCKETS);
}

static __always_inline void add_call(struct rarog_ebpf_sum *sum, __u32 function, __u64 ticks)
{
	sum->count++;
	sum->sum += ticks;
	if (~ticks > sum->min_complement)
		sum->min_complement = ~ticks;
	if (ticks > sum->max)
		sum->max = ticks;
	add_square(sum, ticks);
	add_bucket(function, ticks);
}

enum ending { RETURNED, UNWOUND, OPEN };

static __always_inline void add_ending(struct rarog_ebpf_sum *sum, __u32 how)
{
	sum->unwound += how == UNWOUND;
	sum->open += how == OPEN;
}

/* The innermost call of @s ends at @ns. */
static __noinline void settle(struct stack *s, __u64 ns, __u32 how)
{
	__u32 depth = s->depth - 1, function, node;
	struct frame *f = frame_at(s, depth), *below = frame_at(s, depth - 1);
	struct rarog_ebpf_sum *sum;
	struct rarog_ebpf_node *at;
	__u64 ticks, own;

	if (!f)
		return;
	s->depth = depth;
	ticks = ns > f->entry ? ns - f->entry : 0;
	own = ticks > f->children ? ticks - f->children : 0;
	function = f->function & ~FRAME_INHERITED;
	node = f->node & ~FRAME_FOREIGN;
	if (below)
		below->children += ticks;
	at = bpf_map_lookup_elem(&nodes, &node);
	if (at) {
		__sync_fetch_and_add(&at->exclusive, own);
		if (!((f->node & FRAME_FOREIGN) | (f->function & FRAME_INHERITED)))
			__sync_fetch_and_add(&at->count, 1);
	}
	sum = sum_of(s->strand, function);
	if (!sum)
		return; /* it was made at the entry */
	sum->exclusive += own;
	if (--sum->active == 0)
		sum->total += ticks;
	add_ending(sum, how);
	if (!(f->function & FRAME_INHERITED))
		add_call(sum, function, ticks);
}

/* --- several at once; rare --- */

struct closing {
	struct stack *s;
	__u64 ns, place; /* calls whose return address is below that */
	__u32 how;
};

static long close_one(__u32 i, void *closing)
{
	struct closing *c = closing;
	struct frame *f = top_frame(c->s);

	if (!f || f->place >= c->place)
		return 1;
	/* kernels follow so many returns at one time; those further in were not seen */
	if (c->how == UNWOUND && c->s->depth > RAROG_EBPF_RETURNS_MAX)
		add(&lost, RAROG_EBPF_LOST_RETURNS);
	settle(c->s, c->ns, c->how);
	return 0;
}

static __always_inline void close_all(struct stack *s)
{
	struct closing c = { s, bpf_ktime_get_ns(), ~0ull, OPEN };

	if (s->depth > 0)
		bpf_loop(RAROG_EBPF_FRAMES, close_one, &c, 0);
}

struct search {
	struct stack *s;
	__u64 place;
	__u32 depth; /* calls that lie there or higher */
};

static long look_at_one(__u32 i, void *search)
{
	struct search *w = search;
	struct frame *f = frame_at(w->s, w->depth - 1);

	if (!f || f->place >= w->place)
		return 1;
	w->depth--;
	return 0;
}

/* --- probes --- */

static __always_inline void new_strand(struct stack *s, __u32 tid, __u32 process)
{
	s->strand = next_number(RAROG_EBPF_NUMBER_STRANDS);
	if (!send_as(RAROG_PROBED_THREAD, s->strand, 0, tid, process))
		add(&lost, RAROG_EBPF_LOST_NOTES);
}

static __always_inline struct stack *own_stack(void)
{
	struct stack *s = bpf_task_storage_get(&stacks, bpf_get_current_task_btf(), NULL,
					       BPF_LOCAL_STORAGE_GET_F_CREATE);
	__u64 id = bpf_get_current_pid_tgid();

	if (s && !s->strand)
		new_strand(s, (__u32)id, id >> 32);
	return s;
}

/* What has ended, as the place of a new return address shows. */
static __always_inline void close_dead(struct stack *s, __u64 place)
{
	struct closing c = { s, 0, place, UNWOUND };
	struct frame *f = top_frame(s);

	if (!f || f->place > place)
		return;
	c.ns = bpf_ktime_get_ns();
	if (f->place < place)
		bpf_loop(RAROG_EBPF_FRAMES, close_one, &c, 0);
	f = top_frame(s);
	if (f && f->place == place) /* it has jumped here */
		settle(s, c.ns, RETURNED);
}

static __always_inline bool begin(struct stack *s, __u32 function, __u64 place)
{
	struct rarog_ebpf_sum *sum;
	struct frame *f = top_frame(s);
	__u32 node;

	sum = sum_of(s->strand, function);
	if (!sum) {
		add(&lost, RAROG_EBPF_LOST_SUMS);
		return false;
	}
	node = child_of(f ? f->node & ~FRAME_FOREIGN : 0, function);
	f = frame_at(s, s->depth);
	if (!f) {
		struct rarog_ebpf_node *at = bpf_map_lookup_elem(&nodes, &node);

		sum->untimed++;
		if (at)
			__sync_fetch_and_add(&at->count, 1);
		add(&lost, RAROG_EBPF_LOST_RETURNS);
		return false;
	}
	sum->active++;
	f->place = place;
	f->children = 0;
	f->function = function;
	f->node = node;
	s->depth++;
	f->entry = bpf_ktime_get_ns();
	return true;
}

/* Return: is the call's end of interest? */
static __always_inline bool enter_sums(struct pt_regs *context)
{
	__u32 function = bpf_get_attach_cookie(context);
	struct stack *s;

	if (!is_measured())
		return false;
	s = own_stack();
	if (!s) {
		add(&lost, RAROG_EBPF_LOST_SUMS);
		return false;
	}
	if (is_left_out(s->strand, function))
		return false;
	close_dead(s, context->rsp);
	return begin(s, function, context->rsp);
}

static __always_inline void leave_sums(struct pt_regs *context)
{
	__u64 ns = bpf_ktime_get_ns(), place = context->rsp - 8;
	__u32 function = bpf_get_attach_cookie(context);
	struct stack *s;
	struct frame *f;

	if (!is_followed(bpf_get_current_pid_tgid() >> 32))
		return;
	s = bpf_task_storage_get(&stacks, bpf_get_current_task_btf(), NULL, 0);
	f = s ? top_frame(s) : NULL;
	if (f && f->place < place) {
		struct search w = { s, place, s->depth };
		struct closing c = { s, ns, place, UNWOUND };

		bpf_loop(RAROG_EBPF_FRAMES, look_at_one, &w, 0);
		f = frame_at(s, w.depth - 1);
		if (f && f->place == place && f->function == function)
			bpf_loop(RAROG_EBPF_FRAMES, close_one, &c, 0);
	}
	if (f && f->place == place && f->function == function)
		settle(s, ns, RETURNED);
}

SEC("uprobe")
int enter_call_sums(struct pt_regs *context)
{
	enter_sums(context);
	return 0;
}

SEC("uprobe")
int leave_call_sums(struct pt_regs *context)
{
	leave_sums(context);
	return 0;
}

SEC("uprobe")
int session_call_sums(struct pt_regs *context)
{
	if (!bpf_session_is_return())
		return !enter_sums(context);
	leave_sums(context);
	return 0;
}

/* --- processes --- */

struct inheriting {
	struct stack *from, *to;
	__u64 ns;
};

static long inherit_one(__u32 i, void *inheriting)
{
	struct inheriting *h = inheriting;
	struct frame *from = frame_at(h->from, i), *to = frame_at(h->to, i);
	struct frame *below = frame_at(h->to, i - 1);
	struct rarog_ebpf_sum *sum;
	__u32 function;

	if (!from || !to || i >= h->from->depth)
		return 1;
	function = from->function & ~FRAME_INHERITED;
	sum = sum_of(h->to->strand, function);
	if (!sum)
		return 1; /* the calls in it become outermost ones */
	sum->active++;
	to->place = from->place;
	to->entry = h->ns;
	to->children = 0;
	to->function = function | FRAME_INHERITED;
	to->node = child_of(below ? below->node & ~FRAME_FOREIGN : 0, function);
	h->to->depth = i + 1;
	return 0;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork_sums, struct task_struct *parent, struct task_struct *child)
{
	struct inheriting h = { .ns = bpf_ktime_get_ns() };
	__u32 process = child->tgid;

	if (!begin_process(parent, child))
		return 0;
	h.from = bpf_task_storage_get(&stacks, parent, NULL, 0);
	if (!h.from || h.from->depth == 0)
		return 0;
	h.to = bpf_task_storage_get(&stacks, child, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!h.to)
		return 0;
	new_strand(h.to, child->pid, process);
	bpf_loop(RAROG_EBPF_FRAMES, inherit_one, &h, 0);
	return 0;
}

static __always_inline void end_stack(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct stack *s = bpf_task_storage_get(&stacks, task, NULL, 0);

	if (!s)
		return;
	close_all(s);
	s->strand = 0;
}

SEC("raw_tp/sched_process_exec")
int on_exec_sums(struct bpf_raw_tracepoint_args *context)
{
	end_stack();
	return begin_program();
}

SEC("raw_tp/sched_process_exit")
int on_exit_sums(struct bpf_raw_tracepoint_args *context)
{
	end_stack();
	return end_task((void *)context->args[0]);
}

/* When nothing is recorded any more: calls that are still open end. */
SEC("iter/task")
int close_stacks(struct bpf_iter__task *context)
{
	struct task_struct *task = context->task;
	struct stack *s = task ? bpf_task_storage_get(&stacks, task, NULL, 0) : NULL;

	if (s) {
		close_all(s);
		s->strand = 0;
	}
	return 0;
}
