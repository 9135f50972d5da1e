/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: a read-only HTTP server for the page, and for what the page asks about the current table. */
#ifndef SERVE_H
#define SERVE_H

#include <stdbool.h>
#include <stdint.h>

#include "output/serve_address.h"
#include "output/serve_recording.h"
#include "output/serve_view.h"

/* A token is so many random bytes, and twice as many letters. */
#define TOKEN_BYTES 16
#define TOKEN_LEN (2 * TOKEN_BYTES)

struct MHD_Daemon;

/* Room for a moment in a request. */
#define SERVE_AT_MAX 64

/* So many tables are kept, as long as they have no more extents in all than this. */
#define SERVE_MAX_VIEWS 8
#define SERVE_MAX_EXTENTS 8000000

/**
 * struct served - the table of a moment
 * @view: the table; NULL: none
 * @at: the moment as requests name it; empty: the one that is shown first
 * @used: larger than that of all tables that were asked for before
 */
struct served {
	struct serve_view *view;
	char at[SERVE_AT_MAX];
	uint64_t used;
};

/**
 * struct server - a server and the tables that it shows
 * @recording: it has the tables of other moments; its folder is NULL if there is none
 * @most: how many tables are kept
 * @colors: finds the rules of a colour source; NULL for those of the table that is shown first, which others keep
 * @plot: writes a picture of one file as PNG
 * @arg: for these, and for showing moments
 */
struct server {
	struct serve_recording recording;
	size_t most;
	struct colors *(*colors)(void *arg, const char *by);
	void (*plot)(void *arg, const struct serve_view *view, size_t file, FILE *out);
	void *arg;
	/* private: */
	char *(*show)(void *arg, struct serve_view *view, const struct moment *moment);
	struct served served[SERVE_MAX_VIEWS];
	uint64_t used;
	uint64_t generation;
	int64_t interval_ns;
	struct MHD_Daemon *daemon;
	int poll_fd;
	char token[TOKEN_LEN + 1];
	char name[SERVE_NAME_SIZE];
};

void server_open(struct server *server, const struct serve_address *address, int64_t interval_ns);
void server_set_recording(struct server *server, const struct serve_recording *recording,
			  char *(*show)(void *arg, struct serve_view *view, const struct moment *moment));
struct serve_view *server_new_view(struct server *server);
void server_add_view(struct server *server, struct serve_view *view, const char *at);
void server_announce(const struct server *server, const struct serve_address *address);
bool server_run(struct server *server, int64_t until_ns);
void server_close(struct server *server);

#endif
