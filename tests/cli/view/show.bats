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

@test "--tree shows who called what" {
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

@test "--replay shows all calls in their order" {
	plain_shows --replay <<-'END'
		       seconds   thread    duration │ call
		   0.000001010      100             │ main() {
		   0.000001015      100             │   compress() {
		   0.000001022      100             │     mainSort() {
		   0.000001032      100       30 ns │       memcpy();
		   0.000001072      100       30 ns │       memcpy();
		   0.000005010      101             │ fallbackSort() {
		   0.000005102      100    4.080 us │     } /* mainSort */
		   0.000005109      100             │     mainSort() {
		   0.000005110      101             │   memcpy() {
		   0.000006109      100             │       mainSort() {
		   0.000006119      100       10 ns │         mainSort();
		   0.000006429      100      320 ns │       } /* mainSort */
		   0.000006529      100    1.420 us │     } /* mainSort */
		   0.000006530      100    3.000 us │     fallbackSort();  /* left by an exception or longjmp */
		   0.000009542      100    8.527 us │   } /* compress */
		   0.000009547      100             │   compress() {
		   0.000009554      100             │     mainSort() {
		   0.000009564      100       30 ns │       memcpy();
		   0.000009604      100       30 ns │       memcpy();
		   0.000013634      100    4.080 us │     } /* mainSort */
		   0.000013641      100             │     mainSort() {
		   0.000014641      100             │       mainSort() {
		   0.000014651      100       10 ns │         mainSort();
		   0.000014961      100      320 ns │       } /* mainSort */
		   0.000015061      100    1.420 us │     } /* mainSort */
		   0.000015062      100    3.000 us │     fallbackSort();  /* left by an exception or longjmp */
		   0.000018074      100    8.527 us │   } /* compress */
		   0.000018079      100             │   compress() {
		   0.000018086      100             │     mainSort() {
		   0.000018096      100       30 ns │       memcpy();
		   0.000018136      100       30 ns │       memcpy();
		   0.000022166      100    4.080 us │     } /* mainSort */
		   0.000022173      100             │     mainSort() {
		   0.000023173      100             │       mainSort() {
		   0.000023183      100       10 ns │         mainSort();
		   0.000023493      100      320 ns │       } /* mainSort */
		   0.000023593      100    1.420 us │     } /* mainSort */
		   0.000023594      100             │     fallbackSort() {
		   0.000025110      101    20.00 us │   } /* memcpy */
		   0.000025210      101             │   memcpy() {
		   0.000026594      100    3.000 us │     } /* fallbackSort */  /* left by an exception or longjmp */
		   0.000026606      100    8.527 us │   } /* compress */
		   0.000026706      100      500 ns │   foo::bar(int);  /* still open at the end */
		   0.000027206      100    26.20 us │ } /* main */  /* still open at the end */
		   0.000045210      101    20.00 us │   } /* memcpy */
		   0.000045220      101    40.21 us │ } /* fallbackSort */
	END
}

@test "--replay --depth hides what is deeper" {
	plain_shows --replay --depth 2 --thread 100 <<-'END'
		       seconds   thread    duration │ call
		   0.000001010      100             │ main() {
		   0.000001015      100    8.527 us │   compress();
		   0.000009547      100    8.527 us │   compress();
		   0.000018079      100    8.527 us │   compress();
		   0.000026706      100      500 ns │   foo::bar(int);  /* still open at the end */
		   0.000027206      100    26.20 us │ } /* main */  /* still open at the end */
	END
}

@test "replay: long calls with what called them" {
	plain_shows --replay --min-time 4us <<-'END'
		       seconds   thread    duration │ call
		   0.000001010      100             │ main() {
		   0.000001015      100             │   compress() {
		   0.000001022      100    4.080 us │     mainSort();
		   0.000009542      100    8.527 us │   } /* compress */
		   0.000009547      100             │   compress() {
		   0.000009554      100    4.080 us │     mainSort();
		   0.000018074      100    8.527 us │   } /* compress */
		   0.000018079      100             │   compress() {
		   0.000018086      100    4.080 us │     mainSort();
		   0.000005010      101             │ fallbackSort() {
		   0.000005110      101    20.00 us │   memcpy();
		   0.000026606      100    8.527 us │   } /* compress */
		   0.000027206      100    26.20 us │ } /* main */  /* still open at the end */
		   0.000025210      101    20.00 us │   memcpy();
		   0.000045220      101    40.21 us │ } /* fallbackSort */
	END
}

@test "replay: one function and what is below" {
	plain_shows --replay --func mainSort --depth 2 <<-'END'
		       seconds   thread    duration │ call
		   0.000001022      100             │ mainSort() {
		   0.000001032      100       30 ns │   memcpy();
		   0.000001072      100       30 ns │   memcpy();
		   0.000005102      100    4.080 us │ } /* mainSort */
		   0.000005109      100             │ mainSort() {
		   0.000006109      100      320 ns │   mainSort();
		   0.000006529      100    1.420 us │ } /* mainSort */
		   0.000009554      100             │ mainSort() {
		   0.000009564      100       30 ns │   memcpy();
		   0.000009604      100       30 ns │   memcpy();
		   0.000013634      100    4.080 us │ } /* mainSort */
		   0.000013641      100             │ mainSort() {
		   0.000014641      100      320 ns │   mainSort();
		   0.000015061      100    1.420 us │ } /* mainSort */
		   0.000018086      100             │ mainSort() {
		   0.000018096      100       30 ns │   memcpy();
		   0.000018136      100       30 ns │   memcpy();
		   0.000022166      100    4.080 us │ } /* mainSort */
		   0.000022173      100             │ mainSort() {
		   0.000023173      100      320 ns │   mainSort();
		   0.000023593      100    1.420 us │ } /* mainSort */
	END
}

@test "replay: a range of time" {
	plain_shows --replay --from 9us --to 14us <<-'END'
		       seconds   thread    duration │ call
		   0.000001010      100             │ main() {
		   0.000001015      100             │   compress() {
		   0.000006530      100    3.000 us │     fallbackSort();  /* left by an exception or longjmp */
		   0.000009542      100    8.527 us │   } /* compress */
		   0.000009547      100             │   compress() {
		   0.000009554      100             │     mainSort() {
		   0.000009564      100       30 ns │       memcpy();
		   0.000009604      100       30 ns │       memcpy();
		   0.000013634      100    4.080 us │     } /* mainSort */
		   0.000014000      100             │   } /* compress */  /* goes on */
		   0.000014000      100             │ } /* main */  /* goes on */
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

@test "--replay --csv has a row for each call" {
	plain_profile
	prints show --replay --csv --func compress plain.rarog <<-'END'
		process,thread,start_ns,duration_ns,exclusive_ns,depth,end,name,mangled,binary,file,line
		100,100,1032,30,30,3,returned,memcpy,memcpy,/lib/libc.so.6,,
		100,100,1072,30,30,3,returned,memcpy,memcpy,/lib/libc.so.6,,
		100,100,1022,4080,4020,2,returned,mainSort,mainSort,/usr/bin/bzip2,/src/blocksort.c,20
		100,100,6119,10,10,4,returned,mainSort,mainSort,/usr/bin/bzip2,/src/blocksort.c,20
		100,100,6109,320,310,3,returned,mainSort,mainSort,/usr/bin/bzip2,/src/blocksort.c,20
		100,100,5109,1420,1100,2,returned,mainSort,mainSort,/usr/bin/bzip2,/src/blocksort.c,20
		100,100,6530,3000,3000,2,unwound,fallbackSort,fallbackSort,/usr/bin/bzip2,/src/blocksort.c,300
		100,100,1015,8527,27,1,returned,compress,compress,/usr/bin/bzip2,/src/bzip2.c,100
		100,100,9564,30,30,3,returned,memcpy,memcpy,/lib/libc.so.6,,
		100,100,9604,30,30,3,returned,memcpy,memcpy,/lib/libc.so.6,,
		100,100,9554,4080,4020,2,returned,mainSort,mainSort,/usr/bin/bzip2,/src/blocksort.c,20
		100,100,14651,10,10,4,returned,mainSort,mainSort,/usr/bin/bzip2,/src/blocksort.c,20
		100,100,14641,320,310,3,returned,mainSort,mainSort,/usr/bin/bzip2,/src/blocksort.c,20
		100,100,13641,1420,1100,2,returned,mainSort,mainSort,/usr/bin/bzip2,/src/blocksort.c,20
		100,100,15062,3000,3000,2,unwound,fallbackSort,fallbackSort,/usr/bin/bzip2,/src/blocksort.c,300
		100,100,9547,8527,27,1,returned,compress,compress,/usr/bin/bzip2,/src/bzip2.c,100
		100,100,18096,30,30,3,returned,memcpy,memcpy,/lib/libc.so.6,,
		100,100,18136,30,30,3,returned,memcpy,memcpy,/lib/libc.so.6,,
		100,100,18086,4080,4020,2,returned,mainSort,mainSort,/usr/bin/bzip2,/src/blocksort.c,20
		100,100,23183,10,10,4,returned,mainSort,mainSort,/usr/bin/bzip2,/src/blocksort.c,20
		100,100,23173,320,310,3,returned,mainSort,mainSort,/usr/bin/bzip2,/src/blocksort.c,20
		100,100,22173,1420,1100,2,returned,mainSort,mainSort,/usr/bin/bzip2,/src/blocksort.c,20
		100,100,23594,3000,3000,2,unwound,fallbackSort,fallbackSort,/usr/bin/bzip2,/src/blocksort.c,300
		100,100,18079,8527,27,1,returned,compress,compress,/usr/bin/bzip2,/src/bzip2.c,100
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

@test "processes, losses" {
	processes_profile
	prints show processes.rarog <<-'END'
		parent --flag
		2023-11-14 22:13:20 · 3.478 ms · 2 processes · 3 threads · 9 calls of 3 functions
		LOST: 12 events; counts and times below are too low; leave out what is called most (--exclude)

		exclusive   share     total  calls      mean  100 ns … 10 ms  function
		 1.522 ms  99.8 %  1.522 ms      7  217.5 us  ▂▂        █     work
		 2.207 us  0.14 %  1.524 ms      1  1.524 ms              █   main
		   145 ns  0.01 %    290 ns      1    290 ns   █              child
	END
}

@test "replay merges threads by time and shows the gap" {
	processes_profile
	prints show --replay processes.rarog <<-'END'
		parent --flag
		2023-11-14 22:13:20 · 3.478 ms · 2 processes · 3 threads · 9 calls of 3 functions
		LOST: 12 events; counts and times below are too low; leave out what is called most (--exclude)

		       seconds   thread    duration │ call
		   0.000000043       10             │ main() {
		   0.000000478       10    304.3 us │   work();
		   0.000305261       10             │   work() {
		   0.000434784       12      435 ns │ work();
		   0.000435436       12             │ LOST: 12 events are missing here
		   0.000609610       10    304.3 us │   } /* work */
		   0.000610044       10             │   work() {
		   0.000869566       11             │ child() {
		   0.000869710       11      145 ns │   work();
		   0.000869856       11      290 ns │ } /* child */
		   0.000914393       10    304.3 us │   } /* work */
		   0.000914827       10    304.3 us │   work();
		   0.001219610       10    304.3 us │   work();
		   0.001523992       10    1.524 ms │ } /* main */
	END
}

@test "hostile names do no harm" {
	hostile_profile
	prints show --width 100 hostile.rarog <<-'END'
		pro\x1bgram "x"
		2023-11-14 22:13:20 · 100.0 us · 10 calls of 10 functions

		exclusive   share   total  calls    mean  1 ns … 1 us    function
		   100 ns  38.2 %  100 ns      1  100 ns            █    std::map<…>::at
		    21 ns  8.02 %  122 ns      1  122 ns            █    same [x.c:1]
		    20 ns  7.63 %  142 ns      1  142 ns            █    =cmd|calc,comma
		    20 ns  7.63 %  202 ns      1  202 ns             █   bad\xff\xfeutf8
		    20 ns  7.63 %  162 ns      1  162 ns             █   bidi\u{202e}override
		    20 ns  7.63 %  222 ns      1  222 ns             █   ctl\x1b[31mred\x07\x0anewline
		    20 ns  7.63 %  242 ns      1  242 ns             █   quo"te\back
		    20 ns  7.63 %  262 ns      1  262 ns              █  sp ace;semi
		    20 ns  7.63 %  182 ns      1  182 ns             █   über::größe
		     1 ns  0.38 %    1 ns      1    1 ns  █              same [y.c:7]
	END
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

@test "hostile names in a replay" {
	hostile_profile
	prints show --replay --width 100 hostile.rarog <<-'END'
		pro\x1bgram "x"
		2023-11-14 22:13:20 · 100.0 us · 10 calls of 10 functions

		       seconds    duration │ call
		   0.000000000             │ sp ace;semi() {
		   0.000000010             │   quo"te\back() {
		   0.000000020             │     ctl\x1b[31mred\x07\x0anewline() {
		   0.000000030             │       bad\xff\xfeutf8() {
		   0.000000040             │         über::größe() {
		   0.000000050             │           bidi\u{202e}override() {
		   0.000000060             │             =cmd|calc,comma() {
		   0.000000070             │               same() {
		   0.000000071        1 ns │                 same();
		   0.000000082      100 ns │                 std::map<std::vector<int, s…ator<int> >, int>::at(int);
		   0.000000192      122 ns │               } /* same */
		   0.000000202      142 ns │             } /* =cmd|calc,comma */
		   0.000000212      162 ns │           } /* bidi\u{202e}override */
		   0.000000222      182 ns │         } /* über::größe */
		   0.000000232      202 ns │       } /* bad\xff\xfeutf8 */
		   0.000000242      222 ns │     } /* ctl\x1b[31mred\x07\x0anewline */
		   0.000000252      242 ns │   } /* quo"te\back */
		   0.000000262      262 ns │ } /* sp ace;semi */
	END
}

@test "a profile without calls says so" {
	empty_profile
	prints show empty.rarog <<-'END'
		true
		2023-11-14 22:13:20 · 10 ns · 0 calls of 0 functions

		no function was called
	END
}

@test "replay of no calls" {
	empty_profile
	prints show --replay empty.rarog <<-'END'
		true
		2023-11-14 22:13:20 · 10 ns · 0 calls of 0 functions

		       seconds    duration │ call
		no calls
	END
}

@test "one call is shown in the singular" {
	one_profile
	prints show one.rarog <<-'END'
		one
		2023-11-14 22:13:20 · 10 ns · 1 call of 1 function

		exclusive    share  total  calls  mean  1 ns … 10 ns  function
		     4 ns  100.0 %   4 ns      1  4 ns           █    only
	END
}

@test "a profile of sums has a tree without single calls" {
	summary_profile
	prints show --tree summary.rarog <<-'END'
		sums
		2023-11-14 22:13:20 · 10 ns · 2 calls of 2 functions

		total    share  exclusive  calls  call tree
		 4 ns  100.0 %       2 ns      1  main
		 2 ns   50.0 %       2 ns      1  └─ f
	END
}

@test "JSON: the functions have the documented members and the profile's numbers" {
	plain_profile
	works show --json plain.rarog
	python3 - "$output" <<-'END'
		import json, sys
		doc = json.loads(sys.argv[1])
		assert doc["profile"] == "plain.rarog" and doc["losses"] == 0 and doc["calls"] == 29
		assert doc["header"]["collector"] == "trace" and doc["is_partial"] is False
		f = {f["name"]: f for f in doc["functions"]}
		assert list(doc["functions"][0]) == ["exclusive_ns", "share", "cpu_ns", "total_ns", "count", "min_ns", "mean_ns",
		    "p50_ns", "p99_ns", "max_ns", "name", "mangled", "binary", "file", "line", "address", "sum_ns",
		    "timed", "open", "unwound", "cpu_total_ns", "waited_ns", "preempted_ns"]
		assert [f["name"] for f in doc["functions"]] == ["memcpy", "mainSort", "fallbackSort", "foo::bar(int)",
		                                                 "main", "compress"]
		m = f["mainSort"]
		assert (m["count"], m["exclusive_ns"], m["total_ns"], m["sum_ns"]) == (12, 16320, 16500, 17490)
		assert (m["min_ns"], m["mean_ns"], m["max_ns"]) == (10, 1458, 4080)
		assert (m["binary"], m["file"], m["line"]) == ("/usr/bin/bzip2", "/src/blocksort.c", 20)
		assert f["foo::bar(int)"]["mangled"] == "_ZN3foo3barEi" and f["foo::bar(int)"]["file"] is None
		assert f["fallbackSort"]["unwound"] == 3 and f["main"]["open"] == 1
		assert abs(sum(f["share"] for f in doc["functions"]) - 1) < 1e-12
	END
}

@test "JSON: every view is one valid object" {
	processes_profile
	hostile_profile
	for profile in processes hostile; do
		for view in --tree --replay --by-binary --by-thread "--callers w*" "--callees main" "--callers same"; do
			status=0
			"$RAROG" show --json $view $profile.rarog >out 2>errors.txt || status=$?
			if [ $status -eq 0 ]; then
				python3 -m json.tool out >/dev/null
			else
				grep -q "no function" errors.txt
				[ ! -s out ]
			fi
		done
	done
}

@test "JSON: losses and nodes" {
	processes_profile
	run_rarog show --tree --json processes.rarog
	python3 - "$output" <<-'END'
		import json, sys
		doc = json.loads(sys.argv[1])
		assert doc["losses"] == 12 and doc["loss_list"] == [{"what": "events", "count": 12}]
		nodes = {n["id"]: n for n in doc["nodes"]}
		for n in nodes.values():
		    inside = sum(c["inclusive_ns"] for c in nodes.values() if c["parent"] == n["id"])
		    assert abs(n["inclusive_ns"] - n["exclusive_ns"] - inside) <= 3, n
		assert {(n["name"], n["count"]) for n in nodes.values()} == {("main", 1), ("work", 5), ("work", 1), ("child", 1)}
	END
}

@test "a replay in CSV has the calls of the profile" {
	plain_profile
	run_rarog show --json plain.rarog
	printf '%s\n' "$output" >show.json
	works show --replay --csv plain.rarog -o out
	sed -i '1s/,name,/,function,/' out
	"$check_export" csv out show.json
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

@test "a function that was never called, and one that does not exist" {
	plain_profile
	prints show --func never plain.rarog <<<"never: never called in this run"
	for view in "--func" "--replay --func" "--tree --func" --callers --callees; do
		says 3 "rarog show: no function 'manSort' in plain.rarog; did you mean mainSort?" show $view manSort plain.rarog
		[ -z "$output" ]
	done
}

@test "sums only: a replay says how to get calls" {
	summary_profile
	says 3 "rarog show: summary.rarog has no calls to replay, only their sums; collect with --detail=calls" \
		show --replay summary.rarog
	[ -z "$output" ]
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

@test "no profile, and a profile that was cut off" {
	exits 3 show missing.rarog
	echo "not one" >text
	exits 3 show text
	[[ $errors == *text* ]]
	deep_profile deep.rarog 20000
	# wherever: it is said; between the calls and the sums, these are made anew
	rebuilt=
	for percent in $(seq 5 5 95); do
		head -c $(($(stat -c %s deep.rarog) * percent / 100)) deep.rarog >cut.rarog
		run_rarog show cut.rarog
		[ "$status" -eq 3 ] || [[ $output == *"CUT OFF: the end of the file is missing; "* ]] || fail "$percent %: $output"
		[[ $output != *"recovered: sums rebuilt from 20,000 calls"* ]] || rebuilt=$percent
	done
	[ -n "$rebuilt" ]
}

@test "recursion of 100,000 calls, in every view" {
	deep_profile deep.rarog 100000
	works show --tree --fold-recursion deep.rarog
	[[ $output == *"100,000  f" ]]
	run_rarog show --tree deep.rarog
	[[ $output == *"1 branch deeper than 64 levels not shown; --depth 0 does" ]]
	works show --callers f deep.rarog
	[[ $output == *"f: 100,000 calls, 200.0 us total, 200.0 us exclusive"* ]]
	[ "$(rarog show --replay deep.rarog | grep -c '│ .*f')" -eq 199999 ]
	[ "$(rarog show --tree --json deep.rarog | grep -c '"id"')" -eq 100000 ]
	[ "$(rarog show --tree --depth 0 --min-share 0 deep.rarog | wc -l)" -eq 100004 ]
}

@test "a full disk is an error, a reader that goes away is not" {
	plain_profile
	deep_profile deep.rarog 50000
	for view in "" --tree --replay --json "--replay --csv"; do
		status=0
		"$RAROG" show $view plain.rarog >/dev/full 2>errors.txt || status=$?
		[ $status -eq 3 ]
		grep -q "No space left on device" errors.txt
		"$RAROG" show $view deep.rarog 2>errors.txt | head -1 >/dev/null
		(trap '' PIPE; "$RAROG" show $view deep.rarog 2>>errors.txt; echo $? >status) | head -c 10 >/dev/null
		[ "$(cat status)" = 0 ]
		[ ! -s errors.txt ]
	done
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

# facts_of OPTION…: what `show --json` says of functions, contexts, threads
facts_of() {
	"$RAROG" show --json "$@" | python3 -c '
import json, sys
facts = json.load(sys.stdin)
kept = {"calls", "functions", "nodes", "threads", "binaries"} & facts.keys()
print(json.dumps({key: facts[key] for key in sorted(kept)}, indent=1))'
}

# fact KEY FILE: of the heading
fact() {
	"$RAROG" show --json "$2" | python3 -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[1]])' "$1"
}

@test "a profile without its end: sums and tree are rebuilt from the calls, and are the same" {
	local view name

	for name in plain processes hostile deep; do
		if [ "$name" = deep ]; then deep_profile deep.rarog 3000; else "${name}_profile"; fi
		cp "$name.rarog" cut.rarog
		"$repo/tests/tools/cut-profile" cut.rarog 9
		for view in "" --tree --by-thread --by-binary; do
			diff <(facts_of $view "$name.rarog") <(facts_of $view cut.rarog) ||
				fail "$name $view: other numbers"
		done
		"$RAROG" show cut.rarog | grep -q "CUT OFF: the end of the file is missing; recovered: \
sums rebuilt from [0-9,]* calls\?\$" || fail "$name: not said"
		[ "$(fact rebuilt_from_calls cut.rarog)" = "$(fact calls "$name.rarog")" ] ||
			fail "$name: not told"
		[ "$(fact rebuilt_from_calls "$name.rarog")" = None ]
		diff <("$RAROG" export -f collapsed "$name.rarog") \
			<("$RAROG" export -f collapsed cut.rarog 2>export.err) || fail "$name: other stacks"
		grep -q "rarog: warning: cut.rarog was cut off; recovered: sums rebuilt from" export.err
	done
}

@test "a profile without its end: whatever command reads it says so, and so it does when it refuses" {
	local kind command words

	plain_profile
	# 9: between calls and tree, so that sums are rebuilt; 7: among the tables in front of the calls
	for kind in 9 7; do
		cp plain.rarog cut.rarog
		"$repo/tests/tools/cut-profile" cut.rarog $kind
		while read -r command words; do
			run_rarog $command $words
			grep -qiE 'cut off|"is_partial": true' <<<"$output$errors" || fail "$kind: $command $words is silent: $output$errors"
			[ "$(grep -ic 'cut off' <<<"$output$errors")" -le 1 ] || fail "$kind: $command $words says it twice: $output$errors"
		done <<-'END'
			show cut.rarog
			show --json cut.rarog
			show --csv cut.rarog
			show --tree cut.rarog
			show --callers swap cut.rarog
			show --callees compress cut.rarog
			show --func never cut.rarog
			show --func manSort cut.rarog
			show --blocks compress cut.rarog
			show --coverage cut.rarog
			report -o out.html cut.rarog
			report -o out.html --force plain.rarog cut.rarog
			check plain.rarog cut.rarog
			check --json plain.rarog cut.rarog
			diff plain.rarog cut.rarog
			export -f collapsed -o out cut.rarog
			export -f csv -o out cut.rarog
			export -f json -o out cut.rarog
		END
		for command in "show --csv" "diff plain.rarog" "report -o out.html" "export -f csv -o out" "check plain.rarog"; do
			run_rarog $command plain.rarog
			[[ $output$errors != *"cut off"* ]] || fail "$command: $errors"
		done
	done
}

@test "a profile without its end and without calls says so" {
	summary_profile
	"$repo/tests/tools/cut-profile" summary.rarog 9
	works show summary.rarog
	[[ $output == *"CUT OFF: the end of the file is missing; shown is what was recovered"* ]]
}

@test "counts only: by calls, without times; what needs times says so" {
	count_profile
	works show count.rarog
	[[ $output == *"

calls  function
    3  beta
    1  alpha" ]] || fail "$output"
	run_rarog show -n 1 count.rarog
	[[ $output == *"1 more function with 25.0 % of the calls; -n 0 shows all" ]] || fail "$output"
	run_rarog show --sort name count.rarog
	[[ $output == *"    1  alpha"*"    3  beta" ]] || fail "$output"
	run_rarog show --columns mean count.rarog
	[[ $output == *"mean  function
   -  alpha
"* ]] || [[ $output == *"mean  function
   -  beta"* ]] || fail "$output"
	run_rarog show --by-binary count.rarog
	[[ $output == *"

calls  functions  binary
    4          2  /bin/app" ]] || fail "$output"
	for view in --tree "--callers beta" "--callees alpha"; do
		says 3 "rarog show: count.rarog has only counts, neither times nor a call tree; \
collect with --detail=summary or --detail=calls" show $view count.rarog
	done
	python3 - <(facts_of count.rarog) <<-'END'
		import json, sys
		for f in json.load(open(sys.argv[1]))["functions"]:
		    unknown = {k for k in f if k == "share" or k.endswith("_ns")}
		    assert len(unknown) == 13, unknown
		    assert all(f[k] is None for k in unknown), f
		    assert f["timed"] == 0 and f["count"] > 0
	END
}

# keys_of_section TEXT: the keys that a table of json.md names, one a line
keys_of_section() {
	awk -v want="$1" '/^## /{on = index($0, want)} on' "$repo/doc/design/json.md" |
		grep -o '`[a-z0-9_]*[]`[]' | tr -d '`[' | sort -u
}

@test "json.md names every key of every view" {
	local section view

	plain_profile
	while read -r section view; do
		"$RAROG" show --json $view plain.rarog | python3 -c '
import json, sys
for row in json.load(sys.stdin)[sys.argv[1]]:
    print(*row, sep="\n")' "$section" | sort -u >keys
		[ -s keys ] || fail "$section is empty"
		[ -z "$(comm -23 keys <(keys_of_section "$section"))" ] ||
			fail "$section: not in json.md: $(comm -23 keys <(keys_of_section "$section"))"
	done <<-'END'
		functions
		nodes --tree
		callers --callers memcpy
		callees --callees main
		binaries --by-binary
		threads --by-thread
		replay --replay
	END
	"$RAROG" show --json plain.rarog | python3 -c '
import json, sys
print(*json.load(sys.stdin), sep="\n")' | grep -v functions | sort -u >keys
	[ -z "$(comm -23 keys <(keys_of_section "every view"))" ] ||
		fail "heading: not in json.md: $(comm -23 keys <(keys_of_section "every view"))"
}

@test "--func may be given several times: what any of them matches" {
	plain_profile
	works show -f main -f fallbackSort plain.rarog --json
	[ "$(jq -r '.functions[].name' <<<"$output" | sort | tr '\n' ' ')" = "fallbackSort main " ] || fail "$output"
	exits 3 show -f nosuch -f neither plain.rarog
	[[ $errors == *"no function 'nosuch, neither'"* ]] || fail "$errors"
}
