#!/usr/bin/env bats
# rarog show: callers and callees, on profiles of runs that never happened: what is printed is compared to the letter.

load ../helper
load ../profiles
export TZ=UTC

@test "--tree shows which function called which" {
	plain_shows --tree <<-'END'
		   total   share  exclusive  calls  call tree
		40.21 us  60.6 %     210 ns      1  fallbackSort
		40.00 us  60.2 %   40.00 us      2  └─ memcpy
		26.20 us  39.4 %     115 ns      1  main
		25.58 us  38.5 %      81 ns      3  └─ compress
		16.50 us  24.8 %   15.36 us      6     ├─ mainSort
		  960 ns  1.45 %     930 ns      3     │  └─ mainSort
		9.000 us  13.6 %   9.000 us      3     └─ fallbackSort
		3 branches below 1 % not shown; --min-share 0 does
	END
}

@test "call tree in ASCII, with lines, all of it" {
	plain_profile
	prints show --tree --ascii -l --min-share 0 plain.rarog <<-'END'
		./bzip2 -k file
		2023-11-14 22:13:20, 200.0 us, 2 threads, 29 calls of 6 functions
		Test CPU, 2 CPUs, commit 0123456789ab (changed)
		2 calls still open at the end, counted until then
		3 calls left by an exception or longjmp

		   total   share  exclusive  calls  call tree
		40.21 us  60.6 %     210 ns      1  fallbackSort  blocksort.c:300
		40.00 us  60.2 %   40.00 us      2  `- memcpy
		26.20 us  39.4 %     115 ns      1  main  bzip2.c:10
		25.58 us  38.5 %      81 ns      3  |- compress  bzip2.c:100
		16.50 us  24.8 %   15.36 us      6  |  |- mainSort  blocksort.c:20
		  960 ns  1.45 %     930 ns      3  |  |  |- mainSort  blocksort.c:20
		   30 ns  0.05 %      30 ns      3  |  |  |  `- mainSort  blocksort.c:20
		  180 ns  0.27 %     180 ns      6  |  |  `- memcpy
		9.000 us  13.6 %   9.000 us      3  |  `- fallbackSort  blocksort.c:300
		  500 ns  0.75 %     500 ns      1  `- foo::bar(int)
	END
}

@test "call tree of one function, two levels, recursion folded" {
	plain_shows --tree --func compress --depth 2 --fold-recursion <<-'END'
		   total   share  exclusive  calls  call tree
		25.58 us  38.5 %      81 ns      3  compress
		16.50 us  24.8 %   16.32 us     12  ├─ mainSort
		9.000 us  13.6 %   9.000 us      3  └─ fallbackSort
		1 branch below 1 % not shown; --min-share 0 does
	END
}

@test "callers, right under recursion" {
	plain_shows --callers mainSort <<-'END'
		mainSort: 12 calls, 16.50 us total, 16.32 us exclusive

		   total    share  calls      mean  caller
		16.50 us  100.0 %      6  2.750 us  compress
		  960 ns   5.82 %      6    160 ns  mainSort
	END
}

@test "--callees shows what a function called" {
	plain_shows --callees compress <<-'END'
		compress: 3 calls, 25.58 us total, 81 ns exclusive

		   total   share  calls      mean  callee
		16.50 us  64.5 %      6  2.750 us  mainSort
		9.000 us  35.2 %      3  3.000 us  fallbackSort
	END
}

@test "--callees counts a recursive function as its own callee" {
	plain_shows --callees mainSort <<-'END'
		mainSort: 12 calls, 16.50 us total, 16.32 us exclusive

		 total   share  calls    mean  callee
		960 ns  5.82 %      6  160 ns  mainSort
		180 ns  1.09 %      6   30 ns  memcpy
	END
}

@test "--tree --csv has a row for each context" {
	plain_profile
	prints show --tree --csv plain.rarog <<-'END'
		id,parent,depth,inclusive_ns,share,exclusive_ns,count,name,mangled,binary,file,line,cpu_ns,waited_ns,preempted_ns,inclusive_cpu_ns
		1,,1,40210,0.605518,210,1,fallbackSort,fallbackSort,/usr/bin/bzip2,/src/blocksort.c,300,,,,
		2,1,2,40000,0.602355,40000,2,memcpy,memcpy,/lib/libc.so.6,,,,,,
		3,,1,26196,0.394482,115,1,main,main,/usr/bin/bzip2,/src/bzip2.c,10,,,,
		4,3,2,25581,0.385221,81,3,compress,compress,/usr/bin/bzip2,/src/bzip2.c,100,,,,
		5,4,3,16500,0.248472,15360,6,mainSort,mainSort,/usr/bin/bzip2,/src/blocksort.c,20,,,,
		6,5,4,960,0.014457,930,3,mainSort,mainSort,/usr/bin/bzip2,/src/blocksort.c,20,,,,
		7,6,5,30,0.000452,30,3,mainSort,mainSort,/usr/bin/bzip2,/src/blocksort.c,20,,,,
		8,5,4,180,0.002711,180,6,memcpy,memcpy,/lib/libc.so.6,,,,,,
		9,4,3,9000,0.135530,9000,3,fallbackSort,fallbackSort,/usr/bin/bzip2,/src/blocksort.c,300,,,,
		10,3,2,500,0.007529,500,1,foo::bar(int),_ZN3foo3barEi,/usr/bin/bzip2,,,,,,
	END
}

@test "CPU time of contexts, binaries and threads" {
	cpu_profile
	prints show --tree --width 85 --min-share 0 cpu.rarog <<-'END'
		./a
		2023-11-14 22:13:20 · 5.000 ms · 2 threads · 6 calls of 4 functions

		   total   share  exclusive       cpu  calls  call tree
		1.000 ms  84.6 %   1.000 ms  100.0 us      1  nap
		182.3 us  15.4 %   2.010 us  2.000 us      1  main
		100.3 us  8.49 %      20 ns     15 ns      1  ├─ again
		100.3 us  8.48 %     310 ns    160 ns      1  │  └─ again
		100.0 us  8.46 %   100.0 us  99.60 us      1  │     └─ spin
		80.00 us  6.77 %   80.00 us  15.00 us      1  └─ nap
	END
	rarog show --json cpu.rarog >functions
	rarog show --tree --json cpu.rarog >tree
	rarog show --tree --json --fold-recursion cpu.rarog >folded
	rarog show --by-binary --json cpu.rarog >binaries
	rarog show --by-thread --json cpu.rarog >threads
	python3 - <<-'END'
		import collections, json
		keys = ["exclusive_ns", "cpu_ns", "waited_ns", "preempted_ns"]
		functions = json.load(open("functions"))["functions"]
		want = {f["name"]: [f[k] for k in keys] for f in functions}
		whole = [sum(v) for v in zip(*want.values())]
		for name in ("tree", "folded"):
		    nodes, got = json.load(open(name))["nodes"], collections.defaultdict(lambda: [0] * 4)
		    for n in nodes:
		        got[n["name"]] = [a + n[k] for a, k in zip(got[n["name"]], keys)]
		        below = sum(c["inclusive_cpu_ns"] for c in nodes if c["parent"] == n["id"])
		        assert n["inclusive_cpu_ns"] == n["cpu_ns"] + below, n
		    assert got == want, (name, got, want)
		for name in ("binaries", "threads"):
		    rows = json.load(open(name))[name]
		    assert [sum(r[k] for r in rows) for k in keys] == whole, rows
		assert {r["thread"]: r["cpu_ns"] for r in rows} == {8: 100000, 7: 116775}, rows
	END
	plain_profile
	says 3 "rarog show: plain.rarog has no CPU times to sort by; see rarog doctor" show --sort cpu plain.rarog
}

@test "hostile names in a tree" {
	hostile_profile
	prints show --tree --width 100 hostile.rarog <<-'END'
		pro\x1bgram "x"
		2023-11-14 22:13:20 · 100.0 us · 10 calls of 10 functions

		 total    share  exclusive  calls  call tree
		262 ns  100.0 %      20 ns      1  sp ace;semi
		242 ns   92.4 %      20 ns      1  └─ quo"te\back
		222 ns   84.7 %      20 ns      1     └─ ctl\x1b[31mred\x07\x0anewline
		202 ns   77.1 %      20 ns      1        └─ bad\xff\xfeutf8
		182 ns   69.5 %      20 ns      1           └─ über::größe
		162 ns   61.8 %      20 ns      1              └─ bidi\u{202e}override
		142 ns   54.2 %      20 ns      1                 └─ =cmd|calc,comma
		122 ns   46.6 %      21 ns      1                    └─ same
		100 ns   38.2 %     100 ns      1                       └─ std::map<…>::at
		1 branch below 1 % not shown; --min-share 0 does
	END
}
