# SPDX-License-Identifier: GPL-2.0-only
#
# fragtrace: the module, the viewer, and guests to try and test them in.

# For make vm and make shell: the command, the kernel, the scratch disk, a folder the guest may write to.
KERNEL ?=
DISK ?=
OUT ?=
CMD ?=
# Dollars in it are the guest's, not make's.
override CMD := $(value CMD)
# For make test: only these tests of selftests/, in the guests; or those of a group. For make one: a test, or several.
TESTS ?=
T ?=
# For make fuzz: how long, from which seed, or which plan; MODE=zoned; MODE=hostile, perhaps with these attacks only.
MINUTES ?=
SEED ?=
PLAN ?=
MODE ?=
ATTACKS ?=
# For make day: how long by the guest's clock, the bytes that RocksDB is given a second, whether it syncs each write.
HOURS ?=
RATE ?=
SYNC ?=
# For make judge: the load, how often, how much of it, how long it is idle, and settings of both sides: OF_A|OF_B.
LOAD ?=
RUNS ?=
WORK ?=
IDLE ?=
MOUNT ?=
SYSFS ?=
# For make dist: a key of gpg.
SIGN ?=
# For make bench: only these parts; less of everything.
BENCH ?=
QUICK ?=
# For make lab: only these parts.
PARTS ?=
# For make papers: only these papers or experiments; when the pictures are taken, in seconds.
ONLY ?=
SECONDS ?=
LONG ?=
# How often it measures the cost of watching; whether a small copy of the report is kept in selftests/papers/result.
PAIRS ?=
KEEP ?=
# For make mutants: how many, in which files or folders; CHANGED=1: only in what has changed.
N ?=
PATHS ?=
CHANGED ?=
PREFIX ?= /usr/local
export KERNEL DISK OUT CMD

all: modules viewer

# For the running kernel, or KERNELRELEASE=..., or KDIR=...; more in Kbuild.
modules:
	@ko=$$(KDIR='$(KDIR)' KERNELRELEASE='$(KERNELRELEASE)' F2FS_KO='$(F2FS_KO)' VMLINUX_BTF='$(VMLINUX_BTF)' \
		F2FS_SRC='$(F2FS_SRC)' selftests/machine/build.sh running) && cp "$$ko" fragtrace.ko && echo "built $(CURDIR)/fragtrace.ko"

viewer:
	@selftests/machine/setup.sh packages viewer
	$(MAKE) -C viewer

# The reader of pages, by Emscripten (1 GB of packages), and a page with it. Those who do not build it have no fragtrace page.
page: viewer
	@selftests/machine/setup.sh packages page
	$(MAKE) -s -C viewer page LIBRARIES="$$(selftests/machine/setup.sh libraries)"

vm:
	@test -n "$$CMD" || { echo "make vm: what shall the guest do? make vm CMD='uname -r'" >&2; exit 2; }
	@selftests/machine/vm.sh -- "$$CMD"

# The same with a shell on this terminal; DISK=file is a disk that is kept.
shell:
	@selftests/machine/vm.sh -i

# Style, layers, links, scripts, warnings: all that is checked without running anything; then 20 mistakes in what has changed.
check:
	@selftests/commands/check.sh

# With G= the tests of one group, after a short build; with an empty one, the names of the groups.
test:
	@selftests/run.sh $(if $(filter undefined file,$(origin G)),$(TESTS),$(if $(G),--group $(G),--groups))

# One test on one kernel, as soon as possible.
one:
	@test -n '$(T)' || { echo "make one: which test? make one T=20_write, T='20 25'; all of them: ls selftests" >&2; exit 2; }
	@selftests/run.sh --one $(T)

# What needs no kernel: the extent map, the parsers, figures, the planner, Python.
unit:
	@selftests/run.sh --unit

# Each command on a machine on which nothing was installed; ONLY='bench deb' names some.
check-bare:
	@selftests/host/bare_machine.sh $(or $(ONLY),all)

# How many small mistakes in the code do the tests notice?
mutants:
	@selftests/mutants/mutants.sh -n $(or $(N),50) $(if $(SEED),--seed $(SEED)) $(if $(CHANGED),--only-changed) $(PATHS)

# Which functions and lines does no test come by?
coverage:
	@selftests/coverage/coverage.sh $(PARTS)

# The same tests in guests whose kernels look for errors of their own; these are built first.
test-debug:
	@KERNEL="$${KERNEL:-kasan kcsan rt-debug}" selftests/run.sh --guests $(TESTS)

# A million files, a million that move, a file with 100 000 names, hundreds of loads under fio: takes its time, and 6 GB
# of memory.
test-large:
	@TESTS='$(TESTS)' selftests/commands/large.sh $(or $(KERNEL),6.12)

# xfstests' own tests of recovery, from a checkout of the user's, with and without fragtrace: the same verdicts.
xfstests:
	@XFSTESTS='$(XFSTESTS)' TESTS='$(TESTS)' selftests/commands/xfstests.sh

# fragtrace defrag moves files while programs write and check them, and while the power fails.
soak:
	@MINUTES='$(MINUTES)' CUTS='$(CUTS)' SEED='$(SEED)' XFSTESTS='$(XFSTESTS)' selftests/commands/soak.sh

# A day of RocksDB recorded with all events: does it stay small, is every moment of it rebuilt?
day:
	@HOURS='$(HOURS)' RATE='$(RATE)' SYNC='$(SYNC)' KERNEL='$(or $(KERNEL),6.12)' selftests/commands/day.sh $(OUT)

# Does one of two kernels, or of two settings, fragment files more under the same load?
judge:
	@LOAD='$(LOAD)' RUNS='$(RUNS)' SEED='$(SEED)' WORK='$(WORK)' IDLE='$(IDLE)' MOUNT='$(MOUNT)' SYSFS='$(SYSFS)' selftests/commands/judge.sh $(if $(OUT),'$(OUT)')

# libFuzzer on everything that reads text; what it learns stays in the cache.
fuzz-parsers:
	@selftests/machine/setup.sh packages fuzz
	@$(MAKE) -s -C selftests/programs/fuzz-parsers fuzz O="$$(selftests/machine/setup.sh cache)/build/fuzz-parsers" MINUTES='$(or $(MINUTES),10)'

# Random operations on random volumes, compared block by block; or a user who attacks, and one who works.
fuzz:
	@MINUTES='$(MINUTES)' SEED='$(SEED)' PLAN='$(PLAN)' MODE='$(MODE)' ATTACKS='$(ATTACKS)' selftests/commands/fuzz.sh

demo:
	@selftests/commands/demo.sh

# The recordings that make page puts into its page, recorded anew; ONLY='rocksdb gc' names some.
samples:
	@selftests/machine/setup.sh packages build guest full viewer bench
	$(MAKE) -s -C viewer
	@selftests/machine/vm.sh -d 1G -M 3G -t 1200 -o viewer/page/samples -- 'selftests/in_guest/samples.sh $(ONLY)'

# What fragtrace costs, beside what it replaces: a table and bench-out/bench.png.
bench:
	@BENCH='$(BENCH)' QUICK='$(QUICK)' KERNEL='$(or $(KERNEL),6.12)' OUT='$(OUT)' selftests/bench/bench.sh

bench-readme:
	@OUT='$(OUT)' selftests/bench/bench.sh readme

# What fragmentation costs and what fragtrace defrag gains, as FragPicker measured it: tables and pictures in lab-out/.
lab:
	@BENCH='$(BENCH)' PARTS='$(PARTS)' QUICK='$(QUICK)' SEED='$(SEED)' KERNEL='$(or $(KERNEL),6.12)' OUT='$(OUT)' selftests/lab/lab.sh

# What papers have measured, measured again: papers-out/report.html. It goes on where it was interrupted.
papers:
	@selftests/papers/papers.sh --only '$(ONLY)' --seconds '$(or $(SECONDS),60)' --long '$(or $(LONG),3600)' \
		--pairs '$(or $(PAIRS),5)' --kernel '$(or $(KERNEL),6.12)' $(if $(QUICK),--quick) \
		$(if $(KEEP),--keep selftests/papers/result) '$(or $(OUT),papers-out)'

# Debian packages, built in a clean system and tried there; DKMS=no leaves that out.
deb:
	@DKMS='$(DKMS)' selftests/commands/deb.sh $(OUT)

# The module and its tests inside of a kernel tree: fs/fragtrace and tools/testing/selftests/fragtrace.
in-tree:
	@selftests/commands/in_tree.sh '$(TREE)'

# A tarball of what is committed, the same on each machine, and its checksum; SIGN=key signs it, and tags the commit.
dist:
	@SIGN='$(SIGN)' PAGE='$(PAGE)' selftests/commands/dist.sh $(OUT)

install: all
	install -D -m 644 fragtrace.ko $(DESTDIR)/lib/modules/$$(modinfo -F vermagic fragtrace.ko | cut -d ' ' -f 1)/updates/fragtrace.ko
	[ -n "$(DESTDIR)" ] || depmod -a $$(modinfo -F vermagic fragtrace.ko | cut -d ' ' -f 1)
	$(MAKE) -C viewer install PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)'

uninstall:
	@for ko in $(DESTDIR)/lib/modules/*/updates/fragtrace.ko; do \
		[ -e "$$ko" ] || continue; \
		rel=$${ko#$(DESTDIR)/lib/modules/}; \
		echo "rm $$ko"; \
		rm "$$ko" || exit 1; \
		[ -n "$(DESTDIR)" ] || depmod -a "$${rel%%/*}" || exit 1; \
	done
	$(MAKE) -C viewer uninstall PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)'

clean:
	rm -f fragtrace.ko
	$(MAKE) -C viewer clean
	$(MAKE) -C defrag clean

# The kernels, tools and builds of the guests; make test and make demo fetch them again.
distclean: clean
	rm -rf "$$(selftests/machine/setup.sh cache)"

help:
	@echo "make                      fragtrace.ko for the running kernel (or KERNELRELEASE=, KDIR=, F2FS_KO=), fragtrace"
	@echo "make viewer               this alone; needs no kernel headers"
	@echo "make page                 viewer/fragtrace.html: a page that opens tables and recordings; with it, fragtrace page works; needs Emscripten (1 GB)"
	@echo "make demo                 a picture of RocksDB on F2FS, made in a guest; leaves it in demo-out/"
	@echo "make samples              record the four samples of make page anew, in a guest; ONLY='rocksdb redis gc rewrite'"
	@echo "make bench                what it costs, beside filefrag, ftrace and bpftrace; BENCH='micro apps', QUICK=1, OUT=folder,"
	@echo "                          KERNEL=6.12; BENCH=profile names the functions"
	@echo "make bench-readme         put the table and the picture of the last make bench into selftests/bench/README.md"
	@echo "make lab BENCH=fragpicker what pieces of files cost, and what five ways to rewrite them gain; QUICK=1, OUT=folder,"
	@echo "                          PARTS='motivation forecast synthetic databases'"
	@echo "make papers               the claims of papers, held against what fragtrace sees; ONLY=fragtracer,fragpicker,iocontrol,fsync,fast24, SECONDS=60, LONG=3600, PAIRS=5, QUICK=1;"
	@echo "                          goes on with what has no result yet in OUT=papers-out; KEEP=1 copies the report, small, to selftests/papers/result"
	@echo "make check                the sources: checkpatch --strict, kernel-doc, layers, gcc, sparse, clang, coccinelle,"
	@echo "                          smatch, clang-format, shellcheck, ruff, mypy; MUTANTS=20 mistakes in what has changed"
	@echo "make test                 every test; KERNEL='6.12 6.1 7 6.12-rt 6.1-rt 7-rt', TESTS='20_write.sh', SEED=N narrow it down"
	@echo "make one T=20_write       one test, or several, on one kernel, after a short build; KERNEL=6.12, SEED=N"
	@echo "make test G=quick         the tests of a group, likewise; G= lists the groups"
	@echo "make unit                 what needs no kernel: the extent map, parsers, figures, the planner, Python; less than half a minute"
	@echo "make check-bare           these commands, in short, each on a fresh Debian 12 on which nothing was installed; ONLY='demo deb'"
	@echo "make mutants              small mistakes made in the code: do the tests notice? N=50, SEED=N, PATHS='viewer/src module/causes/gc.c', CHANGED=1"
	@echo "make coverage             what no test comes by: functions, lines; PARTS='view map python module'"
	@echo "make test-debug           those in guests, on kernels with KASAN, lockdep, kmemleak, UBSAN, with KCSAN, with PREEMPT_RT and lockdep"
	@echo "make test-large           a million files, 100 000 names, hundreds of loads and mounts under fio, 16 TiB; KERNEL=6.12,"
	@echo "                          TESTS=95_large_move.sh"
	@echo "make xfstests XFSTESTS=folder   its tests of shutdown and recovery, with and without fragtrace; TESTS='generic/388'"
	@echo "make soak                 fragtrace defrag beside programs that check what they read (MINUTES=30), and power failures (CUTS=50)"
	@echo "make day                  record hours of RocksDB with all events, and rebuild moments of them; HOURS=24, RATE=100000, SYNC=1, OUT=folder"
	@echo "make judge LOAD=aging     does one of KERNEL='OLD NEW' fragment more, or of two settings, MOUNT='OF_A|OF_B', SYSFS='OF_A|OF_B'? LOAD=aging,"
	@echo "                          mail, fs-mark, rocksdb or redis; RUNS=5 of each, SEED=N, WORK=1, DISK=512M, OUT=folder; ends with a verdict;"
	@echo "                          LOAD=aging IDLE=2: nothing is written for 2 s after each 16 MiB, so that F2FS's thread may collect"
	@echo "make fuzz                 random operations; MINUTES=3 for all kernels, SEED=N, KERNEL=..., or PLAN=file to repeat one;"
	@echo "                          MODE=zoned: on zoned disks in memory"
	@echo "                          MODE=hostile: a user does his worst, ATTACKS='stuck crowd' names how (selftests/in_guest/attacks.sh)"
	@echo "make fuzz-parsers         libFuzzer on what reads tables and configuration files; MINUTES=10"
	@echo "make vm CMD='...'         run a command as root in a guest; KERNEL=6.12|6.1|7|6.12-rt... or a built tree, DISK=1G or a file, OUT=folder"
	@echo "                          (make itself ends with status 2 when it fails; selftests/machine/vm.sh passes the status on)"
	@echo "make shell                the same with a shell on this terminal; DISK=file is a disk that is kept"
	@echo "make install, uninstall   module, fragtrace, its other names and -plot, presets, man pages; PREFIX=$(PREFIX), DESTDIR="
	@echo "make deb                  Debian packages, in deb-out/; DKMS=no does not try the module's"
	@echo "make in-tree TREE=folder  put module and tests into the source tree of a kernel: CONFIG_FRAGTRACE, kselftest"
	@echo "make dist                 a tarball of the last commit and its checksum, in dist-out/; SIGN=key signs it and tags the commit;"
	@echo "                          PAGE=1 also leaves the page that opens recordings there, with the samples in it"
	@echo "make clean, distclean     remove what was built; also the cache of kernels and tools"

.PHONY: all modules viewer page vm shell check check-bare test test-debug test-large xfstests soak day judge fuzz fuzz-parsers demo samples bench bench-readme lab papers deb in-tree dist install uninstall clean distclean help one unit mutants coverage
