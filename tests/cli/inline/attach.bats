#!/usr/bin/env bats
# rarog collect --pid: into a program that runs, and out of it again, which leaves no trace in it.

load ../helper
load ../collect-helper

teardown() {
	[ -z "${busy:-}" ] || kill -KILL "$busy" 2>/dev/null || true
}

# start_busy [PROGRAM ARGUMENT…]: sets busy; its output goes to busy.out
start_busy() {
	# one arena: malloc maps others when threads first meet in it
	MALLOC_ARENA_MAX=1 setsid "${@:-$PROGRAMS/busy}" >busy.out 2>&1 </dev/null 3>&- &
	busy=$!
	disown "$busy" # or bash tells of its end
	[ $# -gt 0 ] || eventually 20 grep -q counters busy.out || fail "it does not start"
}

# busy_is_fine: it ends, and found all it did to be right
busy_is_fine() {
	kill -TERM "$busy"
	eventually 30 is_over || fail "it does not end: $(cat busy.out)"
	grep -q fine busy.out || fail "$(cat busy.out)"
	busy=
}

is_over() {
	! kill -0 "$busy" 2>/dev/null || [[ $(ps -o stat= -p "$busy") == Z* ]]
}

map_of() {
	grep -v '\[heap\]\|\[stack\]' "/proc/$1/maps"
}

is_traced() {
	! grep -q 'TracerPid:.0$' "/proc/$busy/status"
}

# is_measured: it has been attached to, and goes on
is_measured() {
	is_traced && grep -q memfd:rarog "/proc/$busy/maps" && grep -q 'State:.[SR]' "/proc/$busy/status"
}

# is_free: nothing of ours is in it
is_free() {
	! is_traced && ! grep -q memfd:rarog "/proc/$busy"/task/*/maps
}

# tracer_of LEADER: the process that rarog made for it
tracer_of() {
	pgrep -P "$1" || true
}

# start_small CODE: a C program, which prints "begun" and in the end "fine"
start_small() {
	{ printf '#include <%s>\n' dlfcn.h errno.h pthread.h sched.h signal.h stdio.h stdlib.h string.h \
		sys/auxv.h sys/mman.h sys/prctl.h sys/socket.h sys/syscall.h sys/time.h sys/wait.h \
		time.h unistd.h linux/filter.h linux/seccomp.h
	printf '%s\n' 'static volatile long n;' \
		'__attribute__((noinline, noclone)) long work(long x) { n += x; return n; }' \
		'static void begun(void) { puts("begun"); fflush(stdout); }' \
		'static void until_told(void) { char c; if (read(0, &c, 1) != 1) _exit(2); }' "$1"; } >small.c
	gcc -O1 -g -D_GNU_SOURCE -pthread -o small small.c -ldl
	rm -f told && mkfifo told
	setsid ./small >busy.out 2>&1 <>told 3>&- &
	busy=$!
	disown "$busy"
	eventually 20 grep -q begun busy.out || fail "it does not start: $(cat busy.out)"
}

# small_is_fine: told to, it ends by itself; one that has ended already reads nothing, so we do
small_is_fine() {
	echo 1<>told
	eventually 30 is_over || fail "it does not end: $(cat busy.out)"
	grep -q fine busy.out || fail "$(cat busy.out)"
	busy=
}

# refused STATUS PATTERN COMMAND…: one line
refused() {
	local expected=$1 pattern=$2

	shift 2
	status=0
	"$@" >out 2>err || status=$?
	[ "$status" -eq "$expected" ] || fail "status $status: $(cat err)"
	[ "$(wc -l <err)" -eq 1 ] || fail "not one line: $(cat err)"
	grep -q -e "$pattern" err || fail "otherwise: $(cat err)"
}

@test "attach, measure, detach: the program is what it was" {
	start_busy
	map_of "$busy" >before
	"$RAROG" --quiet collect --pid "$busy" --duration 0.2s -o p.rarog
	map_of "$busy" | diff before - >&2 || fail "the memory map differs"
	grep -q 'TracerPid:.0$' "/proc/$busy/status" || fail "still traced"
	rarog show p.rarog | grep -q do_fib || fail "nothing measured"
	rarog show --json p.rarog | jq -e '.header.attached.restored and .header.end.detached
		and .losses == 0 and (.header.cpu_time.is_known or .header.cpu_time.why != "")' >/dev/null || fail "$(rarog show --json p.rarog | jq .header)"
	"$RAROG" --quiet collect --pid "$busy" --duration 0.1s -o q.rarog
	rarog show q.rarog | grep -q do_fib || fail "nothing measured the second time"
	busy_is_fine
}

@test "calls between attaching and detaching are those that the program counted, every time" {
	# nice: its threads, which never rest, leave time to the work between two cycles
	"$(dirname "$RAROG")/tests/attach-cycles" "$(long 15 10000)" nice -n 10 "$PROGRAMS/busy" >&2
	"$(dirname "$RAROG")/tests/attach-cycles" "$(long 6 1000)" --detail count "$PROGRAMS/busy" >&2
}

@test "SIGINT to rarog lets the program go" {
	start_busy
	env --default-signal=INT "$RAROG" --quiet collect --pid "$busy" -o p.rarog 3>&- &
	leader=$!
	eventually 20 is_measured || fail "not attached"
	kill -INT "$leader"
	wait "$leader" || fail "status $?"
	rarog show p.rarog >/dev/null || fail "no profile"
	busy_is_fine
}

@test "what nohup and a shell's background processes ignore does not end the measurement" {
	start_busy
	nohup env --ignore-signal=INT "$RAROG" --quiet collect --pid "$busy" -o p.rarog >/dev/null 2>&1 3>&- &
	leader=$!
	eventually 20 has_probes || fail "not attached"
	tracer=$(tracer_of "$leader")
	kill -HUP "$leader" "$tracer"
	kill -INT "$leader" "$tracer"
	# a waited-for signal that were not ignored would be pending until it is taken
	eventually 20 takes_none "$leader" "$tracer"
	has_probes || fail "it was let go"
	kill -TERM "$leader"
	wait "$leader" || fail "status $?"
	rarog show p.rarog >/dev/null || fail "no profile"
	busy_is_fine
}

# takes_none PID…: no signal waits for any of them
takes_none() {
	! grep -hE '^(Sig|Shd)Pnd:' /proc/"$1"/status /proc/"$2"/status | grep -qv '0\{16\}$'
}

@test "a program that ends by itself while it is measured" {
	start_busy
	"$RAROG" --quiet collect --pid "$busy" -o p.rarog 3>&- &
	leader=$!
	eventually 20 has_probes || fail "not attached"
	busy_is_fine
	wait "$leader" || fail "status $?"
	rarog show --json p.rarog | jq -e '.header.attached.restored == false' >/dev/null
}

@test "a stopped program stays stopped" {
	start_busy
	kill -STOP "$busy"
	"$RAROG" --quiet collect --pid "$busy" --duration 0.1s -o p.rarog
	grep -q '^State:.T' "/proc/$busy/status" || fail "$(grep State "/proc/$busy/status")"
	kill -CONT "$busy"
	busy_is_fine
}

# ends_in_spite_of_signals: PYTHON: a program that says "over" after each wait
ends_in_spite_of_signals() {
	start_busy python3 -c "$1"
	eventually 20 grep -q over busy.out || fail "it does not start"
	"$RAROG" --quiet collect --pid "$busy" -o p.rarog 3>&- &
	leader=$!
	eventually 20 is_traced || fail "not attached"
	(while kill -CHLD "$busy" && sleep 0.05; do :; done) 2>/dev/null 3>&- &
	annoying=$!
	before=$(wc -l <busy.out)
	eventually 20 begun_again || fail "no wait ends"
	kill "$annoying"
	kill -KILL "$busy"
	wait "$leader" || true
	busy=
}

@test "a wait with a limit ends however many signals come that the program ignores" {
	ends_in_spite_of_signals '
import select
while True:
    select.epoll().poll(0.2)
    print("over", flush=True)'
}

@test "a socket with a time-out, too" {
	ends_in_spite_of_signals '
import socket, struct
a, b = socket.socketpair()
a.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", 0, 200000))
while True:
    try:
        a.recv(1)
    except BlockingIOError:
        print("over", flush=True)'
}

begun_again() {
	[ "$(wc -l <busy.out)" -ge $((before + 3)) ]
}

@test "a program whose library was replaced is refused: hooks of the unwinder would be missing" {
	cp "$(gcc -print-file-name=libgcc_s.so.1)" .
	LD_LIBRARY_PATH=$PWD start_busy
	grep -q "$PWD/libgcc_s" "/proc/$busy/maps" || skip "it has another libgcc"
	rm libgcc_s.so.1
	refused 125 'was replaced since it was loaded' "$RAROG" collect --pid "$busy"
	busy_is_fine
}

@test "a program in a chroot is measured, one in a mount name space of its own refused if its files are others" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	mkdir -p there
	for file in $(ldd "$PROGRAMS/busy" | grep -o '/[^ ]*'); do
		mkdir -p "there$(dirname "$file")" && cp -L "$file" "there$file"
	done
	cp "$PROGRAMS/busy" there
	start_busy chroot there /busy
	eventually 20 grep -q counters busy.out || fail "it does not start: $(cat busy.out)"
	"$RAROG" --quiet collect --pid "$busy" --duration 0.1s -o p.rarog
	rarog show p.rarog | grep -q do_fib || fail "nothing measured"
	busy_is_fine
	unshare -m true || skip "no name spaces here"
	start_busy unshare -m sh -c 'mount --bind there /mnt && exec chroot /mnt /busy'
	eventually 20 grep -q counters busy.out || fail "it does not start: $(cat busy.out)"
	refused 125 'is in a container' "$RAROG" collect --pid "$busy"
	busy_is_fine
}

@test "a program that stands at the end of what it has used of its stack" {
	printf '%s\n' '#include <signal.h>' '#include <stdio.h>' '#include <unistd.h>' \
		'static volatile int ends; static void end(int s) { ends = s; }' \
		'__attribute__((noinline, noclone)) long deep(long n)' \
		'{ if (n == 0) { usleep(100000); return 0; } long r = deep(n - 1); return r + 1; }' \
		'int main(void) { signal(SIGTERM, end); puts("begun"); fflush(stdout);' \
		'while (!ends) if (deep(50000) != 50000) return 1; puts("fine"); }' >deep.c
	gcc -O1 -fno-optimize-sibling-calls -o deep deep.c
	start_busy ./deep
	eventually 20 grep -q begun busy.out || fail "it does not start"
	for _ in 1 2; do
		"$RAROG" --quiet collect --pid "$busy" --duration 0.15s -o p.rarog
	done
	busy_is_fine
}

@test "kill -9 of rarog: the process that traces lets the program go" {
	start_busy
	for _ in 1 2; do
		"$RAROG" --quiet collect --pid "$busy" -o p.rarog 3>&- &
		leader=$!
		eventually 20 has_probes || fail "not attached"
		kill -KILL "$leader"
		wait "$leader" 2>/dev/null || true
		eventually 20 is_free || fail "it is still traced, or has probes"
	done
	eventually 20 rarog show p.rarog >/dev/null || fail "what was measured is not there"
	busy_is_fine
}

@test "kill -9 of rarog at any moment does not end what the program waits for" {
	start_busy
	for i in $(seq "$(long 8 500)"); do
		"$RAROG" --quiet collect --pid "$busy" --duration "0.0$((RANDOM % 6))s" -o p.rarog >/dev/null 2>&1 3>&- &
		leader=$!
		sleep "0.$((RANDOM % 2))$((RANDOM % 10))"
		tracer=$(tracer_of "$leader")
		kill -KILL "$leader" 2>/dev/null || true
		wait "$leader" 2>/dev/null || true
		eventually 20 has_ended "$tracer" || fail "round $i: rarog's process stays"
		# killed while it starts, it has one that we do not know of yet
		eventually 20 is_free || fail "round $i: it is still traced, or has probes"
		is_over && fail "round $i: $(cat busy.out)"
	done
	busy_is_fine
}

has_ended() {
	[ -z "$1" ] || [ ! -e "/proc/$1" ] || [[ $(ps -o stat= -p "$1") == Z* ]]
}

@test "rarog and the process that traces are killed: the program goes on, and is refused with the reason" {
	start_busy
	"$RAROG" --quiet collect --pid "$busy" -o p.rarog 3>&- &
	leader=$!
	eventually 20 has_probes || fail "not attached"
	tracer=$(tracer_of "$leader")
	kill -KILL "$tracer" "$leader"
	wait "$leader" 2>/dev/null || true
	eventually 20 has_ended "$tracer" || fail "rarog's process stays"
	refused 125 'still has the probes of a measurement that was killed' \
		"$RAROG" collect --pid "$busy"
	busy_is_fine
}

# has_probes: memory and two areas at least are there, and it goes on
has_probes() {
	[ "$(grep -c memfd:rarog "/proc/$busy/maps")" -ge 3 ] && ! grep -q '^State:.t' "/proc/$busy/status"
}

@test "kill -9 of rarog between attaching and detaching: a program with nops before its functions goes on" {
	python3 -c '
print("#include <stdio.h>\n#include <unistd.h>")
for i in range(2000):
    print(f"__attribute__((noinline, noclone)) long f{i}(long n) {{ return n * {i} + 1; }}")
print("int main(void) { for (;;) { long s = 0;")
for i in range(2000):
    print(f"s += f{i}({i});")
print("if (s != 2664669000) return 1; puts(\"ok\"); fflush(stdout); usleep(2000); } }")' >nops.c
	gcc -O1 -fpatchable-function-entry=5,5 -o nops nops.c
	for i in $(seq "$(long 6 500)"); do
		start_busy ./nops
		eventually 20 grep -q ok busy.out || fail "it does not start"
		"$RAROG" --quiet collect --pid "$busy" --duration 0.03s -o p.rarog >/dev/null 2>&1 3>&- &
		leader=$!
		sleep "0.$((RANDOM % 2))$((RANDOM % 10))"
		# shellcheck disable=SC2046 # words
		kill -KILL "$leader" $(tracer_of "$leader") 2>/dev/null || true
		wait "$leader" 2>/dev/null || true
		before=$(wc -l <busy.out)
		eventually 20 begun_again || fail "round $i: it does not go on"
		kill -KILL "$busy"
		busy=
	done
}

@test "a process that shares its memory with another is refused: that one would run into the probes" {
	start_small 'static int child(void *a) { for (;;) { work(1); usleep(1000); } return a != 0; }
		int main(void) { char *stack = mmap(0, 1 << 16, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		pid_t p = clone(child, stack + (1 << 16), CLONE_VM | SIGCHLD, 0); begun(); until_told();
		int s; if (waitpid(p, &s, WNOHANG) == 0) puts("fine"); kill(p, 9); return 0; }'
	refused 125 'shares its memory with process' "$RAROG" collect --pid "$busy"
	small_is_fine
}

@test "a thread with a seccomp filter of its own: refused before it is stopped, which would end it" {
	start_small 'static void *run(void *a) {
		struct sock_filter f[] = { { 0x20, 0, 0, 0 }, { 0x15, 1, 0, SYS_clock_nanosleep },
		{ 6, 0, 0, SECCOMP_RET_KILL_PROCESS }, { 6, 0, 0, SECCOMP_RET_ALLOW } };
		struct sock_fprog p = { 4, f }; prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p) < 0) _exit(3);
		for (n = 1;; work(1)) usleep(1000); return a; }
		int main(void) { pthread_t t; pthread_create(&t, 0, run, 0); while (n < 3) usleep(1000);
		begun(); until_told(); puts("fine"); return 0; }'
	refused 125 'has a seccomp filter' "$RAROG" collect --pid "$busy"
	small_is_fine
}

@test "a seccomp filter that is set while it is measured, and forbids all that probes call" {
	start_small 'static char stack[1 << 16]; static volatile int ran;
		static void *run(void *a) { for (int i = 0; i < 1000; i++) work(1); ran = 1; for (;;) pause(); return a; }
		__attribute__((noinline)) long far_away(void) { volatile char room[400000]; room[0] = 1; return work(room[0]); }
		int main(void) { int calls[] = { SYS_futex, SYS_getpid, SYS_gettid, SYS_sigaltstack, SYS_mprotect };
		struct sock_filter f[12] = { { 0x20, 0, 0, 0 } }; struct sock_fprog p = { 12, f };
		for (int i = 0; i < 5; i++) { f[1 + 2 * i] = (struct sock_filter){ 0x15, 0, 1, calls[i] };
		f[2 + 2 * i] = (struct sock_filter){ 6, 0, 0, SECCOMP_RET_KILL_PROCESS }; }
		f[11] = (struct sock_filter){ 6, 0, 0, SECCOMP_RET_ALLOW };
		begun(); until_told(); work(1); prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p) < 0) _exit(3);
		until_told(); pthread_attr_t a; pthread_t t; pthread_attr_init(&a);
		pthread_attr_setstack(&a, stack, sizeof(stack)); if (pthread_create(&t, &a, run, 0)) _exit(4);
		for (int i = 0; i < 3000000; i++) work(1);
		far_away(); while (!ran) usleep(1000); puts("called"); fflush(stdout);
		until_told(); puts("fine"); return 0; }'
	"$RAROG" --quiet --debug=install collect --pid "$busy" -o p.rarog 2>debug 3>&- &
	leader=$!
	eventually 20 has_probes || fail "not attached"
	echo >told
	eventually 20 grep -q 'a thread has a seccomp filter' debug || fail "the filter is not seen"
	echo >told
	eventually 20 grep -q called busy.out || fail "it does not go on"
	kill -TERM "$leader"
	wait "$leader" || fail "status $?"
	! is_traced || fail "it is still traced"
	small_is_fine
	rarog show --json p.rarog >show.json
	jq -e '[.functions[] | select(.name == "work") | .count] == [3001002]' show.json || fail "calls of a thread are missing"
	jq -e '.loss_list == []' show.json || fail "$(jq .loss_list show.json)"
}

@test "where every thread has got a seccomp filter a busy program is let go as soon" {
	start_small 'static volatile int over;
		static void *run(void *a) { while (!over) { work(1); for (volatile int i = 0; i < 100; i++); } return a; }
		int main(void) { struct sock_filter f[] = { { 6, 0, 0, SECCOMP_RET_ALLOW } }; struct sock_fprog p = { 1, f };
		pthread_t t[8]; for (int i = 0; i < 8; i++) pthread_create(&t[i], 0, run, 0);
		begun(); until_told(); prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &p)) _exit(3);
		puts("filtered"); fflush(stdout); until_told(); over = 1;
		for (int i = 0; i < 8; i++) pthread_join(t[i], 0); puts("fine"); return 0; }'
	"$RAROG" --quiet collect --detail summary --pid "$busy" -o p.rarog 3>&- &
	leader=$!
	eventually 20 has_probes || fail "not attached"
	echo >told
	eventually 20 grep -q filtered busy.out || fail "it has no filter: $(cat busy.out)"
	kill -TERM "$leader"
	eventually 5 is_untraced || fail "it is not let go"
	wait "$leader" || fail "status $?"
	small_is_fine
}

is_untraced() {
	! is_traced
}

@test "a second end right after the first: what was measured is stored" {
	# nice: what its threads, which never rest, call until they are let go is assembled afterwards
	start_busy nice -n 19 "$PROGRAMS/busy"
	eventually 20 grep -q counters busy.out || fail "it does not start"
	for second in HUP TERM KILL; do
		rm -f p.rarog
		"$RAROG" --quiet collect --pid "$busy" -o p.rarog 3>&- &
		leader=$!
		eventually 20 has_probes || fail "not attached"
		tracer=$(tracer_of "$leader")
		kill -TERM "$leader"
		sleep 0.002
		kill "-$second" "$leader" 2>/dev/null || true
		wait "$leader" 2>/dev/null || true
		eventually 60 has_ended "$tracer" || fail "rarog's process stays"
		is_free || fail "it is still traced, or has probes"
		rarog show p.rarog >/dev/null || fail "$second: what was measured is not there"
	done
	busy_is_fine
}

@test "a program whose first thread has ended: refused before, let go after" {
	start_small 'static void *run(void *a) { until_told(); work(1); puts("fine"); exit(0); return a; }
		int main(void) { pthread_t t; pthread_create(&t, 0, run, 0); begun(); pthread_exit(0); }'
	eventually 20 grep -q '^State:.Z' "/proc/$busy/status" || fail "it has not ended"
	refused 125 'its first thread has ended' "$RAROG" collect --pid "$busy"
	small_is_fine
	start_small 'static void *run(void *a) { until_told(); puts("fine"); exit(0); return a; }
		int main(void) { pthread_t t; work(1); begun(); until_told();
		pthread_create(&t, 0, run, 0); pthread_exit(0); }'
	"$RAROG" --quiet collect --pid "$busy" -o p.rarog 3>&- &
	leader=$!
	eventually 20 has_probes || fail "not attached"
	echo >told
	eventually 20 grep -q '^State:.Z' "/proc/$busy/status" || fail "it has not ended"
	kill -TERM "$leader"
	wait "$leader" || fail "status $?"
	is_free || fail "it is still traced, or has probes"
	small_is_fine
}

@test "what lies below a stack that the program made itself stays as it is" {
	start_small 'static unsigned char all[1 << 17]; static int told;
		static void handler(int s) { begun(); until_told(); told = s; }
		int main(void) { size_t size = (getauxval(AT_MINSIGSTKSZ) + 3072) & ~63ul, below = sizeof(all) - size;
		stack_t st = { .ss_sp = all + below, .ss_size = size };
		struct sigaction sa = { .sa_handler = handler, .sa_flags = SA_ONSTACK };
		setvbuf(stdout, malloc(4096), _IOFBF, 4096); memset(all, 0x5a, below); sigaltstack(&st, 0);
		sigaction(SIGUSR1, &sa, 0); raise(SIGUSR1);
		for (size_t i = 0; i < below; i++) if (all[i] != 0x5a) { printf("%zu of %zu\n", i, below); return 1; }
		if (told) puts("fine"); return 0; }'
	"$RAROG" --quiet collect --pid "$busy" --duration 0.05s -o p.rarog
	small_is_fine
}

@test "children that are forked while the program is let go have no probes either" {
	start_small 'int main(void) { signal(SIGCHLD, SIG_IGN); begun();
		for (;;) { work(1); if (fork() == 0) { pause(); _exit(0); } usleep(3000); } }'
	"$RAROG" --quiet collect --pid "$busy" --duration 0.05s -o p.rarog
	kill -STOP "$busy"
	# shellcheck disable=SC2046 # words
	with_probes=$(grep -l memfd:rarog $(pgrep -P "$busy" | sed 's,.*,/proc/&/maps,') || true)
	kill -KILL -- "-$busy"
	busy=
	[ -z "$with_probes" ] || fail "$with_probes"
}

@test "a signal ends rarog also while it waits for a thread that waits for its vfork child" {
	program attach/waits -O1 -g
	start_busy ./waits
	status=0
	"$RAROG" --quiet collect -o p.rarog --pid "$busy" 2>err 3>&- &
	leader=$!
	eventually 20 is_traced || fail "$(cat err)"
	kill -TERM "$leader"
	wait "$leader" || status=$?
	[ "$status" -eq 143 ] || fail "status $status: $(cat err)"
	grep -q 'interrupted before there were probes' err || fail "$(cat err)"
	[ ! -e p.rarog ]
	! is_traced || fail "it is still traced"
	kill -KILL -- "-$busy"
}

@test "while a thread waits for its vfork child the others are not kept from going on" {
	start_small 'static volatile long ticks; static void *run(void *a) { begun();
		if (vfork() == 0) { while (ticks < 700) { struct timespec t = { 0, 1000000 };
		syscall(SYS_nanosleep, &t, 0); } _exit(0); } until_told(); puts("fine"); exit(0); return a; }
		int main(void) { pthread_t t; pthread_create(&t, 0, run, 0);
		for (;; ticks++) { usleep(1000); work(1); } }'
	"$RAROG" --quiet collect --pid "$busy" --duration 0.1s -o p.rarog
	is_free || fail "it is still traced, or has probes"
	small_is_fine
}

@test "a forked child's vfork children go on after the program was let go" {
	start_small 'static volatile int ends; static void end(int s) { ends = s; }
		static void nap(long ns) { struct timespec t = { 0, ns }; syscall(SYS_nanosleep, &t, 0); }
		int main(void) { signal(SIGTERM, end); begun(); until_told(); pid_t p = fork(); if (p == 0) signal(SIGCHLD, SIG_IGN);
		if (p == 0) while (!ends) { if (vfork() == 0) { nap(5000000); _exit(0); } nap(200000); work(1); }
		else while (!ends) { nap(1000000); if (work(1) == 10) { puts("forked"); fflush(stdout); } }
		if (p) { kill(p, SIGTERM); waitpid(p, 0, 0); puts("fine"); } return 0; }'
	"$RAROG" collect --pid "$busy" -o p.rarog 2>err 3>&- &
	leader=$!
	eventually 20 has_probes || fail "not attached"
	echo >told
	eventually 20 grep -q forked busy.out || fail "it does not go on"
	kill -TERM "$leader"
	wait "$leader" || fail "status $?: $(cat err)"
	is_free || fail "it is still traced, or has probes"
	! grep 'probes could not be taken out' err || fail "of a child"
	busy_is_fine
}

@test "a first thread that has ended hides no vfork child of another thread" {
	start_small 'static volatile long ticks; static void *busy(void *a) { for (;; ticks++) { work(1);
		if (ticks % 8192 == 0) usleep(1000); } return a; }
		static void maps(void) { char line[512]; int n = 0; FILE *f = fopen("/proc/self/maps", "r");
		while (f && fgets(line, sizeof(line), f)) n += !!strstr(line, "memfd:rarog");
		puts(n >= 3 ? "kept" : "lost"); fflush(stdout); }
		static void *run(void *a) { char path[64], state = 0; sprintf(path, "/proc/self/task/%d/stat", getpid());
		while (state != 90) { FILE *f = fopen(path, "r"); if (f) { fscanf(f, "%*d (%*[^)]) %c", &state); fclose(f); } }
		if (vfork() == 0) { struct timespec t = { 0, 700000000 }; syscall(SYS_write, 1, "shared\n", 7);
		syscall(SYS_nanosleep, &t, 0); maps(); _exit(0); }
		until_told(); long from = ticks; while (ticks < from + 100000) usleep(1000); puts("fine"); exit(0); return a; }
		int main(void) { pthread_t t; begun(); until_told(); pthread_create(&t, 0, busy, 0);
		pthread_create(&t, 0, run, 0); pthread_exit(0); }'
	"$RAROG" --quiet collect --pid "$busy" -o p.rarog 3>&- &
	leader=$!
	eventually 20 has_probes || fail "not attached"
	echo >told
	eventually 20 grep -q shared busy.out || fail "it does not go on"
	kill -TERM "$leader"
	wait "$leader" || fail "status $?"
	is_free || fail "it is still traced, or has probes"
	echo 1<>told
	eventually 20 grep -q fine busy.out || fail "$(cat busy.out)"
	grep -q kept busy.out || fail "the child's memory was taken from it: $(cat busy.out)"
	busy=
}

@test "processes that share their memory for long keep their probes, which a line says" {
	start_small 'static volatile int over, shared; static int ends[2]; static char stack[65536];
		static int kid(void *a) { char c; shared++; if (read(ends[0], &c, 1) != 1) _exit(1); _exit(0); return !a; }
		static void *fork_one(void *a) { pid_t p = vfork(); int s; if (p == 0) kid(a);
		if (waitpid(p, &s, 0) != p || s) _exit(3); return a; }
		static void *busy(void *a) { while (!over) { usleep(1000); work(1); } return a; }
		int main(void) { pthread_t b, f; int s; if (pipe(ends)) return 3; pthread_create(&b, 0, busy, 0);
		begun(); until_told(); pid_t p = clone(kid, stack + sizeof(stack), CLONE_VM | SIGCHLD, 0);
		pthread_create(&f, 0, fork_one, 0); while (shared < 2) usleep(1000);
		puts("shared"); fflush(stdout); until_told(); over = 1; pthread_join(b, 0);
		if (write(ends[1], "12", 2) != 2 || waitpid(p, &s, 0) != p || s) return 3;
		pthread_join(f, 0); puts("fine"); return 0; }'
	"$RAROG" collect --pid "$busy" -o p.rarog 2>err 3>&- &
	leader=$!
	eventually 20 has_probes || fail "not attached"
	echo >told
	eventually 20 grep -q shared busy.out || fail "it does not go on"
	kill -TERM "$leader"
	wait "$leader" || fail "status $?: $(cat err)"
	has_probes || fail "it has ended, or lost what others use: $(cat busy.out)"
	! is_traced || fail "it is still traced"
	grep -q "process $busy goes on, but its probes could not be taken out entirely" err || fail "$(cat err)"
	rarog show --json p.rarog | jq -e '.header.end.detached and (.header.attached.restored | not)' >/dev/null ||
		fail "$(rarog show --json p.rarog | jq .header)"
	small_is_fine
}

@test "SIGSTOP and SIGCONT at any moment arrive, each of them" {
	start_small 'static volatile int ends; static void end(int s) { ends = s; }
		static void turn(pid_t p, int signal, int option) { int s; kill(p, signal);
		if (waitpid(p, &s, option) != p) _exit(3); usleep(rand() % 1000); }
		int main(void) { pid_t p = fork(); if (p == 0) for (;;) work(1);
		printf("child %d\n", p); begun(); signal(SIGTERM, end);
		while (!ends) { turn(p, SIGSTOP, WUNTRACED); turn(p, SIGCONT, WCONTINUED); }
		kill(p, SIGKILL); puts("fine"); return 0; }'
	child=$(sed -n 's/child //p' busy.out)
	for _ in $(seq "$(long 12 300)"); do
		"$RAROG" --quiet collect --pid "$child" --duration 0.01s -o p.rarog
	done
	kill -TERM "$busy"
	small_is_fine
}

@test "green threads that a timer switches go on when they are let go, wherever they were preempted" {
	for options in plain getset disarm "plain --exclude=handler" "getset --exclude=handler" "disarm --exclude=handler"; do
		for i in $(seq "$(long 2 100)"); do
			set -- $options
			start_busy "$PROGRAMS/preempted" "$1" on
			shift
			sleep 0.05
			"$RAROG" collect --quiet --duration 0.2s "$@" --pid "$busy" -o p.rarog 2>err || fail "$(cat err)"
			sleep 0.05
			kill -TERM "$busy"
			eventually 30 is_over || fail "$options: it does not end"
			# each node calls three leaves
			awk '$1 == "expect" { n[$2] = $3 } END { exit !(n["node"] > 0 && n["leaf"] == 3 * n["node"]) }' busy.out ||
				fail "$options: $(cat busy.out)"
		done
	done
}

@test "functions of libraries that are opened later are measured with --libs, and let go" {
	echo '__attribute__((noinline, noclone)) long inner(long x) { return x * 3 + 1; }
		long plugged(long x) { return inner(x) + 1; }' >plug.c
	gcc -O1 -fPIC -shared -fno-optimize-sibling-calls -o libplug.so plug.c
	start_small 'static long many(long (*f)(long)) { long s = 0; for (int i = 0; i < 1000; i++) s += f(i); return s; }
		static void *open_it(void) { void *h = dlopen("./libplug.so", RTLD_NOW); if (!h) _exit(3); return h; }
		int main(void) { begun(); until_told(); long s = 0; void *h = 0;
		for (int i = 0; i < 3; i++) { if (h) dlclose(h); h = open_it(); s += many(dlsym(h, "plugged")); }
		puts("called"); fflush(stdout); until_told(); s += many(dlsym(h, "plugged")); dlclose(h);
		if (s == 4 * 1500500) puts("fine"); return 0; }'
	"$RAROG" --quiet collect --libs --pid "$busy" -o p.rarog 3>&- &
	leader=$!
	eventually 60 has_probes || fail "not attached"
	echo >told
	eventually 20 grep -q called busy.out || fail "it does not go on"
	kill -TERM "$leader"
	wait "$leader" || fail "status $?"
	is_free || fail "it is still traced, or has probes"
	small_is_fine
	for name in plugged inner; do
		count=$(rarog show --json p.rarog | jq "[.functions[] | select(.name == \"$name\") | .count] | add")
		[ "$count" = 3000 ] || fail "$name: $count"
	done
}

@test "what cannot be attached to is refused with one line" {
	refused 125 'no process 4194303' "$RAROG" collect --pid 4194303
	refused 125 'is a thread of the kernel' "$RAROG" collect --pid 2
	refused 125 'leave out ls' "$RAROG" collect --pid $$ -- ls
	refused 125 'one process is measured at a time' "$RAROG" collect --pid $$ -p 1
	refused 125 'one process is measured at a time' "$RAROG" collect -p 1 sample -p $$
	refused 125 'is for --pid' "$RAROG" collect --duration 1s -- true
	for option in --timeout=1s --repeat=2 --warmup=1 --output=suppress --dry-run; do
		refused 125 "${option%=*} is for a program that rarog starts" \
			"$RAROG" collect --pid $$ "$option"
	done
}

@test "a program that is traced already is left alone" {
	command -v strace >/dev/null || skip "needs strace"
	start_busy strace -o /dev/null sleep 60
	eventually 20 pgrep -P "$busy" -x sleep >/dev/null || fail "strace does not start"
	sleeper=$(pgrep -P "$busy" -x sleep)
	refused 125 "traced already, by process $busy (strace)" "$RAROG" collect --pid "$sleeper"
	kill "$sleeper"
}

@test "a 32-bit program is refused" {
	printf 'void _start(void) { for (;;) __asm__ volatile("int $0x80" ::"a"(29)); }' >small.c
	gcc -m32 -nostdlib -static -fno-pie -no-pie -o small small.c || skip "needs gcc -m32"
	start_busy ./small
	eventually 10 runs_small || skip "does not run here"
	refused 125 'no 64-bit x86 program' "$RAROG" collect --pid "$busy"
}

runs_small() {
	[ "$(readlink "/proc/$busy/exe")" = "$PWD/small" ]
}

@test "another user's program is refused" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	start_busy sleep 60
	chmod 777 .
	cp "$RAROG" ./rarog-copy
	refused 125 'is not yours' setpriv --reuid=65534 --clear-groups ./rarog-copy collect --pid "$busy"
}
