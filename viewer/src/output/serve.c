// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: a read-only HTTP server for the page, and for what the page asks about the current table.
 *
 * One thread does everything: between two readings of the table, server_run() waits for requests and answers
 * them, see serve_view.c. So no answer mixes two tables, and nothing needs a lock. A request for another moment of a
 * recording makes another table, see serve_recording.c; the last ones are kept.
 *
 * Names of files are secret to other users of the system. So:
 * - each path begins with a random token, which only the printed URL has;
 * - the Host of a request has to be an IP address, localhost or, if that is in the URL, the name of this machine: a
 *   page of another site whose name was made to point here cannot read answers;
 * - connections, their memory and their time are limited, and nothing about requests is logged.
 */
#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "output/html.h"
#include "output/serve.h"
#include "output/why.h"
#include "util.h"

#define MAX_CONNECTIONS 64
#define MAX_CONNECTION_MEMORY ((size_t)32 << 10)
#define TIMEOUT_S 20

#define NSEC_PER_MSEC 1000000

/* === Answers === */

struct request {
	struct MHD_Connection *connection;
	const struct server *server;
	const struct serve_view *view;
	FILE *file;
	struct json *json;
};

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

/* The arguments of a request are numbers without sign. Return: false if there is none, or it is above the limit. */
static bool read_number(const struct request *r, const char *name, uint64_t max, uint64_t *value)
{
	const char *arg = MHD_lookup_connection_value(r->connection, MHD_GET_ARGUMENT_KIND, name);
	char *end;

	if (!arg || *arg < '0' || *arg > '9')
		return false;
	errno = 0;
	*value = strtoull(arg, &end, 10);
	return !*end && !errno && *value <= max;
}

/* The file that an argument MAJOR:MINOR INO names. Return: false if it is malformed. */
static bool read_file(const struct request *r, const char *name, size_t *file)
{
	const char *arg = MHD_lookup_connection_value(r->connection, MHD_GET_ARGUMENT_KIND, name);
	unsigned int major, minor;
	unsigned long ino;
	char rest;

	*file = NO_LIT;
	if (!arg || !*arg)
		return true;
	if (strlen(arg) > 40 || sscanf(arg, "%u:%u %lu%c", &major, &minor, &ino, &rest) != 3)
		return false;
	*file = serve_view_find(r->view, major, minor, ino);
	return true;
}

/* A block address within a part. */
static bool read_place(const struct request *r, uint64_t *part, uint64_t *first)
{
	const struct runs *runs = &r->view->runs;

	return runs->n_parts && read_number(r, "volume", runs->n_parts - 1, part) &&
	       read_number(r, "first", BLK_MAX, first) && *first >= runs->parts[*part].first_blk &&
	       *first < runs->parts[*part].end_blk;
}

/* Each of these writes an answer. Return: why it cannot, or NULL. */
static const char *answer_page(const struct request *r)
{
	html_put(r->file, serve_put_table, r->view);
	return NULL;
}

static const char *answer_table(const struct request *r)
{
	serve_put_table(r->json, r->view);
	return NULL;
}

static const char *answer_cells(const struct request *r)
{
	struct serve_cells cells;
	uint64_t part;

	if (!read_place(r, &part, &cells.first) || !read_number(r, "per", BLK_MAX, &cells.per) || !cells.per ||
	    !read_number(r, "n", SERVE_MAX_CELLS, &cells.n) || !cells.n || !read_file(r, "lit", &cells.lit))
		return "expected volume=, first= (a block of it), per= (blocks in a cell), n= (cells, at most 16384)\n";
	cells.part = (size_t)part;
	serve_put_cells(r->json, NULL, r->view, &cells);
	return NULL;
}

static const char *answer_blocks(const struct request *r)
{
	uint64_t part, first, end;

	if (!read_place(r, &part, &first) || !read_number(r, "end", (uint64_t)BLK_MAX + 1, &end) || end <= first ||
	    end > r->view->runs.parts[part].end_blk)
		return "expected volume=, first= and end= (blocks of it)\n";
	serve_put_blocks(r->json, r->view, (size_t)part, first, end);
	return NULL;
}

static const char *answer_files(const struct request *r)
{
	const char *sort = MHD_lookup_connection_value(r->connection, MHD_GET_ARGUMENT_KIND, "sort");
	struct serve_list list = {
		.sort = N_SORTS, .find = MHD_lookup_connection_value(r->connection, MHD_GET_ARGUMENT_KIND, "find"),
		.folder = MHD_lookup_connection_value(r->connection, MHD_GET_ARGUMENT_KIND, "folder"),
	};
	bool is_one = MHD_lookup_connection_value(r->connection, MHD_GET_ARGUMENT_KIND, "key");
	uint64_t n, down = 1, from = 0;
	size_t i;

	for (i = 0; i < N_SORTS; i++)
		if (!sort || !strcmp(sort, serve_sorts[i])) {
			list.sort = (enum serve_sort)i;
			break;
		}
	if (list.sort == N_SORTS || !read_number(r, "n", SERVE_MAX_FILES, &n) || !read_file(r, "key", &list.only) ||
	    (MHD_lookup_connection_value(r->connection, MHD_GET_ARGUMENT_KIND, "down") &&
	     !read_number(r, "down", 1, &down)) ||
	    (MHD_lookup_connection_value(r->connection, MHD_GET_ARGUMENT_KIND, "from") &&
	     !read_number(r, "from", UINT32_MAX, &from)))
		return "expected n= (at most 1000), sort= (extra, path, fragments, split or blocks), down= (0 or 1), from= "
		       "(the index of a file)\n";
	list.from = (size_t)from;
	list.n = is_one && list.only == NO_LIT ? 0 : (size_t)n;
	list.is_down = down;
	serve_put_files(r->json, r->view, &list);
	return NULL;
}

static const char *answer_fragments(const struct request *r)
{
	uint64_t first = 0;
	size_t file;

	if (!read_file(r, "key", &file) || file == NO_LIT ||
	    (MHD_lookup_connection_value(r->connection, MHD_GET_ARGUMENT_KIND, "first") &&
	     !read_number(r, "first", UINT32_MAX, &first)))
		return "expected key= (DEV INO of a file), first= (the index of a fragment)\n";
	serve_put_fragments(r->json, r->view, file, (size_t)first);
	return NULL;
}

static const char *answer_plot(const struct request *r)
{
	size_t file;

	if (!read_file(r, "key", &file) || file == NO_LIT)
		return "expected key= (DEV INO of a file)\n";
	r->server->plot(r->server->arg, r->view, file, r->file);
	return NULL;
}

static const char *answer_why(const struct request *r)
{
	size_t file;

	if (!read_file(r, "key", &file) || file == NO_LIT)
		return "expected key= (DEV INO of a file)\n";
	why_one(r->file, r->view->runs.table, r->view->name, (uint32_t)file);
	return NULL;
}

/* === Requests === */

static const struct {
	const char *name;
	const char *type;
	const char *(*answer)(const struct request *request);
} answers[] = {
	{ "", "text/html; charset=utf-8", answer_page },
	{ "table", "application/json", answer_table },
	{ "cells", "application/json", answer_cells },
	{ "blocks", "application/json", answer_blocks },
	{ "files", "application/json", answer_files },
	{ "fragments", "application/json", answer_fragments },
	{ "plot", "image/png", answer_plot },
	{ "why", "text/plain; charset=utf-8", answer_why },
};

/* As long for each token: the time of a comparison must not tell how much of it is right. */
static bool has_token(const struct server *server, const char *path)
{
	unsigned char difference = 0;
	size_t i;

	if (strlen(path) <= TOKEN_LEN || path[0] != '/' || path[1 + TOKEN_LEN] != '/')
		return false;
	for (i = 0; i < TOKEN_LEN; i++)
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

/* === Tables === */

static void drop(struct served *served)
{
	if (!served->view)
		return;
	serve_view_free(served->view);
	free(served->view);
	*served = (struct served){ 0 };
}

static uint64_t all_extents(const struct server *server)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < SERVE_MAX_VIEWS; i++)
		n += server->served[i].view ? server->served[i].view->table.n_extents : 0;
	return n;
}

/* The one that was not used for the longest time. */
static struct served *oldest(struct server *server)
{
	struct served *found = NULL;
	size_t i;

	for (i = 0; i < SERVE_MAX_VIEWS; i++)
		if (server->served[i].view && (!found || server->served[i].used < found->used))
			found = &server->served[i];
	return found;
}

static struct served *find_served(struct server *server, const char *at)
{
	size_t i;

	for (i = 0; i < SERVE_MAX_VIEWS; i++)
		if (server->served[i].view && !strcmp(server->served[i].at, at))
			return &server->served[i];
	return NULL;
}

/**
 * server_new_view() - begin a table
 * @server: the server
 *
 * Return: to be filled by serve_view_fill(), then for server_add_view(), or to be freed with free() if it is empty.
 */
struct serve_view *server_new_view(struct server *server)
{
	struct serve_view *view = xcalloc(1, sizeof(*view));

	view->generation = ++server->generation;
	view->interval_ns = server->interval_ns;
	view->has_moments = server->recording.dir;
	return view;
}

/**
 * server_add_view() - show a table
 * @server: the server
 * @view: the table; owned by @server afterwards
 * @at: its moment as requests name it; an empty one replaces the table that is shown first
 */
void server_add_view(struct server *server, struct serve_view *view, const char *at)
{
	struct served *same = find_served(server, at);
	size_t n = 0, i;

	if (same)
		drop(same);
	for (i = 0; i < SERVE_MAX_VIEWS; i++)
		n += server->served[i].view != NULL;
	for (; n && (n >= server->most || all_extents(server) + view->table.n_extents > SERVE_MAX_EXTENTS); n--)
		drop(oldest(server));
	for (i = 0; server->served[i].view; i++)
		;
	server->served[i] = (struct served){ .view = view, .used = ++server->used };
	snprintf(server->served[i].at, SERVE_AT_MAX, "%s", at);
}

/*
 * Find the table that a request is about: that of a moment, or the one that was shown first.
 *
 * Return: NULL, or why there is none, to be freed.
 */
static char *find_view(struct server *server, const char *at, struct serve_view **found, unsigned int *status)
{
	struct served *served = find_served(server, at);
	struct serve_view *view;
	struct moment moment;
	char *trouble;

	if (served) {
		served->used = ++server->used;
		*found = served->view;
		return NULL;
	}
	*status = MHD_HTTP_NOT_FOUND;
	if (!server->recording.dir)
		return xasprintf("no table of that moment: this is no recording");
	if (strlen(at) >= SERVE_AT_MAX || (*at && !moment_parse(&moment, at))) {
		*status = MHD_HTTP_BAD_REQUEST;
		return xasprintf("at=: expected " MOMENT_FORM);
	}
	view = server_new_view(server);
	trouble = server->show(server->arg, view, *at ? &moment : NULL);
	if (trouble) {
		free(view);
		return trouble;
	}
	server_add_view(server, view, at);
	*found = view;
	return NULL;
}

/* Other colours than the last request had. Return: false if there are none of that name. */
static bool recolor(struct server *server, struct serve_view *view, const char *by)
{
	struct colors *colors;

	if (!strcmp(by, view->colors.source->name))
		return true;
	colors = server->colors(server->arg, by);
	if (!colors)
		return false;
	serve_view_color(view, colors);
	view->generation = ++server->generation;
	return true;
}

static bool is_known(struct MHD_Connection *connection, uint64_t generation)
{
	const char *known = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "If-None-Match");
	char tag[32];

	snprintf(tag, sizeof(tag), "\"%ju\"", (uintmax_t)generation);
	return known && !strcmp(known, tag);
}

static enum MHD_Result answer(const struct server *server, const struct serve_view *view,
			      struct MHD_Connection *connection, size_t which)
{
	struct request request = { .connection = connection, .server = server, .view = view };
	uint64_t generation = view->generation;
	struct MHD_Response *response;
	struct json json = { 0 };
	const char *trouble;
	size_t len;
	char *buf;

	if (is_known(connection, generation)) {
		response = MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
		return response ? respond(connection, MHD_HTTP_NOT_MODIFIED, answers[which].type, response, generation) :
				  MHD_NO;
	}
	request.file = json.file = open_memstream(&buf, &len);
	if (!request.file)
		return refuse(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "no memory\n");
	request.json = &json;
	trouble = answers[which].answer(&request);
	if (fclose(request.file) || trouble) {
		free(buf);
		return trouble ? refuse(connection, MHD_HTTP_BAD_REQUEST, trouble) :
				 refuse(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "no memory\n");
	}
	response = MHD_create_response_from_buffer(len, buf, MHD_RESPMEM_MUST_FREE);
	if (!response)
		free(buf);
	return response ? respond(connection, MHD_HTTP_OK, answers[which].type, response, generation) : MHD_NO;
}

/* @why is freed. */
static enum MHD_Result refuse_moment(struct MHD_Connection *connection, unsigned int status, char *why)
{
	char *line = xasprintf("%s\n", why);
	enum MHD_Result result = refuse(connection, status, line);

	free(line);
	free(why);
	return result;
}

static enum MHD_Result answer_at(struct server *server, struct MHD_Connection *connection, size_t which)
{
	const char *at = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "at");
	const char *by = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "by");
	struct serve_view *view = NULL;
	unsigned int status;
	char *trouble = find_view(server, at ? at : "", &view, &status);

	if (!trouble && !recolor(server, view, by ? by : view->own_coloring)) {
		status = MHD_HTTP_BAD_REQUEST;
		trouble = xasprintf("expected by= (kind, severity, size, cause, why, process or age)");
	}
	return trouble ? refuse_moment(connection, status, trouble) : answer(server, view, connection, which);
}

/* It does not depend on the table that is shown, and grows while the recording is written. */
static enum MHD_Result answer_recording(const struct server *server, struct MHD_Connection *connection)
{
	const struct request request = { .connection = connection };
	struct MHD_Response *response;
	uint64_t first = 0;
	struct text json;
	char *trouble;

	if (!server->recording.dir)
		return refuse(connection, MHD_HTTP_NOT_FOUND, "this is no recording\n");
	if (MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "first") &&
	    !read_number(&request, "first", UINT32_MAX, &first))
		return refuse(connection, MHD_HTTP_BAD_REQUEST, "expected first= (the index of a snapshot)\n");
	trouble = serve_recording_spans(&server->recording, (size_t)first, &json);
	if (trouble)
		return refuse_moment(connection, MHD_HTTP_NOT_FOUND, trouble);
	response = MHD_create_response_from_buffer(json.len, json.buf, MHD_RESPMEM_MUST_FREE);
	if (!response)
		text_free(&json);
	return response ? respond(connection, MHD_HTTP_OK, "application/json", response, 0) : MHD_NO;
}

static enum MHD_Result on_request(void *arg, struct MHD_Connection *connection, const char *path, const char *method,
				  const char *version, const char *upload, size_t *upload_len, void **state)
{
	struct server *server = arg;
	static int is_begun;
	size_t i;

	(void)version;
	(void)upload;
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
	if (!strcmp(path + TOKEN_LEN + 2, "recording"))
		return answer_recording(server, connection);
	for (i = 0; i < ARRAY_LEN(answers); i++)
		if (!strcmp(path + TOKEN_LEN + 2, answers[i].name))
			return answer_at(server, connection, i);
	return refuse(connection, MHD_HTTP_NOT_FOUND, "expected table, cells, blocks, files, fragments, plot or recording\n");
}

/* === Server === */

static volatile sig_atomic_t is_stopping;

static void on_stop(int sig)
{
	(void)sig;
	is_stopping = 1;
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
	on_signals(on_stop);
}

static void make_token(char token[TOKEN_LEN + 1])
{
	unsigned char bytes[TOKEN_BYTES];
	size_t i;

	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		die("cannot get random numbers: %s", strerror(errno));
	for (i = 0; i < TOKEN_BYTES; i++)
		snprintf(token + 2 * i, 3, "%02x", bytes[i]);
}

static int listen_on(const struct serve_address *address)
{
	int fd = socket(address->storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), yes = 1;
	char *name = serve_address_text(address);

	/* of an earlier server, connections may still be in TIME_WAIT */
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) ||
	    bind(fd, (const struct sockaddr *)&address->storage, address->len) || listen(fd, MAX_CONNECTIONS))
		die("cannot listen on %s: %s%s", name, strerror(errno),
		    errno == EADDRINUSE ? "; expected another port: -l ADDR:PORT, or port 0 for any" : "");
	free(name);
	return fd;
}

/* Messages of the library may have paths of requests, with the token. */
static void log_nothing(void *arg, const char *fmt, va_list ap)
{
	(void)arg;
	(void)fmt;
	(void)ap;
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

	*server = (struct server){ .most = SERVE_MAX_VIEWS, .interval_ns = interval_ns };
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
 * server_set_recording() - let requests name moments
 * @server: the server
 * @recording: the recording
 * @show: fills a view with a moment; NULL stands for the one that is shown first. Returns NULL, or why there is none,
 *	to be freed
 */
void server_set_recording(struct server *server, const struct serve_recording *recording,
			  char *(*show)(void *arg, struct serve_view *view, const struct moment *moment))
{
	server->recording = *recording;
	server->show = show;
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
	char *text;

	if (!info || getsockname(info->listen_fd, (struct sockaddr *)&bound.storage, &bound.len))
		die("cannot name the address: %s", strerror(errno));
	text = serve_address_text(&bound);
	if (!serve_address_is_local(address))
		warn("%s can be reached from other machines, unencrypted: who reads the URL on its way sees names of files",
		     text);
	if (*server->name)
		printf("http://%s%s/%s/\n", server->name, strrchr(text, ':'), server->token);
	else
		printf("http://%s/%s/\n", text, server->token);
	if (fflush(stdout) || ferror(stdout))
		die("<stdout>: %s", strerror(errno));
	free(text);
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
	while (!is_stopping && (!until_ns || monotonic_ns() < until_ns)) {
		struct pollfd poll = { .fd = server->poll_fd, .events = POLLIN };
		int64_t ns = wait_ns(server, until_ns);
		struct timespec t = { .tv_sec = ns / NSEC_PER_SEC, .tv_nsec = ns % NSEC_PER_SEC };

		if (ppoll(&poll, 1, &t, &none) < 0 && errno != EINTR)
			die("cannot wait for requests: %s", strerror(errno));
		MHD_run(server->daemon);
		/* connections that this has closed may make room for waiting ones, which only the next call accepts */
		MHD_run(server->daemon);
	}
	return !is_stopping;
}

/**
 * server_close() - end all connections
 * @server: the server
 */
void server_close(struct server *server)
{
	size_t i;

	MHD_stop_daemon(server->daemon);
	for (i = 0; i < SERVE_MAX_VIEWS; i++)
		drop(&server->served[i]);
}
