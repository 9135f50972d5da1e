// SPDX-License-Identifier: GPL-2.0-only
/*
 * Questions about one block or segment of a volume, as users write them to the files
 * owner and victims; and the word that resets counts.
 *
 * A question counts for the open file that it was written to. A file that is open for
 * reading only has the answer to the latest question of any user.
 */

#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "core/volume.h"
#include "debugfs/query.h"

/* Protects the last question of each file. */
static DEFINE_MUTEX(last_lock);

/**
 * ft_query_read() - read a question
 * @file: the file it is written to
 * @ubuf: "MAJOR:MINOR NUMBER"
 * @count: its length
 * @q: the question, on success
 *
 * Context: process; may sleep.
 * Return: 0; -EINVAL if it is no question, -ENODEV if there is no such volume.
 */
int ft_query_read(const struct file *file, const char __user *ubuf, size_t count,
		  struct ft_question *q)
{
	unsigned int major, minor, number;
	struct ft_volume *vol;
	char line[48] = "", rest;

	if (count >= sizeof(line) || copy_from_user(line, ubuf, count) ||
	    sscanf(line, "%u:%u %u %c", &major, &minor, &number, &rest) != 3) {
		pr_err("%pD: \"MAJOR:MINOR NUMBER\" expected, the device as in the file table\n",
		       file);
		return -EINVAL;
	}
	*q = (struct ft_question){
		.asked = true,
		.dev = MKDEV(major, minor),
		.number = number,
	};
	vol = ft_query_volume(q);
	if (!vol) {
		pr_err("%pD: %u:%u is no volume with a watched directory\n",
		       file, major, minor);
		return -ENODEV;
	}
	ft_volume_put(vol);
	return 0;
}

/**
 * ft_query_reset() - the word "reset" is written to a file
 * @file: the file
 * @ubuf: what is written
 * @count: its length
 * @reset: resets the counts of a volume
 *
 * Context: process; may sleep.
 * Return: @count; -EINVAL if it is another word, with the reason in the log.
 */
ssize_t ft_query_reset(const struct file *file, const char __user *ubuf,
		       size_t count, void (*reset)(struct ft_volume *vol))
{
	char word[8] = "";
	struct ft_volume *vol;
	unsigned int n;

	if (count >= sizeof(word) || copy_from_user(word, ubuf, count) ||
	    strcmp(strim(word), "reset")) {
		pr_err("%pD: \"reset\" expected\n", file);
		return -EINVAL;
	}
	for (n = 0; (vol = ft_volume_nth(n)); n++) {
		reset(vol);
		ft_volume_put(vol);
	}
	return count;
}

/**
 * ft_query_keep() - keep a question for users who only read
 * @last: the last question of the file
 * @q: the question
 *
 * Context: process; may sleep.
 */
void ft_query_keep(struct ft_question *last, const struct ft_question *q)
{
	mutex_lock(&last_lock);
	*last = *q;
	mutex_unlock(&last_lock);
}

/**
 * ft_query_what() - the question that a reader gets the answer to
 * @last: the last question of the file
 * @own: what the reader has asked
 *
 * Context: process; may sleep.
 * Return: the question.
 */
struct ft_question ft_query_what(const struct ft_question *last,
				 const struct ft_question *own)
{
	struct ft_question q = *own;

	if (q.asked)
		return q;
	mutex_lock(&last_lock);
	q = *last;
	mutex_unlock(&last_lock);
	return q;
}

/**
 * ft_query_volume() - the volume of a question
 * @q: the question
 *
 * Context: any.
 * Return: the volume, to be given back by ft_volume_put(); NULL if none with its
 * device is watched.
 */
struct ft_volume *ft_query_volume(const struct ft_question *q)
{
	struct ft_volume *vol;
	unsigned int n;

	for (n = 0; (vol = ft_volume_nth(n)); n++) {
		if (vol->dev == q->dev)
			return vol;
		ft_volume_put(vol);
	}
	return NULL;
}
