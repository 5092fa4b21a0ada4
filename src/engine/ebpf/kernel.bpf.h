/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Of the kernel's own structs only what is read; where it lies is looked up when this is loaded. */
struct signal_struct {
	struct {
		int counter;
	} live;
} __attribute__((preserve_access_index));

typedef struct {
	__u32 val;
} kuid_t;

typedef struct {
	__u32 val;
} kgid_t;

typedef struct {
	__u64 val; /* older kernels: two halves */
} kernel_cap_t;

struct cred {
	kuid_t uid, suid, euid;
	kgid_t gid, sgid, egid;
	kernel_cap_t cap_permitted;
} __attribute__((preserve_access_index));

struct super_block {
	__u32 s_dev;
} __attribute__((preserve_access_index));

struct inode {
	unsigned long i_ino;
	struct super_block *i_sb;
} __attribute__((preserve_access_index));

struct file {
	struct inode *f_inode;
} __attribute__((preserve_access_index));

struct vm_area_struct {
	unsigned long vm_start, vm_pgoff, vm_flags;
	struct file *vm_file;
} __attribute__((preserve_access_index));

struct mm_struct {
	unsigned long start_code, end_code;
	struct file *exe_file;
} __attribute__((preserve_access_index));

struct kernel_siginfo {
	int si_code;
} __attribute__((preserve_access_index));

struct sigaction {
	void *sa_handler;
} __attribute__((preserve_access_index));

struct k_sigaction {
	struct sigaction sa;
} __attribute__((preserve_access_index));

struct task_struct {
	int pid, tgid;
	__u64 start_time;
	struct task_struct *group_leader;
	const struct cred *real_cred;
	struct mm_struct *mm;
	struct signal_struct *signal;
} __attribute__((preserve_access_index));

struct bpf_iter__task {
	struct task_struct *task;
} __attribute__((preserve_access_index));
