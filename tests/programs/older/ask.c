#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>
#define TRY(call) (errno = 0, (void)(call), printf("%d ", errno))
int main(void)
{
	TRY(syscall(SYS_pidfd_open, getpid(), 0));
	TRY(syscall(SYS_close_range, 1000, 1001, 0));
	TRY(madvise(NULL, 0, 23));
	TRY(madvise(NULL, 0, MADV_DONTNEED));
	TRY(ptrace(0x420e, 0, NULL, NULL));
	TRY(ptrace(PTRACE_GETREGS, 0, NULL, NULL));
	puts("");
}
