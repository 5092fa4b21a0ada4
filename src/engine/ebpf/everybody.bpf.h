/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every process of a file (--every-process). It is not told which these are: a process joins
 *
 *   when measuring begins, if it has the file's code in its memory (join_running goes through all)
 *   when it executes the file
 *   at the first probe that it comes by, which is in the file: processes that mapped it later, and
 *   where the file cannot be told from its inode (overlayfs, btrfs)
 *
 * and is measured, with what it forks, until it ends or executes something else. Of a user who is
 * not root only processes with that user's rights join: this is decided here, for each of them.
 */
#define DUMPABLE_MASK 3
#define DUMPABLE      1 /* SUID_DUMP_USER */
#define AREA_EXEC     4 /* VM_EXEC */

/* Its bits became a bitmap (Linux 6.18) of as many. */
struct mm_struct___bitmap {
	struct {
		unsigned long __mm_flags[1];
	} flags;
} __attribute__((preserve_access_index));

struct mm_struct___word {
	unsigned long flags;
} __attribute__((preserve_access_index));

struct bpf_iter__task_vma {
	struct task_struct *task;
	struct vm_area_struct *vma;
} __attribute__((preserve_access_index));

/* --- rights --- */

static __always_inline bool is_dumpable(struct task_struct *task)
{
	struct mm_struct *mm = BPF_CORE_READ(task, mm);
	struct mm_struct___bitmap *bitmap = (void *)mm;
	struct mm_struct___word *word = (void *)mm;
	unsigned long flags = 0;

	if (bpf_core_field_exists(bitmap->flags.__mm_flags))
		flags = BPF_CORE_READ(bitmap, flags.__mm_flags[0]);
	else if (bpf_core_field_exists(word->flags))
		flags = BPF_CORE_READ(word, flags);
	return (flags & DUMPABLE_MASK) == DUMPABLE;
}

/* A program may run with more rights than its starter: its file says so (set-user-ID,
 * capabilities). What it does is not for that user to see. */
static __always_inline bool has_other_rights(struct task_struct *task)
{
	const struct cred *cred = BPF_CORE_READ(task, real_cred);
	__u32 uid = config.uid, gid = config.gid;
	__u64 capabilities = 1;

	bpf_core_read(&capabilities, sizeof(capabilities), &cred->cap_permitted);
	return capabilities || BPF_CORE_READ(cred, uid.val) != uid ||
	       BPF_CORE_READ(cred, euid.val) != uid || BPF_CORE_READ(cred, suid.val) != uid ||
	       BPF_CORE_READ(cred, gid.val) != gid || BPF_CORE_READ(cred, egid.val) != gid ||
	       BPF_CORE_READ(cred, sgid.val) != gid;
}

/* May the user who is not root see it? */
static __always_inline bool is_anothers(struct task_struct *task)
{
	return config.owned && (has_other_rights(task) || !is_dumpable(task));
}

/* --- the file --- */

static __always_inline bool is_file(struct file *file)
{
	struct inode *inode = BPF_CORE_READ(file, f_inode);

	return config.inode && BPF_CORE_READ(inode, i_ino) == config.inode &&
	       BPF_CORE_READ(inode, i_sb, s_dev) == config.device;
}

static __always_inline bool runs_file(struct task_struct *task)
{
	return is_file(BPF_CORE_READ(task, mm, exe_file));
}

/* --- joining --- */

/* Before the beginning, and from the end on, none joins. */
static __always_inline bool may_join(void)
{
	__u32 nobody = 0;

	return bpf_map_lookup_elem(&processes, &nobody);
}

/* Also of several threads at once, of which one is first. */
static __noinline bool join(struct task_struct *task, __u32 process)
{
	__u32 state = RAROG_EBPF_FOLLOWED;

	if (!may_join() || is_anothers(task))
		return false;
	if (bpf_map_update_elem(&processes, &process, &state, BPF_NOEXIST) < 0) {
		if (is_followed(process))
			return true;
		turn_away(process);
		return false;
	}
	/* it may have been forgotten, with all others or at its end, before it came here */
	if (!may_join() || has_ended(task)) {
		bpf_map_delete_elem(&processes, &process);
		return false;
	}
	if (!send_as(RAROG_PROBED_JOIN, 0, start_of(task), process, process))
		add(&lost, RAROG_EBPF_LOST_NOTES);
	return true;
}

/* At a probe: is this process recorded? */
static __always_inline bool is_measured(void)
{
	__u32 process = bpf_get_current_pid_tgid() >> 32;
	__u32 *state = bpf_map_lookup_elem(&processes, &process);

	if (state)
		return *state == RAROG_EBPF_FOLLOWED;
	return config.everybody && join((void *)bpf_get_current_task(), process);
}

SEC("iter/task_vma")
int join_running(struct bpf_iter__task_vma *context)
{
	struct task_struct *task = context->task;
	struct vm_area_struct *area = context->vma;
	__u32 process;

	if (!task || !area || !(BPF_CORE_READ(area, vm_flags) & AREA_EXEC) ||
	    !is_file(BPF_CORE_READ(area, vm_file)))
		return 0;
	process = BPF_CORE_READ(task, tgid);
	if (!bpf_map_lookup_elem(&processes, &process))
		join(task, process);
	return 0;
}
