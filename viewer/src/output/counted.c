// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: which volume something was counted of, and since when. Modules before that was added do not say it.
 */
#include "input/fields.h"
#include "output/counted.h"
#include "output/json.h"

/**
 * say_counted() - begin what is said of a volume
 * @out: where to: "254:0, since 2026-11-29 12:00:04"
 * @text: the file of debugfs, as observed_parse() has left it
 * @major: device number
 * @minor: device number
 */
void say_counted(FILE *out, const struct text *text, unsigned int major, unsigned int minor)
{
	int64_t since = observed_since(text, major, minor);

	fprintf(out, "%u:%u", major, minor);
	if (since >= 0)
		fprintf(out, ", since %s", format_time((char [TIME_TEXT_MAX]){ 0 }, since, 0));
}

/**
 * put_counted() - begin the object of a volume
 * @json: where to
 * @text: the file of debugfs, as observed_parse() has left it
 * @major: device number
 * @minor: device number
 */
void put_counted(struct json *json, const struct text *text, unsigned int major, unsigned int minor)
{
	int64_t since = observed_since(text, major, minor);

	json_format(json, "dev", "%u:%u", major, minor);
	json_maybe(json, "since", (uint64_t)since, since >= 0);
}
