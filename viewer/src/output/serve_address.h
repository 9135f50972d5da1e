/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: where a server listens, as the user writes it and as part of a URL. */
#pragma once

#include <stdbool.h>
#include <sys/socket.h>

#define SERVE_ADDRESS "127.0.0.1:8417"

/* Room for the name of a machine. */
#define SERVE_NAME_SIZE 65

/**
 * struct serve_address - where to listen
 * @storage: an IPv4 or IPv6 address with its port
 * @len: length of @storage
 */
struct serve_address {
	struct sockaddr_storage storage;
	socklen_t len;
};

bool serve_read_address(struct serve_address *address, const char *arg);
bool serve_address_is_local(const struct serve_address *address);
void serve_address_name(const struct serve_address *address, char name[SERVE_NAME_SIZE]);
char *serve_address_text(const struct serve_address *address);
