// SPDX-License-Identifier: GPL-2.0-only
/*
 * Before the pipeline: a point in time of a recording, as --at has it.
 *
 *	start, end, 90, 60s, 1.5s, 5m, 1h30m		after the beginning
 *	2026-05-04T03:02[:01[.123]][Z|+02:00| UTC| CET]	with a space instead of the T, too; local time without a zone,
 *							or with a name of its own
 */

#include "clock.h"
#include "input/moment.h"

/* Hours and seconds of a span have at most this many digits. */
#define MAX_DIGITS 9

/* === Parts === */

/* Return: false if there is no digit, or too many. */
static bool read_number(const char **at, uint64_t *value)
{
	size_t digits = strspn(*at, "0123456789");

	if (!digits || digits > MAX_DIGITS)
		return false;
	for (*value = 0; digits--; (*at)++)
		*value = *value * 10 + (uint64_t)(**at - '0');
	return true;
}

/* Exactly so many digits, then a character if it is not NUL. */
static bool read_field(const char **at, int digits, char then, int *value)
{
	for (*value = 0; digits--; (*at)++) {
		if (**at < '0' || **at > '9')
			return false;
		*value = *value * 10 + (**at - '0');
	}
	return !then || *(*at)++ == then;
}

/* ".5" as nanoseconds; digits after the ninth do not count. */
static bool read_fraction(const char **at, uint64_t *ns)
{
	uint64_t unit = NSEC_PER_SEC / 10;

	*ns = 0;
	if (**at != '.')
		return true;
	if (!strspn(++*at, "0123456789"))
		return false;
	for (; **at >= '0' && **at <= '9'; (*at)++, unit /= 10)
		*ns += unit * (uint64_t)(**at - '0');
	return true;
}

/* === A span === */

/* A number and its unit, if the text has one here. */
static bool take_unit(const char **at, char unit, uint64_t seconds, uint64_t *ns)
{
	const char *p = *at;
	uint64_t value;

	if (!read_number(&p, &value) || *p != unit)
		return false;
	*at = p + 1;
	*ns += value * seconds * NSEC_PER_SEC;
	return true;
}

static bool parse_span(const char *text, uint64_t *ns)
{
	const char *at = text;
	uint64_t seconds, fraction;

	*ns = 0;
	take_unit(&at, 'h', 3600, ns);
	take_unit(&at, 'm', 60, ns);
	if (*at) {
		if (!read_number(&at, &seconds) || !read_fraction(&at, &fraction))
			return false;
		*ns += seconds * NSEC_PER_SEC + fraction;
		at += *at == 's';
	}
	return *text && !*at;
}

/* === A date === */

/* @is_dst: below 0 if that is not said */
static bool parse_zone(const char *at, bool *is_local, int *is_dst, int *seconds)
{
	int hours, minutes, sign = *at == '-' ? -1 : 1;

	*seconds = 0;
	*is_dst = -1;
	*is_local = !*at;
	if (!*at || !strcmp(at, "Z") || !strcmp(at, " UTC"))
		return true;
	if (*at == ' ') {
		*is_dst = clock_zone(at + 1);
		*is_local = true;
		return *is_dst >= 0;
	}
	if ((*at != '+' && *at != '-') || !read_field((at++, &at), 2, ':', &hours) ||
	    !read_field(&at, 2, '\0', &minutes) || *at || hours > 23 || minutes > 59)
		return false;
	*seconds = sign * (hours * 3600 + minutes * 60);
	return true;
}

static bool parse_clock(const char **at, struct tm *tm, uint64_t *fraction)
{
	*fraction = 0;
	if (!read_field(at, 2, ':', &tm->tm_hour) || !read_field(at, 2, '\0', &tm->tm_min))
		return false;
	if (**at == ':') {
		++*at;
		if (!read_field(at, 2, '\0', &tm->tm_sec) || !read_fraction(at, fraction))
			return false;
	}
	return tm->tm_hour < 24 && tm->tm_min < 60 && tm->tm_sec < 60;
}

static bool parse_date(const char *at, uint64_t *ns)
{
	struct tm tm = { 0 }, given;
	uint64_t fraction;
	bool is_local;
	int64_t when;
	int zone;

	if (!read_field(&at, 4, '-', &tm.tm_year) || !read_field(&at, 2, '-', &tm.tm_mon) ||
	    !read_field(&at, 2, '\0', &tm.tm_mday) || (*at != 'T' && *at != ' '))
		return false;
	at++;
	if (!parse_clock(&at, &tm, &fraction) || !parse_zone(at, &is_local, &tm.tm_isdst, &zone))
		return false;
	tm.tm_year -= 1900;
	tm.tm_mon--;
	given = tm;
	when = clock_seconds(&tm, is_local) - (is_local ? 0 : zone);
	/* the 31st of February is no date */
	if (tm.tm_mday != given.tm_mday || tm.tm_mon != given.tm_mon || when < 0)
		return false;
	*ns = (uint64_t)when * NSEC_PER_SEC + fraction;
	return true;
}

/**
 * moment_parse() - parse a point in time
 * @moment: the result
 * @text: the argument of an option
 *
 * Return: false if it is none; MOMENT_FORM says what is expected.
 */
bool moment_parse(struct moment *moment, const char *text)
{
	*moment = (struct moment){ .is_relative = true };
	if (!strcmp(text, "start"))
		return true;
	if (!strcmp(text, "end")) {
		moment->ns = UINT64_MAX;
		return true;
	}
	if (parse_span(text, &moment->ns))
		return true;
	moment->is_relative = false;
	return parse_date(text, &moment->ns);
}

/**
 * moment_text() - a point in time as one word, for lists; --at accepts it, and what format_time() writes
 * @buf: for the text
 * @ns: nanoseconds since 1970
 *
 * Return: @buf, in local time, with its zone, rounded down to a microsecond.
 */
const char *moment_text(char buf[MOMENT_MAX], uint64_t ns)
{
	char zone[8] = "";
	struct tm tm;

	if (!clock_parts((int64_t)(ns / NSEC_PER_SEC), &tm) || !strftime(buf, MOMENT_MAX, "%Y-%m-%dT%H:%M:%S", &tm) ||
	    !strftime(zone, sizeof(zone), "%z", &tm) || strlen(zone) != 5) {
		snprintf(buf, MOMENT_MAX, "an unknown time");
		return buf;
	}
	snprintf(buf + strlen(buf), MOMENT_MAX - strlen(buf), ".%06u%.3s:%s",
		 (unsigned int)(ns % NSEC_PER_SEC / 1000), zone, zone + 3);
	return buf;
}
