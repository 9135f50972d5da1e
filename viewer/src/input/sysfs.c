// SPDX-License-Identifier: GPL-2.0-only
/* Beside the pipeline: numbers in sysfs. */
#include "input/sysfs.h"

/**
 * sysfs_number() - read the number that a file begins with
 * @fmt: its path, as for printf
 *
 * Return: the number; UINT64_MAX: there is none.
 */
uint64_t sysfs_number(const char *fmt, ...)
{
	AUTO_FREE char *path = NULL;
	AUTO_FCLOSE FILE *file = NULL;
	uint64_t number;
	va_list ap;

	va_start(ap, fmt);
	xappend_args(&path, fmt, ap);
	va_end(ap);
	file = fopen(path, "re");
	return file && fscanf(file, "%" SCNu64, &number) == 1 ? number : UINT64_MAX;
}

/**
 * sysfs_queue() - read a number of the queue of a block device
 * @major: its number
 * @minor: likewise
 * @name: the name of the file
 *
 * The queue of a partition is that of its disk.
 *
 * Return: as sysfs_number().
 */
uint64_t sysfs_queue(unsigned int major, unsigned int minor, const char *name)
{
	uint64_t number = sysfs_number("/sys/dev/block/%u:%u/queue/%s", major, minor, name);

	return number != UINT64_MAX ? number : sysfs_number("/sys/dev/block/%u:%u/../queue/%s", major, minor, name);
}
