// SPDX-License-Identifier: GPL-2.0-only
/* Calendar times in the zone of the user. */
#include "clock.h"

/**
 * clock_parts() - date and time of a moment
 * @seconds: since 1970
 * @tm: the result, in local time
 *
 * Return: false if it has none.
 */
bool clock_parts(int64_t seconds, struct tm *tm)
{
	time_t when = (time_t)seconds;

	return localtime_r(&when, tm);
}

/**
 * clock_seconds() - the moment of a date and a time
 * @tm: its parts; what does not exist, such as the 31st of February, becomes what it is after that
 * @is_local: they are local time, otherwise UTC
 *
 * Return: seconds since 1970; below 0: before that, or it is none.
 */
int64_t clock_seconds(struct tm *tm, bool is_local)
{
	return is_local ? mktime(tm) : timegm(tm);
}

/**
 * clock_zone() - find a zone of local time by its name
 * @name: such as CET
 *
 * Return: 1 if it is that of summer time, 0 if it is the other one, below 0 if it is none of the two.
 */
int clock_zone(const char *name)
{
	tzset();
	return !strcmp(name, tzname[0]) ? 0 : !strcmp(name, tzname[1]) ? 1 : -1;
}

/**
 * clock_ms() - the time of a file
 * @t: as the kernel has it
 *
 * Return: ms since 1970.
 */
int64_t clock_ms(const struct timespec *t)
{
	return t->tv_sec * INT64_C(1000) + t->tv_nsec / 1000000;
}
