# The front door. Meson does the building; this sets up what is missing and calls it.
# Variables: BUILD (build directory), PREFIX, DESTDIR, FUZZ_SECONDS.
BUILD ?= build
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60

.PHONY: all demo check check-all conformance machines real bench fuzz install clean help

all:
	@tools/setup build
	@test -f $(BUILD)/build.ninja || meson setup $(BUILD)
	@test ! packaging/packages -nt $(BUILD)/build.ninja || meson setup --reconfigure $(BUILD) >/dev/null
	@ninja -C $(BUILD) product

help:
	@echo "make              build $(BUILD)/rarog (installs missing packages through apt)"
	@echo "make demo         trace bzip2 and show what it does"
	@echo "make check        the main paths: minutes, and what every change must pass"
	@echo "make check-all    every test and analysis: an hour"
	@echo "make conformance  the programs that tracing must not change, all of them and longer"
	@echo "make machines     a dozen programs on Debian's kernel in an emulator, without FSGSBASE"
	@echo "make real         real programs as they are installed, natively and traced; long"
	@echo "make bench        measure Rarog and its peers"
	@echo "make bench-verdicts  false alarms and slow-downs found, for hours"
	@echo "make fuzz         fuzz every parser for FUZZ_SECONDS ($(FUZZ_SECONDS))"
	@echo "make install      to DESTDIR$(PREFIX)"
	@echo "make clean        remove everything that was built"

demo: all
	@tools/setup demo
	@tools/demo

check:
	@tools/check

check-all:
	@tools/check --all

conformance: all
	@tools/setup check
	@for engine in "" ebpf vex; do \
		echo "# engine $${engine:-inline}"; \
		RAROG_ENGINE=$$engine RAROG_BUILD=$(abspath $(BUILD)) tests/conformance/run --long || failed=1; \
	done; [ -z "$$failed" ]

machines: all
	@tools/setup real
	@RAROG_BUILD=$(abspath $(BUILD)) tests/machines/run

real: all
	@tools/setup real
	@for name in git sqlite3 re2-tests jsoncpp-tests; do bench/build $$name >/dev/null || exit; done
	@RAROG_BUILD=$(abspath $(BUILD)) tests/real/run --long
	@RAROG_BUILD=$(abspath $(BUILD)) tests/real/counts
	@RAROG_BUILD=$(abspath $(BUILD)) tests/real/coverage

bench: all
	@tools/setup bench
	@ninja -C $(BUILD) for-bench for-tools
	@bench/run-all

bench-verdicts: all
	@tools/setup bench
	@ninja -C $(BUILD) for-bench
	@bench/verdicts

fuzz: all
	@tools/setup bench
	@ninja -C $(BUILD) for-tools
	@tools/fuzz $(FUZZ_SECONDS)
	@RAROG_BUILD=$(abspath $(BUILD)) tests/blocks/compare-many

install: all
	@meson configure $(BUILD) -Dprefix=$(abspath $(PREFIX))
	@meson install --no-rebuild -C $(BUILD) $(if $(DESTDIR),--destdir $(abspath $(DESTDIR)))

clean:
	rm -rf $(BUILD) build-check build-fuzz
