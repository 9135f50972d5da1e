// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: a page that reads files itself, with some in it. It has the reader (page/reader/) and the files as
 * they are, so it shows what fragtrace serve shows of them, and opens others that are dropped on it.
 *
 * Files are in base64, and names in JSON without <: neither can end the element that they are in.
 */
#include <sys/mman.h>

#include "conf.h"
#include "input/recording.h"
#include "input/source.h"
#include "outfile.h"
#include "output/html.h"
#include "output/page_file.h"

/**
 * struct page_inputs - what is in the page
 * @inputs: paths of tables, snapshots and recordings
 * @n: number of @inputs
 * @reader: the script of the reader
 */
struct page_inputs {
	char *const *inputs;
	size_t n;
	const struct text *reader;
};

/* The last part of a path. A folder that is named from itself has no name. To be freed. */
static char *name_of(const char *path)
{
	size_t end = strlen(path), begin;
	char *name;

	while (end && path[end - 1] == '/')
		end--;
	for (begin = end; begin && path[begin - 1] != '/'; begin--)
		;
	name = xasprintf("%.*s", (int)(end - begin), path + begin);
	if (*name && strcmp(name, ".") && strcmp(name, ".."))
		return name;
	free(name);
	return xasprintf("recording");
}

static void check_moment(const char *path, const struct moment *at, bool is_last)
{
	AUTO(source_free) struct source source;
	AUTO(table_free) struct table table;

	source_init(&source, path);
	source.at = *at;
	source_read_table(&source, &table, false);
	if (!table.n_volumes && is_last)
		die("%s: no directory is watched, so there is nothing to show", path);
}

/* Standard input is read twice: to be tried, and to be put into the page. Return: where it is from now on. */
static char *keep_stdin(void)
{
	static char path[] = "/dev/stdin";
	int fd = memfd_create("stdin", 0), err;
	AUTO(text_free) struct text text;

	err = slurp(&text, STDIN_FILENO);
	if (err == EFBIG)
		input_too_large("<stdin>");
	if (err)
		die("<stdin>: cannot read: %s", strerror(err));
	if (fd < 0 || write(fd, text.buf, text.len) != (ssize_t)text.len || dup2(fd, STDIN_FILENO) < 0)
		die("<stdin>: no memory to keep it: %s", strerror(errno));
	close(fd);
	return path;
}

/* What the reader would refuse is of no use in a page: of a recording, the last moment after each snapshot. */
static void check_input(const char *path)
{
	static const struct moment end = { .is_relative = true, .ns = UINT64_MAX };
	AUTO(recording_close) struct recording recording = { 0 };
	struct span span;

	if (recording_is(path))
		recording_open(&recording, path);
	for (size_t i = 0; i + 1 < recording.n; i++) {
		recording_span(&recording, i, &span);
		check_moment(path, &(struct moment){ .ns = span.last_ns }, false);
	}
	check_moment(path, &end, true);
}

/* Name, content and time of a file: a table may have no other time, and debugfs has none. Its name is that of its path, or another one. */
static void put_file(struct json *json, const char *path, const char *other_name)
{
	AUTO_FREE char *name = other_name ? xasprintf("%s", other_name) : name_of(path);
	AUTO(text_free) struct text text;
	int err = slurp_file(&text, path);
	FILE *file;

	if (err)
		die("%s: cannot read: %s", path, strerror(err));
	JSON_ARRAY(json, NULL);
	json_visible(json, NULL, name);
	file = json_value(json, NULL);
	putc('"', file);
	put_base64(file, text.buf, text.len);
	putc('"', file);
	json_signed(json, NULL, text.time_ms ? text.time_ms : (int64_t)time(NULL) * 1000);
}

/* F2FS's own state is in a folder, with one for each volume. */
static void put_state(struct json *json, const char *dir, const char *prefix)
{
	AUTO_CLOSEDIR DIR *stream = opendir(dir);
	struct dirent *entry;

	if (!stream)
		die("%s: cannot open: %s", dir, strerror(errno));
	while ((entry = readdir(stream))) {
		AUTO_FREE char *path = xasprintf("%s/%s", dir, entry->d_name), *name = xasprintf("%s/%s", prefix, entry->d_name);

		if (*entry->d_name == '.')
			continue;
		if (recording_is(path))
			put_state(json, path, name);
		else
			put_file(json, path, name);
	}
}

static void put_if_there(struct json *json, const char *path)
{
	if (!access(path, F_OK))
		put_file(json, path, NULL);
}

static void put_recording(struct json *json, const char *dir)
{
	static const char *const counts[] = { "discards", "gc_runs", "latency", "ledger" };
	AUTO(recording_close) struct recording recording;

	recording_open(&recording, dir);
	for (size_t i = 0; i < recording.n; i++) {
		const struct recorded *one = &recording.list[i];
		AUTO_FREE char *state = one->state ? name_of(one->state) : NULL;

		put_file(json, one->snapshot, NULL);
		if (one->events)
			put_file(json, one->events, NULL);
		for (size_t k = 0; k < ARRAY_LEN(counts); k++) {
			AUTO_FREE char *path = recorded_counts(one->snapshot, counts[k]);

			put_if_there(json, path);
		}
		if (state)
			put_state(json, one->state, state);
	}
	for (size_t k = 1; k < ARRAY_LEN(counts); k++) {
		AUTO_FREE char *path = xasprintf("%s/%s", dir, counts[k]);

		put_if_there(json, path);
	}
}

static void put_files(FILE *file, const void *arg)
{
	const struct page_inputs *page = arg;

	for (size_t i = 0; i < page->n; i++) {
		struct json json = { .file = file };

		fprintf(file, "<script type=\"application/json\" id=\"input%zu\">\n", i);
		json_array(&json, NULL);
		if (recording_is(page->inputs[i]))
			put_recording(&json, page->inputs[i]);
		else
			put_file(&json, page->inputs[i], NULL);
		json_end(&json);
		fputs("\n</script>\n", file);
	}
	fputs("<script type=\"text/plain\" id=\"reader\">\n", file);
	fwrite(page->reader->buf, 1, page->reader->len, file);
	fputs("</script>\n", file);
}

static void put_data(struct json *json, const void *arg)
{
	const struct page_inputs *page = arg;

	JSON_OBJECT(json, NULL);
	JSON_ARRAY(json, "inputs");
	for (size_t i = 0; i < page->n; i++) {
		AUTO_FREE char *name = name_of(page->inputs[i]);

		JSON_OBJECT(json, NULL);
		json_visible(json, "name", name);
		json_flag(json, "recording", recording_is(page->inputs[i]));
	}
}

/**
 * page_file_write() - write a page around tables, snapshots and recordings
 * @path: where to; "-" is standard output
 * @inputs: their paths, "-" is standard input; the first one is shown first
 * @n: number of @inputs; 0: the page opens files, and has none
 *
 * Ends the program if one of them cannot be read, or the page cannot be written.
 */
void page_file_write(const char *path, char **inputs, size_t n)
{
	AUTO_FREE char *reader_path = conf_find_installed("", "reader.js");
	AUTO(text_free) struct text reader;
	const struct page_inputs page = { inputs, n, &reader };
	struct outfile out;
	int err;

	if (!reader_path)
		die("this fragtrace was built without the reader of pages; build it: make page; fragtrace serve needs none");
	err = slurp_file(&reader, reader_path);
	if (err)
		die("%s: cannot read: %s", reader_path, strerror(err));
	if (input_limit() > PAGE_MAX_INPUT)
		set_input_limit(PAGE_MAX_INPUT, PAGE_MAX_REMEDY);
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(inputs[i], "-"))
			inputs[i] = keep_stdin();
		check_input(inputs[i]);
	}
	outfile_open(&out, path, "page");
	html_put(out.file, &(struct html){ HTML_READER, put_data, put_files, &page });
	outfile_close(&out);
}
