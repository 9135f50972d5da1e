// SPDX-License-Identifier: GPL-2.0-only
/*
 * In place of clock.c: Emscripten's time_t has 32 bits, and its names of zones are those of the browser. Times are in UTC.
 */
#include "clock.h"

#define SECONDS_PER_DAY 86400

/* In the Gregorian calendar, which repeats itself after so many years and days. */
#define CYCLE_YEARS 400
#define CYCLE_DAYS 146097

#define DAYS_BEFORE_1970 719162

/* Days from 1970 to the begin of a year after 0. */
static int64_t days_before(int64_t year)
{
	int64_t gone = year - 1;

	return gone * 365 + gone / 4 - gone / 100 + gone / CYCLE_YEARS - DAYS_BEFORE_1970;
}

static int days_in(int month, int64_t year)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	bool is_leap = days_before(year + 1) - days_before(year) == 366;

	return days[month] + (month == 1 && is_leap);
}

bool clock_parts(int64_t seconds, struct tm *tm)
{
	int64_t day = seconds / SECONDS_PER_DAY, year;
	int rest = (int)(seconds % SECONDS_PER_DAY);

	if (seconds < 0)
		return false;
	for (year = 1970 + day / CYCLE_DAYS * CYCLE_YEARS; days_before(year + 1) <= day; year++)
		;
	*tm = (struct tm){ .tm_year = (int)(year - 1900), .tm_yday = (int)(day - days_before(year)), .tm_wday = (int)((day + 4) % 7),
			   .tm_hour = rest / 3600, .tm_min = rest / 60 % 60, .tm_sec = rest % 60, .tm_zone = "UTC" };
	for (tm->tm_mday = tm->tm_yday + 1; tm->tm_mday > days_in(tm->tm_mon, year); tm->tm_mon++)
		tm->tm_mday -= days_in(tm->tm_mon, year);
	return true;
}

int64_t clock_seconds(struct tm *tm, bool is_local)
{
	int64_t year = tm->tm_year + INT64_C(1900), days, seconds;

	if (year < 1970 || tm->tm_mon < 0 || tm->tm_mon > 11)
		return -1;
	days = days_before(year) + tm->tm_mday - 1;
	for (int month = 0; month < tm->tm_mon; month++)
		days += days_in(month, year);
	seconds = days * SECONDS_PER_DAY + tm->tm_hour * 3600 + tm->tm_min * 60 + tm->tm_sec;
	return clock_parts(seconds, tm) ? seconds : -1;
}

int clock_zone(const char *name)
{
	return strcmp(name, "UTC") ? -1 : 0;
}

/* No file is from before 1970, so that 32 bits are enough until 2106. */
int64_t clock_ms(const struct timespec *t)
{
	return (uint32_t)t->tv_sec * INT64_C(1000) + t->tv_nsec / 1000000;
}
