#!/usr/bin/env bats
# Processes that cannot leave their counts where others do: they are counted nevertheless, or it is said that they are not.

load ../helper
load ../blocks-helper

# A place that other users reach, which the one of bats need not be.
setup_file() {
	export place
	place=$(mktemp -d "${BATS_TMPDIR:-/tmp}/rarog-missing-XXXXXX")
	chmod 755 "$place"
	command -v "clang++-$llvm" >/dev/null && [ -f "$plugin" ] || return 0
	cd "$place" || return
	# what a process was before it began is what it is without rarog: 4
	cat >small.c <<-'END'
		#include <errno.h>
		#include <fcntl.h>
		int main(int n, char **words)
		{
			int is_same = errno == 0;
			for (int fd = 100; fd < 120; fd++)
				is_same &= fcntl(fd, F_GETFD) < 0;
			(void)words;
			return is_same ? 3 + n : 1;
		}
	END
	rarog cc -O1 -o small small.c
	rarog cc -O1 -static -o still small.c
	sed 's/120/121/' small.c >other.c # a program of its own
	rarog cc -O1 -o other other.c
	cat >gives.c <<-'END'
		#include <stdlib.h>
		#include <sys/wait.h>
		#include <unistd.h>
		__attribute__((noinline)) int in_child(int n) { return n > 2; }
		int main(int n, char **words)
		{
			int status;
			if (setgid(atoi(words[1])) || setuid(atoi(words[1])))
				return 1;
			if (fork() == 0) {
				if (n > 2)
					execv(words[2], words + 2);
				_exit(in_child(n));
			}
			wait(&status);
			return WEXITSTATUS(status);
		}
	END
	rarog cc -O1 -o gives gives.c
	cc -o refuse "$repo/tests/programs/refuse.c"
}

teardown_file() {
	rm -rf "$place"
}

# Tests run where $TMPDIR is everybody's.
begin() {
	need_plugin
	cd "$BATS_TEST_TMPDIR" || return
	TMPDIR=$(mktemp -d "$place/temporary-XXXXXX")
	chmod 1777 "$TMPDIR"
	small=$place/small still=$place/still other=$place/other refuse=$place/refuse
}

need_root() {
	[ "$(id -u)" = 0 ] || skip "needs root"
	command -v setpriv >/dev/null || skip "needs setpriv"
}

need_exec_watcher() {
	rarog --debug=drain collect blocks -o watched.rarog -- "$small" 2>looked || true
	grep -q "programs that begin" looked && skip "needs perf_event_open: $(cat looked)"
	return 0
}

# collect WORD…: into p.rarog
collect() {
	run_rarog collect blocks --engine compiled -o p.rarog -- "$@"
	[ -z "$(ls -A "$TMPDIR")" ] || fail "left behind: $(find "$TMPDIR")"
}

# calls FUNCTION PROGRAM: of p.rarog
calls() {
	rarog show --json p.rarog | jq -r --arg f "$1" --arg b "$2" '[.functions[] | select(.name == $f and (.binary | endswith("/" + $b))) | .count] | add'
}

is_exact() {
	[[ $errors == *", exact"* && $errors != *warning* ]] || fail "$errors"
}

# is_missing NUMBER [WORDS]: so many, and there is no other doubt
is_missing() {
	[[ $errors == *"warning: $1 missing: "*"$2"* && $errors != *", exact"* ]] || fail "$errors"
	[ "$(grep -v "have no counters" <<<"$errors" | grep -c warning)" = 1 ] || fail "$errors"
	[ "$(rarog show --json p.rarog | jq .losses)" = "$1" ]
}

# as_user COMMAND…: an ordinary one's, into p.rarog
as_user() {
	need_root
	setpriv --reuid=1234 --regid=1234 --clear-groups test -x "$RAROG" || skip "other users cannot run $RAROG"
	mkdir -p "$place/user"
	chmod 777 "$place/user"
	status=0
	errors=$(cd "$place/user" && export HOME=$PWD XDG_CONFIG_HOME=$PWD &&
		setpriv --reuid=1234 --regid=1234 --clear-groups "$RAROG" --debug=drain collect blocks -o p.rarog -- "$@" 2>&1) || status=$?
	[ -z "$(ls -A "$TMPDIR")" ] || fail "left behind: $(find "$TMPDIR")"
	mv "$place/user/p.rarog" . || fail "$errors"
}

# --- other users ---

@test "what root's processes count as others is there" {
	begin
	need_root
	for how in "setpriv --reuid=1234 --regid=1234 --clear-groups $small" "$place/gives 1234 $small"; do
		# shellcheck disable=SC2086
		collect sh -c "$small; $how"
		is_exact
		[ "$(calls main small)" = 2 ] || fail "$how"
	done
	collect "$place/gives" 1234
	expect_status 0
	is_exact
	[ "$(calls in_child gives)" = 1 ]
	command -v su >/dev/null || return 0
	collect su nobody -s /bin/sh -c "$small"
	expect_status 4
	is_exact
}

@test "the folder is nobody else's, or cannot be listed and found" {
	begin
	# shellcheck disable=SC2016
	collect sh -c "$small"'; stat -c "%a %u" "$RAROG_BLOCKS_DIR" "$RAROG_BLOCKS_DIR/.." >modes; echo "$RAROG_BLOCKS_DIR" >name; true'
	if [ "$(id -u)" = 0 ]; then
		[ "$(cat modes)" = $'1733 0\n711 0' ] || fail "$(cat modes)"
	else
		[ "$(cat modes)" = "700 $(id -u)"$'\n'"700 $(id -u)" ] || fail "$(cat modes)"
	fi
	grep -qE '[/-][0-9a-f]{32}[+][0-9]+$' name # 128 bits of chance
	umask 077
	collect sh -c "umask 077; $small"
	is_exact
	need_root
	collect setpriv --reuid=1234 --regid=1234 --clear-groups "$small"
	is_exact
}

@test "whatever somebody puts into the folder is neither waited for, followed nor left behind" {
	begin
	echo secret >secret
	cat >"$place/meddle" <<-'END'
		cd "$RAROG_BLOCKS_DIR"
		mkfifo 1-0.counts
		ln -s "$1" 2-0.counts
		truncate -s 1T 3-0.counts
		truncate -s 1G 4-0.counts
		mkdir -m 777 5-0.counts deep
		touch 5-0.counts/inside .hidden
		cd deep
		for i in {1..300}; do
			mkdir "$i" && cd "$i" && touch x && mkdir -m 0 closed && ln -s "$1" link
		done
		true
	END
	as=
	[ "$(id -u)" != 0 ] || as="setpriv --reuid=1234 --regid=1234 --clear-groups"
	status=0
	# shellcheck disable=SC2086
	errors=$(timeout "$(scaled 60)" "$RAROG" collect blocks -o p.rarog -- sh -c "$small; $as bash $place/meddle $PWD/secret; true" 2>&1) || status=$?
	expect_status 0
	is_missing 5
	[ -z "$(ls -A "$TMPDIR")" ] || fail "left behind: $(find "$TMPDIR" | head -5)"
	[ "$(cat secret)" = secret ]
	[ "$(calls main small)" = 1 ]
}

@test "a file that is cut off while it is read takes nobody along" {
	begin
	# a good head, and so many counters that reading them takes a while
	cat >cut.sh <<-'END'
		cd "$RAROG_BLOCKS_DIR"
		"$1"
		file=$(echo *.counts)
		printf '\0\0\0\v\0\0\0\0' | dd of="$file" bs=1 seek=40 conv=notrunc status=none
		(
			exec >/dev/null 2>&1
			while truncate -c -s 200M "$file" && [ -f "$file" ]; do
				truncate -c -s 8192 "$file"
			done
		) &
		sleep 0.1
	END
	for _ in 1 2 3; do
		status=0
		errors=$(timeout "$(scaled 60)" "$RAROG" collect blocks -o p.rarog -- bash cut.sh "$small" 2>&1) || status=$?
		[ "$status" -lt 126 ] || fail "$status: $errors"
		rm -f p.rarog
	done
}

@test "a file of another version is left out, and told; alone it is the reason" {
	begin
	# what the program leaves becomes another version's
	cat >age <<-'END'
		"$@"
		for file in "$RAROG_BLOCKS_DIR"/*.counts; do
			mv "$file" "$file.young"
			{
				head -c 8 "$file.young"
				printf '\1\0\0\0'
				tail -c +13 "$file.young"
			} >"$file"
		done
		rm "$RAROG_BLOCKS_DIR"/*.young
	END
	collect sh -c "sh age $still; $small"
	expect_status 4
	[[ $errors == *"warning: 1 outdated: "* && $(grep -v "have no counters" <<<"$errors" | grep -c warning) = 1 ]] || fail "$errors"
	[ "$(calls main small)" = 1 ]
	"$RAROG" show p.rarog | grep -q "LOST: 1 outdated" || fail "$("$RAROG" show p.rarog)"
	collect sh -c "$small; cp $other gone; ./gone; rm gone"
	[[ $errors == *"warning: 1 outdated: "* && $errors != *", exact"* ]] || fail "$errors"
	run_rarog collect blocks -o none.rarog -- sh age "$still"
	expect_status 125
	[[ $errors == "rarog collect: sh: no counts: "*"; build them again, with this rarog cc" ]] || fail "$errors"
	[ ! -e none.rarog ]
}

@test "counters of a thousand threads take no more memory than those of one" {
	begin
	# 1,023 areas of 3 MiB after a good head
	cat >swell <<-'END'
		file=$(echo "$RAROG_BLOCKS_DIR"/*.counts)
		{
			head -c 40 "$file"
			printf '\0\0\60\0\0\0\0\0\377\3\0\0'
			tail -c +53 "$file" | head -c 8140
		} >"$RAROG_BLOCKS_DIR/9-0.counts"
		truncate -s $((8192 + 1023 * 3 * 1048576)) "$RAROG_BLOCKS_DIR/9-0.counts"
	END
	ulimit -v 1500000
	collect sh -c "$small; sh swell"
	[ "$status" -lt 125 ] || fail "$status: $errors"
	[ "$(calls main small)" = 1 ]
}

# --- those that could have no file ---

@test "without descriptors, inodes, or leave to make a file: they say so themselves, and run as they would" {
	begin
	collect sh -c "$small; ulimit -n 3; exec $still"
	expect_status 4
	is_missing 1
	collect sh -c "$small; ulimit -f 0; exec $small"
	expect_status 4
	is_missing 1
	# the filter is never asked for more than the program needs
	collect sh -c "$small; $refuse create kill-shm -- $still a"
	expect_status 5
	run_rarog collect blocks -o none.rarog -- sh -c "ulimit -n 3; exec $still"
	expect_status 125
	[[ $errors == "rarog collect: "*": no counts: "* ]] || fail "$errors"
	[ ! -e none.rarog ]
	[ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null || skip "needs root for the rest"
	mkdir mounted
	cat >few <<-'END'
		mount -t tmpfs -o nr_inodes=6,mode=1777 none mounted || exit 99
		TMPDIR=$PWD/mounted "$RAROG" collect blocks -o p.rarog -- sh -c "$1; $1; $1 a"
	END
	status=0
	errors=$(unshare -m sh few "$small" 2>&1) || status=$?
	[ "$status" != 99 ] || skip "cannot mount"
	expect_status 5
	is_missing 2
}

@test "a process in another root, or in a folder that is closed to it" {
	begin
	need_root
	mkdir jail
	cp "$still" jail
	collect sh -c "$small; chroot jail /still"
	expect_status 4
	is_missing 1
	chmod 700 "$TMPDIR"
	collect sh -c "$small; setpriv --reuid=1234 --regid=1234 --clear-groups $small"
	expect_status 4
	is_missing 1
	chmod 1777 "$TMPDIR"
	# without the memory to say so
	need_exec_watcher
	collect sh -c "$small; $still; $refuse shm -- chroot jail /still"
	is_missing 1 ", as $still;"
}

# As an ordinary user, for whom the kernel shows nothing of them.
@test "set-user-ID programs, and those with capabilities, make no file and say so" {
	begin
	need_root
	command -v setcap >/dev/null || skip "needs setcap"
	[[ $(findmnt -no OPTIONS -T "$place") != *nosuid* ]] || skip "$place is mounted nosuid"
	mkdir "$place/rights"
	cd "$place/rights"
	cp "$small" mine
	cp "$small" theirs
	cp "$small" able
	chown 4321 theirs
	chmod 4755 mine theirs
	setcap cap_net_raw+ep able
	cd "$BATS_TEST_TMPDIR"
	as_user sh -c "$small; $place/rights/mine; $place/rights/theirs; $place/rights/able"
	expect_status 4
	is_missing 3
	[ "$(calls main small)" = 1 ]
	# with a clean environment, too, nobody knows: the kernel takes its events away from them
	as_user sh -c "$small; env -i $place/rights/theirs"
	is_exact
}

# of_process PID: there is shared memory that it made
of_process() {
	awk -v pid="$1" '$5 == pid { found = 1 } END { exit !found }' /proc/sysvipc/shm
}

none_of_process() {
	! of_process "$1"
}

@test "nobody else's memory is written to, and none is left behind" {
	begin
	python3 - "$small" <<-'END'
		import ctypes, os, subprocess, sys
		libc = ctypes.CDLL(None, use_errno=True)
		libc.shmat.restype = ctypes.c_void_p
		libc.shmat.argtypes = ctypes.c_int, ctypes.c_void_p, ctypes.c_int
		libc.shmdt.argtypes = ctypes.c_void_p,
		number = libc.shmget(0, 4096, 0o1600)
		at = libc.shmat(number, None, 0)
		libc.shmctl(number, 0, None) # it goes with us
		for magic, n in (b"RAROGRE?", 0), (b"RAROGREG", 1):
		    ctypes.memmove(at, magic + bytes(4088), 4096)
		    for name in f"{number}-x", f"{number}", f"x{number}-", f"-{number}-x", f"{number + (1 << 32)}-x", "-", "99999999999999999999-x":
		        # the folder is not there
		        assert subprocess.run([sys.argv[1]], env={"RAROG_BLOCKS_DIR": f"/nowhere/{name}"}).returncode == 4
		    assert ctypes.string_at(at, 4096) == magic + n.to_bytes(4, "little") + bytes(4084), magic
	END
	collect "$small"
	is_exact
	"$RAROG" --quiet collect blocks -o q.rarog -- sleep 3 &
	own=$!
	eventually 20 of_process $own
	kill -KILL $own
	wait $own || true
	eventually 20 none_of_process $own # another process of its may share it for a moment
}

# --- those that nothing reached ---

@test "an environment without the folder's name" {
	begin
	need_exec_watcher
	collect sh -c "$small; env -i $small; env -i $other & wait; $small"
	is_missing 2
	[ "$(calls main small)" = 2 ]
	collect sh -c "$small; for i in 1 2 3 4 5 6 7 8 9; do env -i $small & $small & done; wait; $small"
	expect_status 4
	is_missing 9 ", as $small;"
	[ "$(calls main small)" = 11 ]
	run_rarog collect blocks -o none.rarog -- env -i "$small"
	expect_status 125
	[[ $errors == "rarog collect: $small: no counts: "* ]] || fail "$errors"
	[ ! -e none.rarog ]
}

@test "one process, several programs: each is missed for itself" {
	begin
	need_exec_watcher
	collect sh -c "$small; exec env -i $other"
	is_missing 1 ", as $other;"
	cat >again.c <<-'END'
		#include <sys/wait.h>
		#include <unistd.h>
		extern char **environ;
		int main(int n, char **words)
		{
			char *none[] = { NULL }, *next[] = { words[1], NULL };
			if (n > 3 && fork() > 0) /* the child counts before it becomes another */
				return wait(NULL) < 0;
			return n > 1 ? execve(words[1], next, n > 2 ? none : environ) : 4;
		}
	END
	rarog cc -O1 -o again again.c
	collect ./again "$PWD/again"
	expect_status 4
	is_exact
	collect ./again "$PWD/again" clean
	is_missing 1 ", as $PWD/again;"
	collect ./again "$PWD/again" clean forked
	is_missing 1 ", as $PWD/again;"
	[ "$(calls main again)" = 1 ]
	collect ./again "$other" clean forked
	is_missing 1 ", as $other;"
}

write_libraries() {
	for i in 1 2 3; do
		echo "int inside(int n) { return n > $i; }" >lib$i.c
		rarog cc -O1 -fPIC -shared -o lib$i.so lib$i.c
	done
	cat >opens.c <<-'END'
		#include <dlfcn.h>
		#include <stdlib.h>
		#include <sys/wait.h>
		#include <unistd.h>
		static int use(const char *path)
		{
			void *library = dlopen(path, RTLD_NOW);
			int (*inside)(int) = (int (*)(int))dlsym(library, "inside");
			return inside(2) + dlclose(library);
		}
		int main(int n, char **words)
		{
			(void)words;
			use("./lib1.so");
			use("./lib1.so"); /* two files */
			if (n > 1)
				unsetenv("RAROG_BLOCKS_DIR");
			use("./lib2.so");
			if (fork() == 0)
				return use("./lib3.so") > 1;
			wait(NULL);
			return 0;
		}
	END
	gcc -o plain opens.c -ldl
	rarog cc -O1 -o counted opens.c -ldl
}

@test "libraries, opened as it runs, in programs that count and in others" {
	begin
	need_exec_watcher
	write_libraries
	for program in plain counted; do
		collect ./$program
		is_exact
		collect ./$program clean
		is_missing 2
	done
}

@test "processes whose numbers are not ours" {
	begin
	need_exec_watcher
	unshare -rpf true 2>/dev/null || skip "needs name spaces of processes"
	collect sh -c "$small; unshare -rpf $small; unshare -rpf sh -c '$small; $small & wait; true'"
	is_exact
	[ "$(calls main small)" = 4 ]
	collect sh -c "$small; unshare -rpf $small; unshare -rpf env -i $small"
	is_missing 1 ", as $small;"
}

@test "binaries that are gone, or others, when the program ends" {
	begin
	need_exec_watcher
	collect sh -c "$small; cp $other gone; env -i ./gone; sleep 0.2; rm gone"
	is_missing 1 ", as $PWD/gone;"
	# what counts nothing takes the place of what does, and the other way round
	echo 'int main(void) { return 4; }' >not.c
	gcc -O1 -o not not.c
	collect sh -c "$small; cp $other it; ./it; sleep 0.1; cp not it; ./it; sleep 0.1; cp $other it; ./it"
	is_exact
	[ "$(calls main it)" = 2 ]
	collect sh -c "$small; cp not it; ./it; cp $other it; ./it" # before anybody looks
	is_exact
	[ "$(calls main it)" = 1 ]
}

@test "code that is mapped again is no other program" {
	begin
	cat >patches.c <<-'END'
		#include <stdint.h>
		#include <sys/mman.h>
		int main(void)
		{
			char *page = (char *)((uintptr_t)main & -4096ul);
			for (int i = 0; i < 3; i++)
				if (mprotect(page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC) || mprotect(page, 4096, PROT_READ | PROT_EXEC))
					return 1;
			return 4;
		}
	END
	rarog cc -O1 -o patches patches.c
	collect ./patches
	expect_status 4
	is_exact
}

@test "no program that begins is missed that was only listed, or read" {
	begin
	collect sh -c "$small; ldd $small $other >list; ldd -r $other >list; readelf -a $other >list; cat $other >list"
	is_exact
	loader=$(readelf -l "$small" | sed -n 's/.*interpreter: \(.*\)]/\1/p')
	collect sh -c "$small; $loader --list $small >list; $loader --verify $small; $loader $small"
	expect_status 4
	is_exact
	[ "$(calls main small)" = 2 ]
	command -v valgrind >/dev/null || return 0
	collect valgrind -q --tool=none "$small"
	expect_status 4
	is_exact
}

@test "nothing is said twice: children without room, files that are cut off" {
	begin
	cat >limits.c <<-'END'
		#include <sys/resource.h>
		#include <sys/wait.h>
		#include <unistd.h>
		int main(void)
		{
			struct rlimit none = { 0, 0 };
			setrlimit(RLIMIT_FSIZE, &none);
			if (fork() == 0)
				_exit(0);
			wait(NULL);
			return 4;
		}
	END
	rarog cc -O1 -o limits limits.c
	collect ./limits
	is_missing 1
	# shellcheck disable=SC2016
	collect sh -c "$small"'; truncate -s 100 $RAROG_BLOCKS_DIR/*.counts; '"$small"
	is_missing 1
}

@test "a program that begins while rarog gets no processor is seen" {
	begin
	need_root
	need_exec_watcher
	cat >many.sh <<-END
		kill -STOP \$PPID
		i=0
		while [ \$i -lt 600 ]; do
			$small
			i=\$((i + 1))
		done
		env -i $small
		kill -CONT \$PPID
	END
	collect taskset -c 0 sh many.sh
	is_missing 1 ", as $small;"
	[ "$(calls main small)" = 600 ]
}

@test "where the kernel's records are lost, nobody is claimed to be seen" {
	begin
	as_user "$small"
	[[ $errors != *"programs that begin are not shown"* ]] || skip "$errors"
	cat >"$place/floods" <<-END
		kill -STOP \$PPID
		i=0
		while [ \$i -lt \$1 ]; do
			$small
			i=\$((i + 1))
		done
		kill -CONT \$PPID
	END
	as_user taskset -c 0 sh "$place/floods" 2000
	[[ $errors == *" missing: "* && $errors != *", exact"* && $(grep -c warning <<<"$errors") = 1 ]] || fail "$errors"
	[ "$(calls main small)" = 2000 ]
	as_user taskset -c 0 sh "$place/floods" 20
	is_exact
}

@test "where the kernel shows nothing, or has no shared memory, nothing is claimed" {
	begin
	run_rarog --debug=drain collect blocks -o p.rarog -- true || true
	for what in "perf" "shm" "perf shm"; do
		# shellcheck disable=SC2086
		errors=$("$refuse" $what -- "$RAROG" collect blocks -o p.rarog -- "$small" 2>&1) || status=$?
		expect_status 4
		is_exact
	done
	errors=$("$refuse" perf -- "$RAROG" collect blocks -o p.rarog -- sh -c "$small; env -i $small" 2>&1) || true
	is_exact
	errors=$("$refuse" perf -- "$RAROG" --debug=drain collect blocks -o p.rarog -- "$small" 2>&1) || true
	[[ $errors == *"programs that begin are not shown"* ]] || fail "$errors"
}

@test "an ordinary user misses processes, too" {
	begin
	as_user sh -c "$small; $small & wait"
	[[ $errors != *"programs that begin are not shown"* ]] || skip "$errors"
	is_exact
	as_user sh -c "$small; env -i $small"
	is_missing 1 ", as $small;"
}
