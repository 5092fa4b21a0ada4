#!/usr/bin/env bats
# rarog show, on profiles of runs that never happened: what is printed is compared to the letter.

load ../helper
load ../profiles
export TZ=UTC

@test "functions by exclusive time" {
	plain_shows <<-'END'
		exclusive   share     total  calls      mean  10 ns … 100 us  function
		 40.18 us  60.5 %  40.18 us      8  5.023 us   █          ▃   memcpy
		 16.32 us  24.6 %  16.50 us     12  1.458 us  █    █  ██      mainSort
		 9.210 us  13.9 %  49.21 us      4  12.30 us           █   ▃  fallbackSort
		   500 ns  0.75 %    500 ns      1    500 ns        █         foo::bar(int)
		   115 ns  0.17 %  26.20 us      1  26.20 us              █   main
		    81 ns  0.12 %  25.58 us      3  8.527 us            █     compress
	END
}

@test "--width 80 leaves out the histogram" {
	plain_shows --width 80 <<-'END'
		exclusive   share     total  calls      mean  function
		 40.18 us  60.5 %  40.18 us      8  5.023 us  memcpy
		 16.32 us  24.6 %  16.50 us     12  1.458 us  mainSort
		 9.210 us  13.9 %  49.21 us      4  12.30 us  fallbackSort
		   500 ns  0.75 %    500 ns      1    500 ns  foo::bar(int)
		   115 ns  0.17 %  26.20 us      1  26.20 us  main
		    81 ns  0.12 %  25.58 us      3  8.527 us  compress
	END
}

@test "200 columns, lines" {
	plain_shows --width 200 -l <<-'END'
		exclusive   share     total  calls       min      mean       max  10 ns … 100 us  function       line
		 40.18 us  60.5 %  40.18 us      8     30 ns  5.023 us  20.00 us   █          ▃   memcpy
		 16.32 us  24.6 %  16.50 us     12     10 ns  1.458 us  4.080 us  █    █  ██      mainSort       blocksort.c:20
		 9.210 us  13.9 %  49.21 us      4  3.000 us  12.30 us  40.21 us           █   ▃  fallbackSort   blocksort.c:300
		   500 ns  0.75 %    500 ns      1    500 ns    500 ns    500 ns        █         foo::bar(int)
		   115 ns  0.17 %  26.20 us      1  26.20 us  26.20 us  26.20 us              █   main           bzip2.c:10
		    81 ns  0.12 %  25.58 us      3  8.527 us  8.527 us  8.527 us            █     compress       bzip2.c:100
	END
}

@test "--ascii writes no other characters" {
	plain_profile
	prints show --ascii --width 100 plain.rarog <<-'END'
		./bzip2 -k file
		2023-11-14 22:13:20, 200.0 us, 2 threads, 29 calls of 6 functions
		Test CPU, 2 CPUs, commit 0123456789ab (changed)
		2 calls still open at the end, counted until then
		3 calls left by an exception or longjmp

		exclusive   share     total  calls      mean  10 ns .. 100 us  function
		 40.18 us  60.5 %  40.18 us      8  5.023 us   @          -    memcpy
		 16.32 us  24.6 %  16.50 us     12  1.458 us  @    @  @@       mainSort
		 9.210 us  13.9 %  49.21 us      4  12.30 us           @   -   fallbackSort
		   500 ns  0.75 %    500 ns      1    500 ns        @          foo::bar(int)
		   115 ns  0.17 %  26.20 us      1  26.20 us              @    main
		    81 ns  0.12 %  25.58 us      3  8.527 us            @      compress
	END
}

@test "--sort orders the functions, and -n limits them" {
	plain_shows --sort count -n 2 <<-'END'
		exclusive   share     total  calls      mean  10 ns … 100 us  function
		 16.32 us  24.6 %  16.50 us     12  1.458 us  █    █  ██      mainSort
		 40.18 us  60.5 %  40.18 us      8  5.023 us   █          ▃   memcpy
		4 more functions with 14.9 % of the time; -n 0 shows all
	END
}

@test "--columns chooses columns" {
	plain_shows --columns calls,p50,p99,open,unwound,binary <<-'END'
		calls       p50       p99  function       binary          open  unwound
		    8     30 ns  20.00 us  memcpy         /lib/libc.so.6     0        0
		   12  1.430 us  4.080 us  mainSort       /usr/bin/bzip2     0        0
		    4  3.000 us  40.21 us  fallbackSort   /usr/bin/bzip2     0        3
		    1    500 ns    500 ns  foo::bar(int)  /usr/bin/bzip2     1        0
		    1  26.20 us  26.20 us  main           /usr/bin/bzip2     1        0
		    3  8.527 us  8.527 us  compress       /usr/bin/bzip2     0        0
	END
}

@test "--func takes a pattern" {
	plain_shows --func '/Sort/' <<-'END'
		exclusive   share     total  calls      mean  10 ns … 100 us  function
		 16.32 us  24.6 %  16.50 us     12  1.458 us  █    █  ██      mainSort
		 9.210 us  13.9 %  49.21 us      4  12.30 us           █   ▃  fallbackSort
	END
}

@test "--thread shows the calls of one thread" {
	plain_shows --thread 101 <<-'END'
		exclusive   share     total  calls      mean  function
		 40.00 us  99.5 %  40.00 us      2  20.00 us  memcpy
		   210 ns  0.52 %  40.21 us      1  40.21 us  fallbackSort
	END
}

@test "--by-binary sums functions of each binary" {
	plain_shows --by-binary <<-'END'
		exclusive   share     total  calls  functions  binary
		 40.18 us  60.5 %  40.18 us      8          1  /lib/libc.so.6
		 26.23 us  39.5 %  66.41 us     21          5  /usr/bin/bzip2
	END
}

@test "--by-thread sums functions of each thread" {
	plain_shows --by-thread <<-'END'
		exclusive   share     alive  calls  functions  process  thread  hottest function
		 40.21 us  60.6 %  85.00 us      3          2      100     101  memcpy
		 26.20 us  39.4 %  198.0 us     26          6      100     100  mainSort
	END
}

@test "csv of functions" {
	plain_profile
	prints show --csv plain.rarog <<-'END'
		exclusive_ns,share,cpu_ns,total_ns,count,min_ns,mean_ns,p50_ns,p99_ns,max_ns,name,mangled,binary,file,line,address,sum_ns,timed,open,unwound,cpu_total_ns,waited_ns,preempted_ns
		40180,0.605066,,40180,8,30,5023,30,20000,20000,memcpy,memcpy,/lib/libc.so.6,,,4352,40180,8,0,0,,,
		16320,0.245761,,16500,12,10,1458,1430,4080,4080,mainSort,mainSort,/usr/bin/bzip2,/src/blocksort.c,20,4224,17490,12,0,0,,,
		9210,0.138692,,49210,4,3000,12303,3000,40210,40210,fallbackSort,fallbackSort,/usr/bin/bzip2,/src/blocksort.c,300,4288,49210,4,0,3,,,
		500,0.007529,,500,1,500,500,500,500,500,foo::bar(int),_ZN3foo3barEi,/usr/bin/bzip2,,,4416,500,1,1,0,,,
		115,0.001732,,26196,1,26196,26196,26196,26196,26196,main,main,/usr/bin/bzip2,/src/bzip2.c,10,4096,26196,1,1,0,,,
		81,0.001220,,25581,3,8527,8527,8527,8527,8527,compress,compress,/usr/bin/bzip2,/src/bzip2.c,100,4160,25581,3,0,0,,,
	END
}

@test "--columns takes each name that CSV has" {
	local names name

	plain_profile
	works show --csv plain.rarog
	names=$(head -n 1 <<<"$output")
	for name in ${names//,/ }; do
		works show --columns "$name" --csv plain.rarog
	done
	works show --columns mangled,file,address --width 0 plain.rarog
	[[ $output =~ foo::bar\(int\)\ +_ZN3foo3barEi\ +4416 ]] || fail "$output"
}

@test "the help of --columns names each column of functions" {
	local help name names

	plain_profile
	help=$(rarog show --help | tr '\n' ' ' | sed 's/.*--columns LIST//; s/by width.*//')
	run_rarog show --columns qqqqqqqqqqqq plain.rarog
	names=${errors#*there are: }
	[[ $names == exclusive* ]] || fail "$errors"
	for name in $names; do
		[[ $name == function || $help =~ [:\ ]"$name"[,\ ] ]] || fail "$name is not in: $help"
	done
}

@test "inlined functions are answered" {
	plain_profile
	prints show --func swap plain.rarog <<<"swap: no calls of its own; inlined into mainSort (blocksort.c:222)"
	prints show --callers both plain.rarog <<-'END'
		no calls of their own:
		function  inlined into  at
		both      mainSort      blocksort.c:230
		both      compress      bzip2.c:110
	END
	run_rarog show --func swap --json plain.rarog
	python3 - "$output" <<-'END'
		import json, sys
		assert json.loads(sys.argv[1])["inlined"] == [{"name": "swap", "into": "mainSort",
		    "into_binary": "/usr/bin/bzip2", "file": "/src/blocksort.c", "line": 222}]
	END
}

@test "a function that could not be traced is told with the reason that probes has" {
	printf 'void never(void) {}\nint main(void) { return 0; }\n' >small.c
	gcc -O0 -g -o small small.c
	rarog -q collect -o small.rarog -- ./small
	reason=$(rarog probes --func _start --csv small | python3 -c '
import csv, sys
[row] = csv.DictReader(sys.stdin)
print(next(v for k, v in row.items() if "run-time" in v))')
	prints show --func _start small.rarog <<<"_start: not traced, since it $reason"
	prints show --func never small.rarog <<<"never: never called in this run"
	# another binary of that name says nothing
	gcc -O1 -g -o small small.c
	prints show --func _start small.rarog <<<"_start: never called in this run"
}

@test "versions of a symbol are told apart, also where nothing is known of their lines" {
	printf '__attribute__((noinline)) int f1(int n) { return n + 1; }\n__attribute__((noinline)) int f2(int n) { return n + 2; }\n__asm__(".symver f1,f@V1"); __asm__(".symver f2,f@@V2");\n' >versions.c
	printf 'V1 { f; };\nV2 { f; } V1;\n' >versions.map
	gcc -O0 -shared -fPIC -Wl,--version-script=versions.map -o libversions.so versions.c
	printf '#include <dlfcn.h>\nint main(void) { void *l = dlopen("./libversions.so", RTLD_NOW); int (*a)(int) = dlvsym(l, "f", "V1"), (*b)(int) = dlvsym(l, "f", "V2"), s = 0; for (int i = 0; i < 3; i++) s += a(i); for (int i = 0; i < 5; i++) s += b(i); return s != 26; }\n' >load.c
	gcc -D_GNU_SOURCE -O0 -o load load.c -ldl
	rarog -q collect --libs --func f -o load.rarog -- ./load
	at() { nm -D libversions.so | sed -n "s/^0*\([0-9a-f]*\) T $1\$/\1/p"; }
	works show load.rarog
	grep -q " 3 .* f \[libversions.so 0x$(at f@V1)\]" <<<"$output" || fail "$output $(nm -D libversions.so)"
	grep -q " 5 .* f \[libversions.so 0x$(at f@@V2)\]" <<<"$output" || fail "$output $(nm -D libversions.so)"
}

@test "wrong options of show are refused with one line" {
	plain_profile
	says 2 "rarog show: which profile? give its file, or run rarog init to have them kept" show
	says 2 "rarog show: --tree and --replay do not go together" show --tree --replay plain.rarog
	exits 2 show --json --csv plain.rarog
	says 2 "rarog show: no column 'mena'; did you mean mean?" show --columns mena plain.rarog
	exits 2 show --tree --thread 100 plain.rarog
	exits 2 show --tree --min-share 200% plain.rarog
	exits 2 show --func '/(/' plain.rarog
	says 3 "rarog show: no thread 7 in plain.rarog; rarog show --by-thread lists them" show --thread 7 plain.rarog
	exits 2 show --replay --from 5ms --to 1ms plain.rarog
}

@test "colour only when asked for, and never in files" {
	plain_profile
	run_rarog show plain.rarog
	[[ $output != *$'\x1b'* ]]
	for view in "" --tree --replay; do
		run_rarog show --color=always $view plain.rarog
		[[ $output == *$'\x1b['* ]]
		run_rarog show --color=always $view plain.rarog -o out
		! grep -q $'\x1b' out
	done
}

@test "a terminal without UTF-8 gets ASCII" {
	hostile_profile
	for view in "" --tree --replay; do
		LC_ALL=C works show $view --width 80 hostile.rarog
		! LC_ALL=C grep -q '[^ -~]' <<<"$output"
	done
}

@test "--func may be given several times: what any of them matches" {
	plain_profile
	works show -f main -f fallbackSort plain.rarog --json
	[ "$(jq -r '.functions[].name' <<<"$output" | sort | tr '\n' ' ')" = "fallbackSort main " ] || fail "$output"
	exits 3 show -f nosuch -f neither plain.rarog
	[[ $errors == *"no function 'nosuch, neither'"* ]] || fail "$errors"
}

@test "plug-ins of one source, and copies of one, are told apart" {
	profile plug-ins.rarog <<-'END'
		binary /a/one.so
		binary /b/one.so
		binary /a/two.so
		location run1 demangled=run binary=0 file=/s/plug.c line=3
		location run2 demangled=run binary=1 file=/s/plug.c line=3
		location run3 demangled=run binary=2 file=/s/plug.c line=3
		location run4 demangled=run binary=2 file=/s/plug.c line=9
		process 1 - 0 1000 0 "./host"
		strand 0 1 0 1000
		> run1 10
		< 40
		> run2 10
		< 30
		> run3 10
		< 20
		> run4 10
		< 10
	END
	works show plug-ins.rarog
	[ "$(grep -o 'run .*' <<<"$output")" = "run [a/one.so plug.c:3]
run [b/one.so plug.c:3]
run [two.so plug.c:3]
run [plug.c:9]" ] || fail "$output"
}

@test "where others kept the machine busy functions are sorted by processor time, which is said" {
	profile busy.rarog <<-'END'
		header {"conditions":{"noisy":["load"]}}
		location works
		location waits
		process 1 - 0 10000 0 "./busy"
		strand 0 1 0 10000
		> works 10
		away 0 300
		< 1000
		> waits 10
		away 5000
		< 5100
	END
	order() { grep -o 'works$\|waits$' <<<"$output" | xargs; }
	works show busy.rarog
	[[ $output == *"not quiet (load)"*"sorted by processor time (--sort exclusive: by wall time)"* ]] || fail "$output"
	[ "$(order)" = "works waits" ] || fail "$output"
	works show --sort exclusive busy.rarog
	[[ $output == *"; --sort cpu goes by processor time"* && $(order) == "waits works" ]] || fail "$output"
	works show --tree busy.rarog
	[[ $output == *"; --sort cpu goes by processor time"* ]] || fail "$output"
}
