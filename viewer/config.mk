# SPDX-License-Identifier: GPL-2.0-only
# Settings for packagers. Each can be overridden on make's command line.

VERSION = 0.1

PREFIX = /usr/local
MANPREFIX = $(PREFIX)/share/man
PRESETDIR = $(PREFIX)/share/fragtrace
COMPLETIONDIR = $(PREFIX)/share/bash-completion/completions

CFLAGS ?= -O2
# from src/ for the viewer, from the top for module/format/snapshot.h
INCLUDES = -Isrc -Ibuild -I..
# a function that others call may have a parameter that it does not need
WARNFLAGS = -std=c11 -Wall -Wextra -Wpedantic -Wno-unused-parameter -Werror
DEFS = -D_GNU_SOURCE -DVERSION='"$(VERSION)"' -DPRESETDIR='"$(PRESETDIR)"'
SANFLAGS = -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all
# text and shapes of pictures
PICTURE_CFLAGS := $(shell pkg-config --cflags pangocairo)
PICTURE_LIBS := $(shell pkg-config --libs pangocairo)
# the server of fragtrace serve
SERVE_CFLAGS := $(shell pkg-config --cflags libmicrohttpd)
SERVE_LIBS := $(shell pkg-config --libs libmicrohttpd)
# the events of a recording; its headers are no ISO C
TRACE_CFLAGS := $(patsubst -I%,-isystem %,$(shell pkg-config --cflags libtracefs))
TRACE_LIBS := $(shell pkg-config --libs libtracefs)
LDLIBS = -lm $(PICTURE_LIBS) $(SERVE_LIBS) $(TRACE_LIBS) -lpng -lz -lzstd -lncursesw -ltinfo
