/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signals that the program's own instructions raise: of calls that do not get to their probe. */
#define SIGNAL_BUS  7
#define SIGNAL_FPE  8
#define SIGNAL_SEGV 11
#define SI_KERNEL   0x80
#define PAGE_BITS   12

struct fault {
	__u64 address; /* of the instruction */
	__u64 offset;  /* in the file with … */
	__u64 inode;
	__u32 flags; /* of the event's kind */
};

static long locate(struct task_struct *task, struct vm_area_struct *area, void *context)
{
	struct fault *fault = context;
	struct file *file = BPF_CORE_READ(area, vm_file);

	if (!file)
		return 0;
	fault->inode = BPF_CORE_READ(file, f_inode, i_ino);
	fault->offset = fault->address - BPF_CORE_READ(area, vm_start) +
			(BPF_CORE_READ(area, vm_pgoff) << PAGE_BITS);
	return 0;
}

/* The program's own code needs no look at its map of the memory: where it ends is known. */
static __always_inline bool is_in_program(struct task_struct *task, struct fault *fault)
{
	__u64 end = BPF_CORE_READ(task, mm, end_code);

	if (fault->address < BPF_CORE_READ(task, mm, start_code) || fault->address >= end)
		return false;
	fault->inode = BPF_CORE_READ(task, mm, exe_file, f_inode, i_ino);
	fault->offset = end - fault->address;
	fault->flags |= RAROG_PROBED_FROM_END;
	return true;
}

/* That map cannot be looked at while another thread changes it. Return: where it was is known, or
 * that it was nowhere. */
static __always_inline bool find_place(struct task_struct *task, struct fault *fault)
{
	long r;

	if (is_in_program(task, fault))
		return true;
	r = bpf_find_vma(task, fault->address, locate, fault, 0);
	return r == 0 || r == NOT_THERE;
}

/* Only those that the program's own instructions have raised. */
static __always_inline bool is_fault(int number, struct kernel_siginfo *info)
{
	return (number == SIGNAL_SEGV || number == SIGNAL_BUS || number == SIGNAL_FPE) &&
	       BPF_CORE_READ(info, si_code) > 0;
}

/* A call that faults before its probe does not come by, unless the program mends that: rarog finds
 * out whether it was one. */
SEC("raw_tp/signal_deliver")
int on_signal(struct bpf_raw_tracepoint_args *context)
{
	struct k_sigaction *action = (void *)context->args[2];
	struct task_struct *task = bpf_get_current_task_btf();
	struct fault fault = { .flags = RAROG_PROBED_FAULT };
	struct pt_regs regs = { 0 };

	if (!is_fault((int)context->args[0], (void *)context->args[1]) ||
	    !is_followed(bpf_get_current_pid_tgid() >> 32))
		return 0;
	bpf_probe_read_kernel(&regs, sizeof(regs), (void *)bpf_task_pt_regs(task));
	fault.address = regs.rip;
	if (!BPF_CORE_READ(action, sa.sa_handler))
		fault.flags |= RAROG_PROBED_FATAL;
	if (BPF_CORE_READ((struct kernel_siginfo *)context->args[1], si_code) == SI_KERNEL)
		fault.flags |= RAROG_PROBED_BY_KERNEL;
	if (!find_place(task, &fault) ||
	    !send(fault.flags | (__u32)fault.inode << RAROG_PROBED_INODE, fault.offset, regs.rsp))
		add(&lost, RAROG_EBPF_LOST_FAULTS);
	return 0;
}
