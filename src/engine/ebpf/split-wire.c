/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/ebpf/split-wire.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

const char *const rarog_split_maps[RAROG_SPLIT_MAPS] = {
	"counts", "lost", "events", "functions", "value_sets", "marks",
	"skips",  "sums", "nodes",  "buckets",   "numbers",
};

/* Room for descriptors beside a message, aligned as the kernel's macros want it. */
union control {
	struct cmsghdr head;
	char bytes[CMSG_SPACE(RAROG_SPLIT_FILES * sizeof(int))];
};

static struct msghdr header(struct iovec vectors[2], const struct rarog_split_part parts[2])
{
	struct msghdr message = { .msg_iov = vectors, .msg_iovlen = 2 };

	for (int i = 0; i < 2; i++)
		vectors[i] = (struct iovec){ parts[i].bytes, parts[i].size };
	return message;
}

int rarog_split_send(int socket, const struct rarog_split_part parts[2], size_t n_files,
		     const int files[])
{
	union control control = { 0 };
	struct iovec vectors[2];
	struct msghdr message = header(vectors, parts);
	ssize_t n;

	if (n_files > 0) {
		message.msg_control = control.bytes;
		message.msg_controllen = CMSG_SPACE(n_files * sizeof(int));
		control.head.cmsg_level = SOL_SOCKET;
		control.head.cmsg_type = SCM_RIGHTS;
		control.head.cmsg_len = CMSG_LEN(n_files * sizeof(int));
		memcpy(CMSG_DATA(&control.head), files, n_files * sizeof(int));
	}
	do
		n = sendmsg(socket, &message, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

static size_t take_files(struct msghdr *message, int ret_files[RAROG_SPLIT_FILES])
{
	size_t n = 0;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
		size_t some = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t i = 0; i < some && n < RAROG_SPLIT_FILES; i++)
			memcpy(&ret_files[n++], CMSG_DATA(c) + i * sizeof(int), sizeof(int));
	}
	return n;
}

int rarog_split_receive(int socket, struct rarog_split_part parts[2], size_t *n_files,
			int ret_files[])
{
	union control control = { 0 };
	int files[RAROG_SPLIT_FILES];
	struct iovec vectors[2];
	struct msghdr message = header(vectors, parts);
	size_t most = *n_files;
	ssize_t n;

	message.msg_control = control.bytes;
	message.msg_controllen = sizeof(control);
	do
		n = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return n < 0 && errno != ECONNRESET ? -errno : -EPIPE;
	*n_files = take_files(&message, files);
	if ((size_t)n >= parts[0].size && *n_files <= most &&
	    !(message.msg_flags & (MSG_TRUNC | MSG_CTRUNC))) {
		memcpy(ret_files, files, *n_files * sizeof(int));
		parts[1].size = (size_t)n - parts[0].size;
		return 0;
	}
	for (size_t i = 0; i < *n_files; i++)
		close(files[i]);
	*n_files = 0;
	return -EBADMSG;
}
