// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test helper, for LD_PRELOAD: the running module, tracefs, and F2FS's files are what the test has written. All of it is
 * in the folder $FAKE:
 *	sys/ proc/ dev/	files that are read instead of those of the machine
 *	zones/DEV.N	report N of the zones of a device, from 0 on: records of struct blk_zone; without it, the device has none
 *	tracing/	files of an instance; without this folder, tracefs is not mounted
 *	instances	names of instances that are there, one in a line
 *	format/EVENT	of an event of the module
 *	readings/N	what reading N of the buffers finds, from 0 on: number of an event, nanoseconds of the monotonic
 *			clock, and bytes in hexadecimal; a negative time is so much later than the reading
 *	fail/NAME	errno of writing to the file NAME of an instance, of "create" and "enable", or of "open" of the files above
 *	debugfs		is there if debugfs is mounted
 *	read		written here: a byte for each reading
 *	calls		written here: what was asked of tracefs
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/blkzoned.h>
#include <linux/magic.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>
#include <time.h>
#include <tracefs.h>
#include <unistd.h>

#define MAX_BYTES 256
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

struct tracefs_instance {
	char name[64];
};

/* === Files === */

static const char *in_fake(const char *folder, const char *name)
{
	static char paths[4][600];
	static unsigned int next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s%s", getenv("FAKE"), folder, name);
	return path;
}

static const char *instead(const char *path)
{
	return !strncmp(path, "/sys/", 5) || !strncmp(path, "/proc/fs/", 9) || !strncmp(path, "/proc/fragtrace", 15) ||
	       !strncmp(path, "/dev/fake", 9) || !strcmp(path, "/proc/self/mounts") ?
	       in_fake("", path + 1) : path;
}

/* The content of a file, to be freed; NULL if there is none. */
static char *content(const char *path)
{
	FILE *file = REAL(fopen)(path, "re");
	char *text = file ? calloc(1, 1 << 16) : NULL;

	if (text && !fread(text, 1, (1 << 16) - 1, file))
		*text = '\0';
	if (file)
		fclose(file);
	return text;
}

/* Return: whether this is to fail; errno says why. */
static bool fails(const char *name)
{
	char *text = content(in_fake("fail/", name));

	if (text)
		errno = atoi(text);
	free(text);
	return text != NULL;
}

int open(const char *path, int flags, ...)
{
	va_list ap;
	mode_t mode;

	va_start(ap, flags);
	mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, mode_t) : 0;
	va_end(ap);
	if (instead(path) != path && fails("open"))
		return -1;
	return REAL(open)(instead(path), flags, mode);
}

FILE *fopen(const char *path, const char *mode)
{
	return REAL(fopen)(instead(path), mode);
}

int access(const char *path, int mode)
{
	return REAL(access)(instead(path), mode);
}

int statfs(const char *path, struct statfs *fs)
{
	int rc = REAL(statfs)(instead(path), fs);

	if (!rc)
		fs->f_type = access(in_fake("debugfs", ""), F_OK) ? SYSFS_MAGIC : DEBUGFS_MAGIC;
	return rc;
}

ssize_t readlink(const char *path, char *to, size_t size)
{
	return REAL(readlink)(instead(path), to, size);
}

/* A report has five zones at most, so that there are several of a device. */
static int report_zones(const char *device, struct blk_zone_report *report)
{
	static unsigned int asked;
	char name[80];
	FILE *file;

	asked += !report->sector;
	snprintf(name, sizeof(name), "%s.%u", device, asked - 1);
	file = REAL(fopen)(in_fake("zones/", name), "re");
	if (!file || fails("zones"))
		return -1;
	report->nr_zones = 0;
	report->flags = BLK_ZONE_REP_CAPACITY;
	while (report->nr_zones < 5 && fread(&report->zones[report->nr_zones], sizeof(*report->zones), 1, file))
		report->nr_zones += report->zones[report->nr_zones].start >= report->sector;
	fclose(file);
	return 0;
}

int ioctl(int fd, unsigned long request, ...)
{
	char link[40], path[600] = "", first[80];
	const char *device;
	va_list ap;
	void *arg;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (request != BLKGETZONESZ && request != BLKREPORTZONE)
		return REAL(ioctl)(fd, request, arg);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (REAL(readlink)(link, path, sizeof(path) - 1) < 0)
		abort();
	device = strrchr(path, '/') + 1;
	if (request == BLKREPORTZONE)
		return report_zones(device, arg);
	snprintf(first, sizeof(first), "%s.0", device);
	*(unsigned int *)arg = access(in_fake("zones/", first), F_OK) ? 0 : 8192;
	return 0;
}

static void put(const char *name, const char *text)
{
	int fd = REAL(open)(in_fake("", name), O_WRONLY | O_CREAT | O_APPEND, 0600);

	if (write(fd, text, strlen(text)) < 0)
		abort();
	close(fd);
}

__attribute__((format(printf, 1, 2))) static void called(const char *format, ...)
{
	char line[200];
	va_list ap;

	va_start(ap, format);
	vsnprintf(line, sizeof(line), format, ap);
	va_end(ap);
	put("calls", line);
}

/* === Instances === */

const char *tracefs_tracing_dir(void)
{
	const char *dir = in_fake("tracing", "");

	return access(dir, F_OK) ? NULL : dir;
}

char **tracefs_instances(const char *regex)
{
	char *text = content(in_fake("instances", "")), *name, *next = NULL;
	char **list = calloc(10, sizeof(*list));
	size_t n = 0;

	(void)regex;
	for (name = text ? strtok_r(text, "\n", &next) : NULL; name; name = strtok_r(NULL, "\n", &next))
		list[n++] = strdup(name);
	free(text);
	return list;
}

void tracefs_list_free(char **list)
{
	size_t i;

	for (i = 0; list[i]; i++)
		free(list[i]);
	free(list);
}

struct tracefs_instance *tracefs_instance_create(const char *name)
{
	struct tracefs_instance *instance;

	if (fails("create"))
		return NULL;
	instance = calloc(1, sizeof(*instance));
	snprintf(instance->name, sizeof(instance->name), "%s", name);
	called("create %s\n", name);
	return instance;
}

int tracefs_instance_destroy(struct tracefs_instance *instance)
{
	called("destroy %s\n", instance->name);
	return 0;
}

void tracefs_instance_free(struct tracefs_instance *instance)
{
	free(instance);
}

const char *tracefs_instance_get_name(struct tracefs_instance *instance)
{
	return instance->name;
}

int tracefs_instance_file_write(struct tracefs_instance *instance, const char *file, const char *text)
{
	(void)instance;
	called("write %s %s\n", file, text);
	return fails(file) ? -1 : (int)strlen(text);
}

char *tracefs_instance_file_read(struct tracefs_instance *instance, const char *file, int *size)
{
	(void)instance;
	(void)size;
	return content(in_fake("tracing/", file));
}

int tracefs_event_enable(struct tracefs_instance *instance, const char *system, const char *event)
{
	(void)instance;
	called("enable %s %s\n", system, event);
	return fails("enable") ? -1 : 0;
}

int tracefs_event_disable(struct tracefs_instance *instance, const char *system, const char *event)
{
	(void)instance;
	called("disable %s%s%s\n", system, event ? " " : "", event ? event : "");
	return 0;
}

int tracefs_trace_on(struct tracefs_instance *instance)
{
	(void)instance;
	called("on\n");
	return 0;
}

int tracefs_trace_off(struct tracefs_instance *instance)
{
	(void)instance;
	called("off\n");
	return 0;
}

/* === Events === */

struct tep_handle *tracefs_local_events_system(const char *dir, const char *const *systems)
{
	static const char *const events[] = { "extent_change", "file_state" };
	struct tep_handle *tep = tep_alloc();
	size_t i;

	(void)dir;
	for (i = 0; i < 2; i++) {
		char *text = content(in_fake("format/", events[i]));

		if (text)
			tep_parse_event(tep, text, strlen(text), systems[0]);
		free(text);
	}
	return tep;
}

static int bytes_of(const char *hex, unsigned char *data)
{
	int n = 0;

	for (; n < MAX_BYTES && sscanf(hex + 2 * n, "%2hhx", &data[n]) == 1; n++)
		;
	return n;
}

static long long monotonic(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int tracefs_iterate_raw_events(struct tep_handle *tep, struct tracefs_instance *instance, cpu_set_t *cpus, int cpu_size,
			       int (*callback)(struct tep_event *, struct tep_record *, int, void *), void *context)
{
	static unsigned int n;
	char name[16], hex[2 * MAX_BYTES + 1];
	unsigned char data[MAX_BYTES];
	long long at;
	FILE *file;
	int id;

	(void)instance;
	(void)cpus;
	(void)cpu_size;
	snprintf(name, sizeof(name), "%u", n++);
	file = REAL(fopen)(in_fake("readings/", name), "re");
	while (file && fscanf(file, "%d %lld %512s", &id, &at, hex) == 3) {
		struct tep_record record = { .ts = (unsigned long long)(at < 0 ? monotonic() - at : at), .data = data };

		record.size = bytes_of(hex, data);
		callback(tep_find_event(tep, id), &record, 0, context);
	}
	if (file)
		fclose(file);
	put("read", ".");
	return 0;
}
