// SPDX-License-Identifier: GPL-2.0-only
/* Beside the pipeline: where a server listens, as the user writes it and as part of a URL. */
#include <netdb.h>
#include <netinet/in.h>

#include "output/serve_address.h"
#include "util.h"

/* Split ADDR:PORT, [ADDR]:PORT, ADDR or PORT; a part that is missing stays as it is. */
static void split_address(const char *arg, char *host, size_t size, const char **port)
{
	const char *colon = strrchr(arg, ':');
	size_t len = colon ? (size_t)(colon - arg) : strlen(arg);

	if (*arg == '[' && (!colon || colon[-1] != ']'))
		len = strlen(arg);
	if (len == strlen(arg) && strspn(arg, "0123456789") == len) {
		*port = arg;
		return;
	}
	if (len != strlen(arg))
		*port = colon + 1;
	if (*arg == '[' && len > 1 && arg[len - 1] == ']') {
		arg++;
		len -= 2;
	}
	if (len && len < size)
		snprintf(host, size, "%.*s", (int)len, arg);
	else if (len)
		*host = '\0';
}

/**
 * serve_read_address() - parse where to listen
 * @address: the result
 * @arg: ADDR:PORT, or one of both
 *
 * Return: false if it is no address.
 */
bool serve_read_address(struct serve_address *address, const char *arg)
{
	const struct addrinfo hints = { .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM };
	char host[64] = "127.0.0.1";
	const char *port = strrchr(SERVE_ADDRESS, ':') + 1;
	struct addrinfo *found;

	split_address(arg, host, sizeof(host), &port);
	if (!strcmp(host, "localhost"))
		strcpy(host, "127.0.0.1");
	if (!*host || !*port || strlen(port) > 5 || strtoul(port, NULL, 10) > UINT16_MAX ||
	    getaddrinfo(host, port, &hints, &found))
		return false;
	memcpy(&address->storage, found->ai_addr, found->ai_addrlen);
	address->len = found->ai_addrlen;
	freeaddrinfo(found);
	return true;
}

/**
 * serve_address_is_local() - can only this machine reach it?
 * @address: the address
 *
 * Return: true if it is a loopback address.
 */
bool serve_address_is_local(const struct serve_address *address)
{
	const struct sockaddr_in *in4 = (const struct sockaddr_in *)&address->storage;
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&address->storage;

	if (address->storage.ss_family == AF_INET)
		return ntohl(in4->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
	return IN6_IS_ADDR_LOOPBACK(&in6->sin6_addr);
}

static bool is_of_all_networks(const struct serve_address *address)
{
	const struct sockaddr_in *in4 = (const struct sockaddr_in *)&address->storage;
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&address->storage;

	if (address->storage.ss_family == AF_INET)
		return in4->sin_addr.s_addr == htonl(INADDR_ANY);
	return IN6_IS_ADDR_UNSPECIFIED(&in6->sin6_addr);
}

/**
 * serve_address_name() - the name of this machine, for a URL
 * @address: where a server listens
 * @name: the result; empty unless the address stands for all networks: nobody can open such a URL
 */
void serve_address_name(const struct serve_address *address, char name[SERVE_NAME_SIZE])
{
	static const char valid[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.";

	*name = '\0';
	if (!is_of_all_networks(address))
		return;
	if (gethostname(name, SERVE_NAME_SIZE) || !*name || name[strspn(name, valid)])
		strcpy(name, "localhost");
}

/**
 * serve_address_text() - an address as part of a URL
 * @address: the address
 *
 * Return: ADDR:PORT or [ADDR]:PORT; to be freed.
 */
char *serve_address_text(const struct serve_address *address)
{
	char host[64], port[16];

	if (getnameinfo((const struct sockaddr *)&address->storage, address->len, host, sizeof(host), port, sizeof(port),
			NI_NUMERICHOST | NI_NUMERICSERV))
		die("cannot name the address");
	return xasprintf(address->storage.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, port);
}
