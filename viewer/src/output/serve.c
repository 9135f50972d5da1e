// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: a read-only HTTP server for the page, and for what the page asks about the current table.
 *
 * One thread does everything: between two readings of the table, server_run() waits for requests and gives the answers
 * of answers.c. So no answer mixes two tables, and nothing needs a lock.
 *
 * Names of files are secret to other users of the system. So:
 * - each path begins with a random token, which only the printed URL has;
 * - the Host of a request has to be an IP address, localhost or, if that is in the URL, the name of this machine: a
 *   page of another site whose name was made to point here cannot read answers;
 * - connections, their memory and their time are limited, and nothing about requests is logged.
 */
#include <microhttpd.h>
#include <netdb.h>
#include <poll.h>
#include <sys/random.h>

#include "output/html.h"
#include "output/serve.h"

#define MAX_CONNECTIONS 64
#define MAX_CONNECTION_MEMORY ((size_t)32 << 10)
#define TIMEOUT_S 20

#define NSEC_PER_MSEC 1000000

/* === Answers === */

static enum MHD_Result respond(struct MHD_Connection *connection, unsigned int status, const char *type,
			       struct MHD_Response *response, uint64_t generation)
{
	enum MHD_Result result;
	char tag[32];

	MHD_add_response_header(response, "Content-Type", type);
	MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
	MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
	MHD_add_response_header(response, "X-Frame-Options", "DENY");
	MHD_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
	MHD_add_response_header(response, "Cache-Control", generation ? "private, no-cache" : "no-store");
	if (generation) {
		snprintf(tag, sizeof(tag), "\"%ju\"", (uintmax_t)generation);
		MHD_add_response_header(response, "ETag", tag);
	}
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(response, "Allow", "GET, HEAD");
	result = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return result;
}

static enum MHD_Result refuse(struct MHD_Connection *connection, unsigned int status, const char *why)
{
	struct MHD_Response *response = MHD_create_response_from_buffer(strlen(why), (void *)(uintptr_t)why,
									MHD_RESPMEM_MUST_COPY);

	return response ? respond(connection, status, "text/plain; charset=utf-8", response, 0) : MHD_NO;
}

/* === Requests === */

/* As long for each token: the time of a comparison must not tell how much of it is right. */
static bool has_token(const struct server *server, const char *path)
{
	unsigned char difference = 0;

	if (strlen(path) <= TOKEN_LEN || path[0] != '/' || path[1 + TOKEN_LEN] != '/')
		return false;
	for (size_t i = 0; i < TOKEN_LEN; i++)
		difference |= (unsigned char)(path[1 + i] ^ server->token[i]);
	return !difference;
}

/* An IP address, localhost or the name in the URL, and perhaps a port: a tunnel may have another one. */
static bool is_good_host(const struct server *server, const char *value)
{
	const struct addrinfo hints = { .ai_flags = AI_NUMERICHOST };
	struct addrinfo *found;
	char host[SERVE_NAME_SIZE];
	size_t len;

	if (!value)
		return false;
	if (*value == '[')
		len = strcspn(++value, "]");
	else
		len = strcspn(value, ":");
	if (!len || len >= sizeof(host))
		return false;
	snprintf(host, sizeof(host), "%.*s", (int)len, value);
	if (!strcasecmp(host, "localhost") || !strcasecmp(host, server->name))
		return true;
	if (getaddrinfo(host, NULL, &hints, &found))
		return false;
	freeaddrinfo(found);
	return true;
}

static enum MHD_Result send_answer(struct MHD_Connection *connection, struct answer *answer)
{
	static const unsigned int statuses[] = {
		[ANSWER_OK] = MHD_HTTP_OK, [ANSWER_KNOWN] = MHD_HTTP_NOT_MODIFIED, [ANSWER_WRONG] = MHD_HTTP_BAD_REQUEST,
		[ANSWER_NONE] = MHD_HTTP_NOT_FOUND, [ANSWER_NO_MEMORY] = MHD_HTTP_SERVICE_UNAVAILABLE,
	};
	struct MHD_Response *response = MHD_create_response_from_buffer(answer->text.len, answer->text.buf, MHD_RESPMEM_MUST_FREE);

	if (!response)
		text_free(&answer->text);
	return response ? respond(connection, statuses[answer->status], answer->type, response, answer->generation) : MHD_NO;
}

static const char *argument(const void *arg, const char *name)
{
	return MHD_lookup_connection_value((struct MHD_Connection *)(uintptr_t)arg, MHD_GET_ARGUMENT_KIND, name);
}

/* The table that the other side has already, or 0. */
static uint64_t known_generation(struct MHD_Connection *connection)
{
	const char *known = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "If-None-Match");

	return known && *known == '"' ? strtoull(known + 1, NULL, 10) : 0;
}

static enum MHD_Result on_request(void *arg, struct MHD_Connection *connection, const char *path, const char *method,
				  const char *version, const char *upload, size_t *upload_len, void **state)
{
	struct server *server = arg;
	struct question question = { .value = argument, .arg = connection };
	struct answer answer;
	static int is_begun;

	/* the first call comes with the headers alone; a body is not read */
	if (!*state) {
		*state = &is_begun;
		return MHD_YES;
	}
	if (*upload_len) {
		*upload_len = 0;
		return MHD_YES;
	}
	if (!is_good_host(server, MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host")))
		return refuse(connection, MHD_HTTP_MISDIRECTED_REQUEST, "expected an IP address or localhost in the URL\n");
	if (!has_token(server, path))
		return refuse(connection, MHD_HTTP_FORBIDDEN, "expected the URL that fragtrace has printed\n");
	if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD))
		return refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "expected GET or HEAD\n");
	question.what = path + TOKEN_LEN + 2;
	question.known = known_generation(connection);
	answers_give(&server->answers, &question, &answer);
	return send_answer(connection, &answer);
}

/* === Server === */

static void put_page(FILE *file, const struct serve_view *view)
{
	html_put(file, &(struct html){ HTML_SERVED, serve_put_table, NULL, view });
}

/* Signals are delivered only while server_run() waits. */
static void set_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	note_interrupts();
}

static void make_token(char token[TOKEN_LEN + 1])
{
	unsigned char bytes[TOKEN_BYTES];

	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		die("cannot get random numbers: %s", strerror(errno));
	for (size_t i = 0; i < TOKEN_BYTES; i++)
		snprintf(token + 2 * i, 3, "%02x", bytes[i]);
}

static int listen_on(const struct serve_address *address)
{
	int fd = socket(address->storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), yes = 1;
	AUTO_FREE char *name = serve_address_text(address);

	/* of an earlier server, connections may still be in TIME_WAIT */
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) ||
	    bind(fd, (const struct sockaddr *)&address->storage, address->len) || listen(fd, MAX_CONNECTIONS))
		die("cannot listen on %s: %s%s", name, strerror(errno),
		    errno == EADDRINUSE ? "; expected another port: -l ADDR:PORT, or port 0 for any" : "");
	return fd;
}

/* Messages of the library may have paths of requests, with the token. */
static void log_nothing(void *arg, const char *fmt, va_list ap)
{
}

/**
 * server_open() - listen
 * @server: the result; it has no table yet
 * @address: where
 * @interval_ns: from one table to the next; 0: there is only one
 *
 * From here on, SIGINT and SIGTERM only end server_run(). Ends the program if the port is taken.
 */
void server_open(struct server *server, const struct serve_address *address, int64_t interval_ns)
{
	const union MHD_DaemonInfo *info;
	int fd = listen_on(address);

	*server = (struct server){ .answers = { .most = SERVE_MAX_VIEWS, .interval_ns = interval_ns, .page = put_page } };
	make_token(server->token);
	serve_address_name(address, server->name);
	set_signals();
	server->daemon = MHD_start_daemon(MHD_USE_EPOLL | MHD_USE_ERROR_LOG, 0, NULL, NULL, on_request, server,
					  MHD_OPTION_EXTERNAL_LOGGER, log_nothing, NULL,
					  MHD_OPTION_LISTEN_SOCKET, fd,
					  MHD_OPTION_CONNECTION_LIMIT, (unsigned int)MAX_CONNECTIONS,
					  MHD_OPTION_CONNECTION_MEMORY_LIMIT, MAX_CONNECTION_MEMORY,
					  MHD_OPTION_CONNECTION_TIMEOUT, (unsigned int)TIMEOUT_S,
					  MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
	info = server->daemon ? MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD) : NULL;
	if (!info)
		die("cannot start the HTTP server");
	server->poll_fd = info->epoll_fd;
}

/**
 * server_announce() - print the URL
 * @server: the server, which has a table now
 * @address: as for server_open()
 */
void server_announce(const struct server *server, const struct serve_address *address)
{
	const union MHD_DaemonInfo *info = MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_LISTEN_FD);
	struct serve_address bound = { .len = sizeof(bound.storage) };

	if (!info || getsockname(info->listen_fd, (struct sockaddr *)&bound.storage, &bound.len))
		die("cannot name the address: %s", strerror(errno));
	AUTO_FREE char *text = serve_address_text(&bound);
	if (!serve_address_is_local(address))
		warn("%s can be reached from other machines, unencrypted: who reads the URL on its way sees names of files",
		     text);
	if (*server->name)
		printf("http://%s%s/%s/\n", server->name, strrchr(text, ':'), server->token);
	else
		printf("http://%s/%s/\n", text, server->token);
	flush_stdout();
}

static int64_t wait_ns(struct server *server, int64_t until_ns)
{
	int64_t left_ns = until_ns - monotonic_ns(), timeout_ns;
	MHD_UNSIGNED_LONG_LONG timeout_ms;

	if (!until_ns || left_ns > TIMEOUT_S * NSEC_PER_SEC)
		left_ns = TIMEOUT_S * NSEC_PER_SEC;
	if (left_ns < 0)
		left_ns = 0;
	if (MHD_get_timeout(server->daemon, &timeout_ms) != MHD_YES)
		return left_ns;
	timeout_ns = (int64_t)timeout_ms * NSEC_PER_MSEC;
	return timeout_ns < left_ns ? timeout_ns : left_ns;
}

/**
 * server_run() - answer requests
 * @server: the server
 * @until_ns: until when, by monotonic_ns(); 0: no end
 *
 * Return: false if the program is asked to end.
 */
bool server_run(struct server *server, int64_t until_ns)
{
	sigset_t none;

	sigemptyset(&none);
	while (!is_interrupted && (!until_ns || monotonic_ns() < until_ns)) {
		struct pollfd poll = { .fd = server->poll_fd, .events = POLLIN };
		int64_t ns = wait_ns(server, until_ns);
		struct timespec t = { .tv_sec = ns / NSEC_PER_SEC, .tv_nsec = ns % NSEC_PER_SEC };

		if (ppoll(&poll, 1, &t, &none) < 0 && errno != EINTR)
			die("cannot wait for requests: %s", strerror(errno));
		MHD_run(server->daemon);
		/* connections that this has closed may make room for waiting ones, which only the next call accepts */
		MHD_run(server->daemon);
	}
	return !is_interrupted;
}

/**
 * server_close() - end all connections
 * @server: the server
 */
void server_close(struct server *server)
{
	MHD_stop_daemon(server->daemon);
	answers_free(&server->answers);
}
