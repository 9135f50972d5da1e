/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts of what the maps no longer show, per volume.
 */
#ifndef FT_TALLY_H
#define FT_TALLY_H

#include <linux/atomic.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "format/cause.h"

struct ft_volume;

/* Kinds of breaks: all combinations of op, flush and why_here. */
#define FT_KIND_BITS		FT_CAUSE_WRITER_SHIFT
#define FT_NR_KINDS		(1U << FT_KIND_BITS)

/* Length with the dot, without a NUL. A longer extension, or none, is "-". */
#define FT_EXTENSION_LEN	15
/*
 * The largest number of extensions; the first three are always the same. If there
 * are so many, a new one replaces the extension with the fewest files, and
 * what was counted for it goes to FT_EXTENSION_OTHER.
 */
#define FT_MAX_EXTENSIONS	64
#define FT_EXTENSION_NONE	0
#define FT_EXTENSION_OTHER	1
#define FT_EXTENSION_UNWATCHED	2
#define FT_FIRST_EXTENSION	3

/*
 * The number of an extension is its index, and in the higher bits, how often the one
 * of that index was replaced. A number that is out of date is FT_EXTENSION_OTHER.
 */
#define FT_EXTENSION_MASK	(FT_MAX_EXTENSIONS - 1)

/**
 * struct ft_extension - an extension of file names
 * @name: from the dot on
 * @number: its number
 * @weight: its files. One that replaced another has the other's files, too:
 *	so one that comes again and again outweighs those that come once.
 * @healed: breaks that were healed, by kind
 */
struct ft_extension {
	char name[FT_EXTENSION_LEN + 1];
	u32 number;
	u32 weight;
	atomic_t healed[FT_NR_KINDS];
};

/**
 * struct ft_pair - a file got the block that another one needed
 * @next: in its chain of the hash table
 * @victim: writer of the block that could not follow (&struct ft_writer)
 * @culprit: writer of the block that was there instead
 * @victim_ext: number of the extension of the first file
 * @culprit_ext: of the second one
 * @times: how often
 */
struct ft_pair {
	struct ft_pair *next;
	u32 victim;
	u32 culprit;
	u32 victim_ext;
	u32 culprit_ext;
	u64 times;
};

#define FT_PAIR_CHAINS		256
#define FT_MAX_PAIRS		4096

/**
 * struct ft_tally - the counts of a volume
 * @lock: protects all of this but @healed of extensions. Extensions and pairs stay
 *	once they are added; only @times of a pair changes, and what an extension is
 * @extension: by index
 * @nr_extensions: how many there are
 * @chain: pairs, a hash table
 * @nr_pairs: how many there are
 * @other_pairs: how often it was a pair that is not among them
 */
struct ft_tally {
	spinlock_t lock;
	struct ft_extension *extension[FT_MAX_EXTENSIONS];
	unsigned int nr_extensions;
	struct ft_pair *chain[FT_PAIR_CHAINS];
	unsigned int nr_pairs;
	u64 other_pairs;
};

/**
 * ft_tally_nr_extensions() - how many extensions there are, for who does not hold the lock
 * @tally: the counts
 *
 * Context: any.
 * Return: so many of @tally->extension are there, and stay.
 */
static inline unsigned int ft_tally_nr_extensions(const struct ft_tally *tally)
{
	/* pairs with new_extension() */
	return smp_load_acquire(&tally->nr_extensions);
}

struct ft_tally *ft_tally_new(void);
void ft_tally_free(struct ft_tally *tally);
u32 ft_tally_extension(struct ft_volume *vol, u32 old, const char *name, size_t len);
void ft_tally_file_gone(struct ft_volume *vol, u32 extension);
void ft_tally_name(struct ft_volume *vol, u32 extension, char *name);
void ft_tally_healed(struct ft_volume *vol, u32 extension, u32 cause);
void ft_tally_pair(struct ft_volume *vol, const struct ft_pair *pair);
void ft_tally_reset(struct ft_volume *vol);

#endif
