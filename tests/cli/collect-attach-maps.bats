#!/usr/bin/env bats
# What rarog collect --pid maps into a program, where there is hardly room for it, or not the same in each of its processes.

# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154 # variables of the helpers
load helper
load collect-helper

teardown() {
	exec {told}>&- 2>/dev/null || true
	for one in ${busy:-} ${leader:-}; do kill -KILL "$one" 2>/dev/null || true; done
}

# Parent and child open a library after the fork, and have it at the same place; but where the child has the probes of it the
# parent has something else.
@test "a library that each process opened by itself has its probes elsewhere in each, and loses them in each" {
	printf '%s\n' 'long plug(long x) { return x * 3 + 1; }' >plugin.c
	gcc -O0 -fPIC -shared -o libplugin.so plugin.c
	{ printf '#include <%s>\n' dlfcn.h stdio.h string.h sys/mman.h sys/wait.h unistd.h
	cat <<-'END'
		static long calls(long (*f)(long)) { long n = 0; for (int i = 0; i < 100; i++) n += f(i); return n; }
		static long (*load(void))(long)
		{
			void *library = dlopen("./libplugin.so", RTLD_NOW);
			return (long (*)(long))dlsym(library, "plug");
		}
		/* Take what another process has for itself, less than a gigabyte below the library. Return: how much. */
		static int block(pid_t pid)
		{
			unsigned long start[64], end[64], library = 0;
			char path[64], line[512];
			int n = 0, done = 0;
			FILE *f;
			snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
			f = fopen(path, "r");
			while (n < 64 && fgets(line, sizeof(line), f) && sscanf(line, "%lx-%lx", &start[n], &end[n]) == 2)
				if (strstr(line, "memfd:rarog"))
					n++;
				else if (!library && strstr(line, "libplugin"))
					library = start[n];
			fclose(f);
			for (int i = 0; i < n; i++)
				done += start[i] < library && library - start[i] < 0x40000000ul &&
					mmap((void *)start[i], end[i] - start[i], PROT_NONE,
					     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != MAP_FAILED;
			return done;
		}
		int main(void)
		{
			long (*f)(long);
			char c;
			int up[2], down[2], status;
			pid_t child;
			setbuf(stdout, NULL);
			puts("begun");
			if (pipe(up) < 0 || pipe(down) < 0 || read(0, &c, 1) != 1)
				return 2;
			child = fork();
			if (child == 0) {
				f = load();
				calls(f);
				if (write(up[1], "x", 1) != 1 || read(down[0], &c, 1) != 1)
					_exit(2);
				printf("child %ld\n", calls(f));
				_exit(0);
			}
			if (read(up[0], &c, 1) != 1)
				return 2;
			printf("blocked %d\n", block(child));
			f = load();
			printf("loaded %ld\n", calls(f));
			if (read(0, &c, 1) != 1 || write(down[1], "x", 1) != 1)
				return 2;
			wait(&status);
			printf("parent %ld, status %d\n", calls(f), status);
			return 0;
		}
	END
	} >user.c
	gcc -D_GNU_SOURCE -O1 -o user user.c -ldl
	open_told
	./user <told >got 2>&1 3>&- &
	busy=$!
	eventually 60 grep -q begun got
	"$RAROG" --quiet collect --libs --pid "$busy" -o p.rarog >err 2>&1 3>&- &
	leader=$!
	eventually 60 grep -q memfd:rarog "/proc/$busy/maps" || fail "$(cat err)"
	tell a loaded
	! grep -q '^blocked 0' got || fail "the parent has the child's place"
	kill -TERM "$leader"
	wait "$leader" || fail "status $?: $(cat err)"
	leader=
	tell e parent
	wait "$busy" || fail "status $?"
	busy=
	printf '%s\n' 'child 14950' 'loaded 14950' 'parent 14950, status 0' | diff - <(grep -v -e begun -e blocked got | sort) >&2 ||
		fail "otherwise"
	rarog show -n 0 --json p.rarog | jq -e '[.functions[] | select(.name == "plug") | .count] == [200]' >/dev/null ||
		fail "$(rarog show p.rarog)"
}

# The kernel lets a process have so many mappings (vm.max_map_count), and probes are several.
@test "a program that has nearly as many mappings as it may is measured, or refused and what it was" {
	cat >many.c <<-'END'
		#include <stdio.h>
		#include <stdlib.h>
		#include <sys/mman.h>
		#include <unistd.h>
		__attribute__((noinline)) long work(long x) { __asm__ volatile("" : "+r"(x)); return x + 1; }
		int main(int argc, char **argv)
		{
			static char buffer[64];
			long n = 0, left = argc > 1 ? atol(argv[1]) : 0, most = argc > 2 ? atol(argv[2]) : 0, sum = 0;
			char *p = mmap(NULL, (2ul * (unsigned long)most + 2) * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
				       -1, 0), word;
			setvbuf(stdout, buffer, _IOLBF, sizeof(buffer));
			while (n < most && mprotect(p + 4096 * (2 * n + 1), 4096, PROT_READ) == 0)
				n++;
			while (left-- > 0 && n-- > 0)
				mprotect(p + 4096 * (2 * n + 1), 4096, PROT_NONE);
			puts("begun");
			while (read(0, &word, 1) == 1 && word != 'e')
				sum = work(sum);
			puts("fine");
			return 0;
		}
	END
	gcc -O1 -o many many.c
	local most refused=0 measured=0 left
	most=$(cat /proc/sys/vm/max_map_count)
	[ "$most" -le 300000 ] || skip "a process may have $most mappings here"
	for left in 1 2 3 4 5 6 8; do
		open_told
		: >got
		./many "$left" "$most" <told >got 2>&1 3>&- &
		busy=$!
		eventually 60 grep -q begun got || fail "it does not start"
		cat "/proc/$busy/maps" >before
		if "$RAROG" --quiet collect --pid "$busy" --duration 0.1s -o p.rarog >err 2>&1 3>&-; then
			measured=$((measured + 1))
		else
			refused=$((refused + 1))
			[ "$(wc -l <err)" -eq 1 ] || fail "$(cat err)"
		fi
		diff before "/proc/$busy/maps" >&2 || fail "something is left, with $left times two to spare: $(cat err)"
		tell e fine
		wait "$busy" || fail "status $?"
		busy=
		exec {told}>&-
	done
	[ "$refused" -gt 0 ] && [ "$measured" -gt 0 ] || fail "refused $refused times, measured $measured times"
}

# Where the program's probes still fit and those of the unwinder do not, an exception would not find its way.
@test "a program with exceptions that has nearly as many mappings as it may is measured, or refused and what it was" {
	cat >throws.cc <<-'END'
		#include <cstdio>
		#include <cstdlib>
		#include <sys/mman.h>
		#include <unistd.h>
		__attribute__((noinline)) static void thrower(int i) { if (i >= 0) throw i; }
		__attribute__((noinline)) static int catcher(int i) { try { thrower(i); } catch (int got) { return got + 1; } return 0; }
		int main(int argc, char **argv)
		{
			long n = 0, left = argc > 1 ? atol(argv[1]) : 0, most = argc > 2 ? atol(argv[2]) : 0, sum = catcher(1);
			char *p = (char *)mmap(NULL, (2ul * (unsigned long)most + 2) * 4096, PROT_NONE,
					       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0), word;
			static char buffer[64];
			setvbuf(stdout, buffer, _IOLBF, sizeof(buffer));
			while (n < most && mprotect(p + 4096 * (2 * n + 1), 4096, PROT_READ) == 0)
				n++;
			while (left-- > 0 && n-- > 0)
				mprotect(p + 4096 * (2 * n + 1), 4096, PROT_NONE);
			puts("begun");
			while (read(0, &word, 1) == 1 && word != 'e') {
				for (int i = 0; i < 100; i++)
					sum += catcher(i);
				printf("%c %ld\n", word, sum);
			}
			puts("fine");
			return 0;
		}
	END
	g++ -O1 -o throws throws.cc
	local most refused=0 measured=0 unhooked=0 left
	most=$(cat /proc/sys/vm/max_map_count)
	[ "$most" -le 300000 ] || skip "a process may have $most mappings here"
	for left in 5 6 7 8 12; do
		open_told
		: >got
		./throws "$left" "$most" <told >got 2>&1 3>&- &
		busy=$!
		eventually 60 grep -q begun got || fail "it does not start"
		cat "/proc/$busy/maps" >before
		"$RAROG" --quiet collect --pid "$busy" -o p.rarog >err 2>&1 3>&- &
		leader=$!
		eventually 60 attached_or_ended || fail "$(cat err)"
		tell a 'a 5052$'
		tell b 'b 10102$'
		kill -TERM "$leader" 2>/dev/null || true
		if wait "$leader"; then
			measured=$((measured + 1))
		else
			refused=$((refused + 1))
			[ "$(wc -l <err)" -eq 1 ] || fail "$(cat err)"
			! grep -q 'libgcc_s.*without whose hooks' err || unhooked=$((unhooked + 1))
		fi
		leader=
		diff before "/proc/$busy/maps" >&2 || fail "something is left, with $left times two to spare: $(cat err)"
		tell e fine
		wait "$busy" || fail "status $?"
		busy=
		exec {told}>&-
	done
	[ "$refused" -gt 0 ] && [ "$measured" -gt 0 ] && [ "$unhooked" -gt 0 ] ||
		fail "refused $refused times, $unhooked of them for the unwinder, measured $measured times"
}

# $leader has begun to change $busy, which stands still until that is done; or it has given up.
attached_or_ended() {
	grep -q memfd:rarog "/proc/$busy/maps" || ! kill -0 "$leader" 2>/dev/null
}

# An unwinder that is opened where there is no room for probes near it: nobody may meet our return addresses there.
@test "a library for exceptions that cannot be hooked when it is opened ends the measurement, not the program" {
	cat >opens.c <<-'END'
		#include <dlfcn.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		#include <sys/mman.h>
		#include <unistd.h>
		static int (*backtrace_by)(int (*)(void *, void *), void *);
		static int count(void *context, void *n) { (void)context; ++*(int *)n; return 0; }
		__attribute__((noinline)) static int depth(void) { int n = 0; backtrace_by(count, &n); return n; }
		__attribute__((noinline)) static int work(int n) { int d = n > 0 ? work(n - 1) : depth(); __asm__ volatile("" : "+r"(d)); return d; }
		int main(int argc, char **argv)
		{
			size_t size = argc > 2 ? strtoul(argv[2], NULL, 0) : 0, all = 8ul << 30;
			const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
			char word, *p = mmap(NULL, all, PROT_NONE, flags, -1, 0);
			void *unwinder;
			while ((char *)mmap(NULL, size, PROT_NONE, flags, -1, 0) > p)
				; /* among the libraries nothing fits, either */
			setbuf(stdout, NULL);
			if (argc < 3)
				return 2;
			while (read(0, &word, 1) == 1 && word != 'e') {
				if (word == 'o') { /* all else below the libraries is taken */
					munmap(p + all / 2, size);
					unwinder = dlopen(argv[1], RTLD_NOW);
					if (!unwinder || (char *)dlsym(unwinder, "_Unwind_Backtrace") - p > (long)all)
						return 3;
					*(void **)&backtrace_by = dlsym(unwinder, "_Unwind_Backtrace");
				}
				printf("%c %d\n", word, backtrace_by ? work(3) : 0);
			}
			puts("fine");
			return 0;
		}
	END
	gcc -O1 -fno-optimize-sibling-calls -o opens opens.c -ldl
	local unwinder size frames
	unwinder=$(readlink -f "$(gcc -print-file-name=libgcc_s.so.1)")
	size=$(readelf -lW "$unwinder" | python3 -c 'import sys
print(max(int(w[2], 16) + int(w[5], 16) for w in map(str.split, sys.stdin) if w[:1] == ["LOAD"]) + 4095 & ~4095)')
	printf 'aobe' | ./opens "$unwinder" "$size" >native || fail "status $?"
	frames=$(sed -n 's/^b //p' native)
	[ "$frames" -gt 6 ] || fail "$(cat native)"
	open_told
	"$RAROG" collect -o p.rarog -- ./opens "$unwinder" "$size" <told >got 2>err 3>&- &
	leader=$!
	tell a a
	tell o o
	eventually 60 grep -q 'libgcc_s.*without whose hooks.*no call is recorded from here on' err || fail "$(cat err)"
	eventually 60 has_depth "$frames" || fail "$frames frames, but: $(cat got)"
	tell e fine
	wait "$leader" || fail "status $?: $(cat err)"
	leader=
}

# has_depth N: the program sees that many frames
has_depth() {
	printf b >&"$told"
	sleep 0.1
	[ "$(tail -1 got)" = "b $1" ]
}

@test "a process that has code of its own where another has probes is let go from there" {
	printf '%s\n' 'long plug(long x) { return x * 3 + 1; }' >plugin.c
	gcc -O0 -fPIC -shared -o libplugin.so plugin.c
	{ printf '#include <%s>\n' dlfcn.h stdio.h string.h sys/mman.h sys/wait.h unistd.h
	cat <<-'END'
		/* until *(int *)argument is not 0 */
		static const unsigned char code[] = { 0xf3, 0x90, 0x83, 0x3f, 0x00, 0x74, 0xf9, 0xc3 };
		/* Return: the code, where @pid has for itself what is called memfd:rarog; NULL: there is nothing */
		static void *place(pid_t pid)
		{
			unsigned long start, end;
			char path[64], line[512];
			void *p = MAP_FAILED;
			FILE *f;
			snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
			f = fopen(path, "r");
			while (p == MAP_FAILED && fgets(line, sizeof(line), f))
				if (strstr(line, "r-xs") && strstr(line, "memfd:rarog") && sscanf(line, "%lx-%lx", &start, &end) == 2)
					p = mmap((void *)start, end - start, PROT_READ | PROT_WRITE | PROT_EXEC,
						 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
			fclose(f);
			return p == MAP_FAILED ? NULL : memcpy(p, code, sizeof(code));
		}
		int main(void)
		{
			int *over = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
			void (*run)(int *);
			void *library, *p;
			char c;
			int go[2], status;
			pid_t child, parent = getpid();
			setbuf(stdout, NULL);
			puts("begun");
			if (pipe(go) < 0 || read(0, &c, 1) != 1)
				return 2;
			child = fork();
			if (child == 0) {
				if (read(go[0], &c, 1) != 1 || !(p = place(parent)))
					_exit(2);
				memcpy(&run, &p, sizeof(p));
				puts("placed");
				run(over);
				_exit(0);
			}
			library = dlopen("./libplugin.so", RTLD_NOW);
			if (!library || write(go[1], "x", 1) != 1 || read(0, &c, 1) != 1)
				return 2;
			*over = 1;
			wait(&status);
			printf("ended %d\n", status);
			return 0;
		}
	END
	} >user.c
	gcc -D_GNU_SOURCE -O1 -o user user.c -ldl
	open_told
	./user <told >got 2>&1 3>&- &
	busy=$!
	eventually 60 grep -q begun got
	"$RAROG" collect --libs --pid "$busy" -o p.rarog >err 2>&1 3>&- &
	leader=$!
	eventually 60 grep -q memfd:rarog "/proc/$busy/maps" || fail "$(cat err)"
	tell a placed
	kill -TERM "$leader"
	wait "$leader" || fail "status $?: $(cat err)"
	leader=
	! grep -q 'taken out entirely' err || fail "$(cat err)"
	tell e 'ended 0'
	wait "$busy" || fail "status $?"
	busy=
}
