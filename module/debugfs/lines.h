/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Texts in debugfs: a head, and lines that are copied when a reader opens the file.
 */
#ifndef FT_LINES_H
#define FT_LINES_H

#include <linux/seq_file.h>
#include <linux/types.h>

#include "debugfs/snapshot.h"

struct ft_inode;
struct ft_volume;

/**
 * struct ft_lines - what one reader of a text sees
 * @text: the text
 * @snap: the snapshot that it is made of; %NULL if it needs none
 * @vec: its lines, each of text->size bytes
 * @since: when the counts of each volume began, if they can be reset
 * @moved: files have lost their numbers to the rest while they were copied
 */
struct ft_lines {
	const struct ft_text *text;
	struct ft_snapshot *snap;
	struct ft_vec vec;
	struct ft_vec since;
	bool moved;
};

/**
 * struct ft_line - what the lines of a text that shows the device first begin with
 * @kind: which kind of line, if there are several
 * @dev: the volume
 * @order: among the lines of one kind and volume
 */
struct ft_line {
	u32 kind;
	dev_t dev;
	u64 order;
};

/**
 * struct ft_text - a text
 * @name: of the file
 * @version: of its format; 0: the first line does not name it
 * @on: its parameter; if it is off the text has nothing but a line that says so, and @columns
 * @parameter: the name of that
 * @columns: the last lines of the head, or %NULL
 * @view: which snapshot it needs
 * @size: bytes of a line, as it is kept
 * @each: with FT_VIEW_PATHS: called for each file of the snapshot, whose record cannot go
 *	meanwhile. Returns 0 or an error
 * @volume: add the lines of a volume. Returns 0 or an error
 * @compare: the order of the lines, for sort()
 * @complete: do the rest. Returns 0 or an error
 * @head: print more of the head, before @columns. This may be all of the text
 * @show: print a line
 * @of_devices: lines begin with a &struct ft_line: the device is printed before each, and a
 *	newline after it
 * @ops: instead of all of these: how to print it
 * @write: do what is written, one line, whose escapes have been replaced. Returns 0, an
 *	error that has been logged, or 1 if this is none of @words
 * @words: what may be written then, for the log
 * @reset: instead of both: reset the counts of a volume. Not called if @on is off, as @each,
 *	@volume and @complete
 *
 * Only @name is needed. All functions run in a process, and may sleep.
 */
struct ft_text {
	const char *name;
	unsigned int version;
	const bool *on;
	const char *parameter;
	const char *columns;
	enum ft_view view;
	size_t size;
	int (*each)(struct ft_lines *lines, struct ft_inode *rec, u32 file);
	int (*volume)(struct ft_lines *lines, struct ft_volume *vol);
	int (*compare)(const void *a, const void *b);
	int (*complete)(struct ft_lines *lines);
	void (*head)(struct seq_file *m, const struct ft_lines *lines);
	void (*show)(struct seq_file *m, const struct ft_lines *lines, const void *line);
	bool of_devices;
	const struct seq_operations *ops;
	int (*write)(const char *line);
	const char *words;
	void (*reset)(struct ft_volume *vol);
};

extern const struct file_operations ft_text_fops;

void *ft_lines_add(struct ft_lines *lines);
void *ft_lines_add_of(struct ft_lines *lines, const struct ft_volume *vol, u32 kind, u64 order);
int ft_lines_compare(const void *a, const void *b);

/* Take the line that was added last back. */
static inline void ft_lines_take_back(struct ft_lines *lines)
{
	lines->vec.nr--;
}

#endif
