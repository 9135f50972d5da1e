# SPDX-License-Identifier: GPL-2.0-only
# The reader of pages that open files: the library, compiled to WebAssembly by Emscripten, in one script.
# LIBRARIES is the folder with the sources of zlib, libpng and zstd: selftests/machine/setup.sh libraries.
# Included by ../../Makefile.

# its tools are in Node's folder of Debian, whichever Node runs them
EMCC = NODE_PATH=/usr/share/nodejs emcc
LIBRARIES =
READER_SRC = input/source.c input/unpack.c input/moment.c input/recording.c input/events.c input/replay.c input/replay_events.c \
	     input/replay_compose.c input/table.c input/snapshot.c input/inodes.c input/order.c input/figures.c input/volume.c \
	     input/heat.c input/f2fs_state.c input/f2fs_segments.c input/f2fs_status.c input/f2fs_super.c \
	     input/f2fs_lines.c input/zones.c input/fields.c input/discards.c input/latency.c input/ledger.c input/gc_runs.c $(filter model/%,$(SRC)) picture/axis.c picture/plot_axis.c picture/file_plot.c \
	     picture/file_view.c picture/layout.c picture/layout_boxes.c picture/layout_segments.c picture/layout_zones.c picture/layout_hilbert.c \
	     picture/strip.c picture/paint.c picture/legend.c picture/legend_title.c picture/legend_counts.c \
	     picture/legend_line.c picture/canvas.c picture/svg.c picture/png_out.c \
	     output/page_data.c output/answers.c output/serve_view.c output/serve_list.c output/serve_compare.c output/serve_recording.c output/serve_counts.c output/counted.c output/cost.c output/ledger.c output/gc.c output/json.c output/perfetto.c output/phrases.c \
	     output/why.c conf.c names.c outfile.c util.c
READER_OBJ = $(READER_SRC:%.c=build/reader/%.o) $(patsubst page/reader/%.c,build/reader/%.o,$(wildcard page/reader/*.c))
# of zstd, only what unpacks
LIBRARY_SRC = $(wildcard $(LIBRARIES)/zlib/adler32.c $(LIBRARIES)/zlib/crc32.c $(LIBRARIES)/zlib/deflate.c $(LIBRARIES)/zlib/trees.c \
	$(LIBRARIES)/zlib/zutil.c $(filter-out %/pngtest.c %/example.c %/pngread.c %/pngpread.c %/pngrio.c,$(wildcard $(LIBRARIES)/png/*.c)) \
	$(LIBRARIES)/zstd/lib/common/*.c $(LIBRARIES)/zstd/lib/decompress/*.c)
LIBRARY_OBJ = $(patsubst $(LIBRARIES)/%.c,build/reader/lib/%.o,$(LIBRARY_SRC))
LIBRARY_FLAGS = -I$(LIBRARIES)/zlib -I$(LIBRARIES)/png -I$(LIBRARIES)/zstd/lib -DPNG_NO_READ_SUPPORTED
# there, a long has 32 bits
READER_FLAGS = -O2 -Wno-sign-compare -Wno-string-concatenation -Ipage/reader -include page/reader/libc.h -Wno-unused-command-line-argument
# exit() ends the program, or what runs apart; see apart_here.c
READER_LINK = -O2 -Wl,--wrap=exit -s ENVIRONMENT=worker,node -s INVOKE_RUN=0 -s EXIT_RUNTIME=1 \
	-s ALLOW_MEMORY_GROWTH=1 -s MAXIMUM_MEMORY=1073741824 -s DYNAMIC_EXECUTION=0 -s FORCE_FILESYSTEM=1 \
	-s EXPORTED_RUNTIME_METHODS=FS,UTF8ToString,stringToUTF8,lengthBytesUTF8,ccall -s EXPORTED_FUNCTIONS=_malloc,_free --no-entry

build/reader/lib/%.o: $(LIBRARIES)/%.c page/reader/reader.mk
	@mkdir -p $(@D)
	$(EMCC) -O2 -w $(LIBRARY_FLAGS) -c -o $@ $<

build/reader/%.o: src/%.c $(HDR) page/reader/reader.mk
	@mkdir -p $(@D)
	$(EMCC) $(INCLUDES) -isystem $(LIBRARIES)/zlib -isystem $(LIBRARIES)/png -isystem $(LIBRARIES)/zstd/lib $(WARNFLAGS) $(DEFS) $(READER_FLAGS) -c -o $@ $<

build/reader/%.o: page/reader/%.c $(HDR) page/reader/reader.mk
	@mkdir -p $(@D)
	$(EMCC) $(INCLUDES) -I. $(WARNFLAGS) -Wno-dollar-in-identifier-extension -Wno-gnu-zero-variadic-macro-arguments $(DEFS) $(READER_FLAGS) -c -o $@ $<

# What its compiler says of what it shares with the program, without Emscripten.
reader-warnings:
	clang -fsyntax-only $(INCLUDES) $(WARNFLAGS) $(DEFS) -Wno-string-concatenation $(READER_SRC:%=src/%)

# What the script has of others, by their own files: licence, name, version, and where the source is. Debian keeps that of Emscripten.
EMSCRIPTEN = $(shell em-config EMSCRIPTEN_ROOT)
MUSL = $(EMSCRIPTEN)/system/lib/libc/musl
EMSCRIPTEN_COPYRIGHT = /usr/share/doc/emscripten/copyright
version_of = sed -n 's/^\#define $(1)[^0-9]*\([0-9.]*\).*/\1/p' $(LIBRARIES)/$(2) | paste -sd .

build/reader/notices: page/reader/reader.mk
	@mkdir -p $(@D)
	{ echo "The reader of pages of fragtrace, GPL-2.0-only; its source is page/reader/ of fragtrace's viewer. It contains:" && \
		echo && echo "=== zlib $$($(call version_of,ZLIB_VERSION,zlib/zlib.h)), https://zlib.net/" && cat $(LIBRARIES)/zlib/LICENSE && \
		echo && echo "=== libpng $$($(call version_of,PNG_LIBPNG_VER_STRING,png/png.h)), http://www.libpng.org/" && cat $(LIBRARIES)/png/LICENSE && \
		echo && echo "=== Zstandard $$($(call version_of,ZSTD_VERSION_[MR][A-Z]*[RE] ,zstd/lib/zstd.h)), https://github.com/facebook/zstd" && \
		cat $(LIBRARIES)/zstd/LICENSE && \
		echo && echo "=== musl $$(cat $(MUSL)/VERSION), https://musl.libc.org/" && cat $(MUSL)/COPYRIGHT && \
		echo && echo "=== Emscripten $$(cat $(EMSCRIPTEN)/emscripten-version.txt), https://emscripten.org/" && \
		awk -v RS= '/^Files:\n \*\n/ || /^License: Expat\n/' $(EMSCRIPTEN_COPYRIGHT); } >$@.tmp
	mv $@.tmp $@

reader.js: build/reader/notices $(READER_OBJ) $(LIBRARY_OBJ) page/reader/worker.js
	$(EMCC) $(READER_LINK) -o build/reader/reader.js $(READER_OBJ) $(LIBRARY_OBJ)
	! grep -iE '</script|<!--' build/reader/notices build/reader/reader.js page/reader/worker.js
	{ echo '/*' && sed 's|\*/|* /|g' build/reader/notices && echo '*/' && cat page/reader/worker.js && echo 'Module.wasmBinary = bytesOf(`' && base64 build/reader/reader.wasm && echo '`);' && \
		cat build/reader/reader.js; } >$@.tmp
	mv $@.tmp $@

# A page to try, with what `make samples` records. An input has the name of its path.
page: reader.js $(NAME)
	rm -rf build/samples
	mkdir -p build/samples
	ln -s ../../page/samples/rocksdb "build/samples/RocksDB, 60 s"
	ln -s ../../page/samples/redis "build/samples/Redis on an aged volume"
	ln -s ../../page/samples/gc "build/samples/Garbage collection"
	ln -s ../../page/samples/rewrite "build/samples/Before and after a rewrite"
	cd build/samples && ../../$(NAME) page "RocksDB, 60 s" "Redis on an aged volume" "Garbage collection" \
		"Before and after a rewrite" -o ../../fragtrace.html

.PHONY: page reader-warnings
