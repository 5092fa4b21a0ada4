# Synthetic profiles for the tests of views: loaded after helper.

make_profile=$(dirname "$RAROG")/tests/make-profile
check_export=$repo/tests/tools/check-export

# profile NAME < DESCRIPTION
profile() {
	"$make_profile" "$1"
}

# Sleeping, working and preempted on two threads.
cpu_profile() {
	profile "${1:-cpu.rarog}" <<-'END'
		binary /bin/a
		binary /lib/b.so
		location main file=/s/a.c line=1
		location nap binary=1 file=/s/b.c line=2
		location spin file=/s/c.c line=3
		location again file=/s/d.c line=4
		process 7 - 0 5000000 0 "./a"
		strand 0 7 0 5000000
		> main 0
		> nap 1000
		away 60000 5000
		< 80000
		> again 10
		away 5
		> again 10
		away 100 50
		> spin 300
		away 0 400
		< 100000
		< 10
		< 10
		away 7 3
		< 1000
		strand 0 8 0 5000000
		> nap 100
		away 900000
		< 1000000
	END
}

# A small program: recursion, an exception, a second thread, calls open at the end, inlining.
plain_profile() {
	profile "${1:-plain.rarog}" <<-'END'
		header {"collector":"trace","detail":"calls","commit":"0123456789abcdef","dirty":true,"machine":{"cpu":"Test CPU","cpus":2}}
		binary /usr/bin/bzip2 abc123
		binary /lib/libc.so.6 def
		location main file=/src/bzip2.c line=10
		location compress file=/src/bzip2.c line=100
		location mainSort file=/src/blocksort.c line=20
		location fallbackSort file=/src/blocksort.c line=300
		location memcpy binary=1
		location _ZN3foo3barEi demangled=foo::bar(int)
		location never
		process 100 - 0 200000 0 "./bzip2 -k file"
		strand 0 100 1000 199000
		> main 10
		repeat 3
		> compress 5
		> mainSort 7
		repeat 2
		> memcpy 10
		< 30
		end
		< 4000
		> mainSort 7
		> mainSort 1000
		> mainSort 10
		< 10
		< 300
		< 100
		> fallbackSort 1
		! 3000
		< 12
		end
		> _ZN3foo3barEi 100
		. 500
		. 0
		strand 0 101 5000 90000
		> fallbackSort 10
		repeat 2
		> memcpy 100
		< 20000
		end
		< 10
		inlined swap mainSort /src/blocksort.c 222
		inlined both mainSort /src/blocksort.c 230
		inlined both compress /src/bzip2.c 110
	END
}

# Names that no terminal and no format must choke on.
hostile_profile() {
	local long

	long="std::map<$(printf 'std::vector<int, std::allocator<int> >, %.0s' $(seq 260))int>::at(int)"
	profile "${1:-hostile.rarog}" <<-END
		location "sp ace;semi"
		location "quo\\"te\\\\back"
		location "ctl\\x1b[31mred\\x07\\nnewline"
		location "bad\\xff\\xfeutf8"
		location "über::größe"
		location "bidi\\xe2\\x80\\xaeoverride"
		location "=cmd|calc,comma"
		location same file=/a/x.c line=1
		location same2 demangled=same file=/b/y.c line=7
		location _ZLONG "demangled=$long"
		process 1 - 0 100000 0 "pro\\x1bgram \\"x\\""
		strand 0 1 0 100000
		> "sp ace;semi" 0
		> "quo\\"te\\\\back" 10
		> "ctl\\x1b[31mred\\x07\\nnewline" 10
		> "bad\\xff\\xfeutf8" 10
		> "über::größe" 10
		> "bidi\\xe2\\x80\\xaeoverride" 10
		> "=cmd|calc,comma" 10
		> same 10
		> same2 1
		< 1
		> _ZLONG 10
		< 100
		repeat 8
		< 10
		end
	END
}

# Two processes (the child began inside a call), two threads that take turns, a wait, a loss.
processes_profile() {
	profile "${1:-processes.rarog}" <<-'END'
		clock 2300000000 1700000000000000000
		location main
		location work
		location child
		process 10 - 1000000 9000000 0 "parent --flag"
		process 11 0 3000000 8000000 256 "child"
		strand 0 10 1000000 9000000
		> main 100
		repeat 5
		> work 1000
		< 700001
		end
		< 77
		strand 0 12 2000000 4000000
		> work 3
		wait 500
		< 1500
		lost 12
		strand 1 11 3000000 8000000
		> child 1
		> work 333
		< 333
		< 1
		loss "events" 12
	END
}

# DEPTH calls inside each other
deep_profile() {
	profile "$1" <<-END
		location f
		process 1 - 0 $((2 * $2 + 2)) 0 deep
		strand 0 1 0 $((2 * $2 + 2))
		repeat $2
		> f 1
		end
		repeat $2
		< 1
		end
	END
}

empty_profile() {
	profile "${1:-empty.rarog}" <<-'END'
		location never
		process 1 - 0 10 0 true
		strand 0 1 0 10
	END
}

one_profile() {
	profile "${1:-one.rarog}" <<-'END'
		location only
		process 1 - 0 10 0 one
		strand 0 1 0 10
		> only 3
		< 4
	END
}

# sums only, as --detail=summary leaves them
summary_profile() {
	profile "${1:-summary.rarog}" <<-'END'
		detail summary
		location main
		location f
		process 1 - 0 10 0 sums
		strand 0 1 0 10
		> main 1
		> f 1
		< 2
		< 1
	END
}

# numbers of calls only, as --detail=count leaves them
count_profile() {
	profile "${1:-count.rarog}" <<-'END'
		detail count
		binary /bin/app
		location alpha binary=0
		location beta binary=0
		process 1 - 0 10 0 counts
		strand 0 1 0 10
		> alpha 1
		repeat 3
		> beta 0
		< 1
		end
		< 1
	END
}

# expect_output: of the last run_rarog, is standard input
expect_output() {
	local expected

	expected=$(cat)
	[ "$output" = "$expected" ] || {
		diff -u <(printf '%s\n' "$expected") <(printf '%s\n' "$output") >&2
		fail "output differs"
	}
}

# prints ARGUMENT…: it works, and prints standard input
prints() {
	local expected

	expected=$(cat)
	works "$@"
	expect_output <<<"$expected"
}

# plain_shows OPTION…: so plain_profile is shown, below its heading
plain_shows() {
	local table

	table=$(cat)
	plain_profile plain.rarog
	prints show "$@" plain.rarog <<-END
		./bzip2 -k file
		2023-11-14 22:13:20 · 200.0 us · 2 threads · 29 calls of 6 functions
		Test CPU · 2 CPUs · commit 0123456789ab (changed)
		2 calls still open at the end, counted until then
		3 calls left by an exception or longjmp

		$table
	END
}
