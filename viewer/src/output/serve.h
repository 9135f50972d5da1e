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

/**
 * struct server - a server and the table that it shows
 * @view: the table
 * @recording: it has the tables of other moments; its folder is NULL if there is none
 */
struct server {
	struct serve_view view;
	struct serve_recording recording;
	/* private: */
	char *(*show)(void *arg, const struct moment *moment);
	void *arg;
	char at[SERVE_AT_MAX];
	struct MHD_Daemon *daemon;
	int poll_fd;
	char token[TOKEN_LEN + 1];
};

void server_open(struct server *server, const struct serve_address *address, int64_t interval_ns);
void server_set_recording(struct server *server, const struct serve_recording *recording,
			  char *(*show)(void *arg, const struct moment *moment), void *arg);
void server_shows_first(struct server *server);
void server_announce(const struct server *server, const struct serve_address *address);
bool server_run(struct server *server, int64_t until_ns);
void server_close(struct server *server);

#endif
