/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: a read-only HTTP server for the page, and for what the page asks about the current table. */
#pragma once

#include "output/answers.h"
#include "output/serve_address.h"

/* A token is so many random bytes, and twice as many letters. */
#define TOKEN_BYTES 16
#define TOKEN_LEN (2 * TOKEN_BYTES)

struct MHD_Daemon;

/**
 * struct server - a server
 * @answers: what it serves
 */
struct server {
	struct answers answers;
	/* private: */
	struct MHD_Daemon *daemon;
	int poll_fd;
	char token[TOKEN_LEN + 1];
	char name[SERVE_NAME_SIZE];
};

void server_open(struct server *server, const struct serve_address *address, int64_t interval_ns);
void server_announce(const struct server *server, const struct serve_address *address);
bool server_run(struct server *server, int64_t until_ns);
void server_close(struct server *server);
