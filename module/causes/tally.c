// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts of what the maps no longer show: breaks that were healed, and files that
 * got a block that another file could have used.
 *
 * In: reports of breaks.c. Out: counts for debugfs/tally.c. All tables are bounded: what
 * comes when a table is full is counted together.
 */

#include <linux/hash.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "causes/tally.h"
#include "causes/writer.h"
#include "core/base.h"
#include "core/bounds.h"
#include "core/memory.h"
#include "core/volume.h"

/* === Life ================================================================= */

static struct ft_extension *new_extension(struct ft_tally *tally,
					  const char *name, size_t len, gfp_t gfp)
{
	struct ft_extension *ext = ft_mem_zalloc(sizeof(*ext), gfp);

	if (!ext)
		return NULL;
	memcpy(ext->name, name, len);
	ext->number = tally->nr_extensions;
	tally->extension[ext->number] = ext;
	/* pairs with ft_tally_nr_extensions() */
	smp_store_release(&tally->nr_extensions, ext->number + 1);
	return ext;
}

/**
 * ft_tally_new() - begin to count for a volume
 *
 * Context: process.
 * Return: the counts, for ft_tally_free(); NULL if memory is short.
 */
struct ft_tally *ft_tally_new(void)
{
	static const char * const first[] = {
		[FT_EXTENSION_NONE] = "-",
		[FT_EXTENSION_OTHER] = "*",
		[FT_EXTENSION_UNWATCHED] = "unwatched",
	};
	struct ft_tally *tally = ft_mem_zalloc(sizeof(*tally), GFP_KERNEL);
	unsigned int i;

	if (!tally)
		return NULL;
	spin_lock_init(&tally->lock);
	for (i = 0; i < ARRAY_SIZE(first); i++)
		if (!new_extension(tally, first[i], strlen(first[i]), GFP_KERNEL)) {
			ft_tally_free(tally);
			return NULL;
		}
	return tally;
}

static void forget_pairs(struct ft_tally *tally)
{
	struct ft_pair *p;
	unsigned int i;

	guard(ft_spinlock)(&tally->lock);
	tally->other_pairs = 0;
	for (i = 0; i < FT_PAIR_CHAINS; i++) {
		while ((p = tally->chain[i])) {
			tally->chain[i] = p->next;
			tally->nr_pairs--;
			ft_mem_free(p, sizeof(*p));
		}
		/* writers wait for the lock */
		cond_resched_lock(&tally->lock);
	}
}

/**
 * ft_tally_free() - free the counts of a volume
 * @tally: the counts, or NULL; not in use any more
 */
void ft_tally_free(struct ft_tally *tally)
{
	unsigned int i;

	if (!tally)
		return;
	for (i = 0; i < tally->nr_extensions; i++)
		ft_mem_free(tally->extension[i], sizeof(struct ft_extension));
	forget_pairs(tally);
	ft_mem_free(tally, sizeof(*tally));
}

/* === Extensions =========================================================== */

/*
 * The extension of a file name: its end, from the last dot on; "-" if there is none, it is
 * only the dot or the whole name, or it is longer than FT_EXTENSION_LEN.
 */
static const char *extension_of(const char *name, size_t len)
{
	const char *dot = strrchr(name, '.');

	if (!dot || dot == name || !dot[1] || name + len - dot > FT_EXTENSION_LEN)
		return "-";
	return dot;
}

/* Replace the extension with the fewest files; the oldest such one. */
static struct ft_extension *replace_extension(struct ft_tally *tally, const char *name)
{
	struct ft_extension *least = tally->extension[FT_FIRST_EXTENSION], *ext;
	struct ft_extension *other = tally->extension[FT_EXTENSION_OTHER];
	unsigned int i, kind, nr = FT_MAX_EXTENSIONS;

	for (i = FT_FIRST_EXTENSION; i < FT_MAX_EXTENSIONS; i++) {
		ext = tally->extension[i];
		if (ext->weight < least->weight ||
		    (ext->weight == least->weight && ext->number < least->number))
			least = ext;
	}
	/* files keep the old number; a probe may still count one break here */
	WRITE_ONCE(least->number, least->number + nr);
	strscpy_pad(least->name, name, sizeof(least->name));
	for (kind = 0; kind < FT_NR_KINDS; kind++)
		if (atomic_read(&least->healed[kind]))
			atomic_add(atomic_xchg(&least->healed[kind], 0), &other->healed[kind]);
	return least;
}

/* The extension of a number, which may be out of date. */
static struct ft_extension *of_number(const struct ft_tally *tally, u32 number)
{
	struct ft_extension *ext = tally->extension[number & FT_EXTENSION_MASK];

	return READ_ONCE(ext->number) == number ? ext : tally->extension[FT_EXTENSION_OTHER];
}

static void file_gone(struct ft_tally *tally, u32 number)
{
	struct ft_extension *ext = of_number(tally, number);

	if (ext->weight)
		ext->weight--;
}

/**
 * ft_tally_extension() - the number of a file name's extension
 * @vol: the volume
 * @old: the number that the file had
 * @name: the name, NUL-terminated
 * @len: its length
 *
 * Context: process; ns_lock held.
 * Return: the number, %FT_EXTENSION_OTHER if it gets none.
 */
u32 ft_tally_extension(struct ft_volume *vol, u32 old, const char *name, size_t len)
{
	const char *text = extension_of(name, len);
	struct ft_tally *tally = vol->tally;
	struct ft_extension *ext = NULL;
	unsigned int i;

	/* usually it had the same before; only holders of ns_lock change extensions */
	lockdep_assert_held(&vol->ns_lock);
	if (!strcmp(of_number(tally, old)->name, text))
		return old;
	spin_lock(&tally->lock);
	file_gone(tally, old);
	for (i = 0; i < tally->nr_extensions && !ext; i++)
		if (!strcmp(tally->extension[i]->name, text))
			ext = tally->extension[i];
	if (!ext && tally->nr_extensions < FT_MAX_EXTENSIONS && ft_mem_room())
		ext = new_extension(tally, text, strlen(text), GFP_NOWAIT | __GFP_NOWARN);
	if (!ext && tally->nr_extensions == FT_MAX_EXTENSIONS)
		ext = replace_extension(tally, text);
	if (!ext)
		ext = tally->extension[FT_EXTENSION_OTHER];
	ext->weight++;
	spin_unlock(&tally->lock);
	return ext->number;
}

/**
 * ft_tally_file_gone() - a file is not followed any more
 * @vol: the volume
 * @extension: the number of its extension
 *
 * Context: process.
 */
void ft_tally_file_gone(struct ft_volume *vol, u32 extension)
{
	struct ft_tally *tally = vol->tally;

	/* nobody asks how many files these have */
	if (extension < FT_FIRST_EXTENSION)
		return;
	guard(ft_spinlock)(&tally->lock);
	file_gone(tally, extension);
}

/**
 * ft_tally_name() - the extension of a number
 * @vol: the volume
 * @extension: the number; it may be out of date
 * @name: room for %FT_EXTENSION_LEN + 1 bytes
 *
 * Context: process.
 */
void ft_tally_name(struct ft_volume *vol, u32 extension, char *name)
{
	struct ft_tally *tally = vol->tally;

	guard(ft_spinlock)(&tally->lock);
	strscpy(name, of_number(tally, extension)->name, FT_EXTENSION_LEN + 1);
}

/* === Counting ============================================================= */

/**
 * ft_tally_healed() - count a break that no longer exists
 * @vol: the volume
 * @extension: number of the file's extension
 * @cause: its cause
 *
 * Context: atomic.
 */
void ft_tally_healed(struct ft_volume *vol, u32 extension, u32 cause)
{
	struct ft_extension *ext = of_number(vol->tally, extension);

	atomic_inc(&ext->healed[cause & (FT_NR_KINDS - 1)]);
}

/**
 * ft_tally_pair() - count a file that got the block that another one needed
 * @vol: the volume
 * @pair: the two processes and extensions; other members are not used
 *
 * Context: atomic.
 */
void ft_tally_pair(struct ft_volume *vol, const struct ft_pair *pair)
{
	struct ft_tally *tally = vol->tally;
	u32 chain = hash_32(pair->victim * 31 ^ pair->culprit ^
			    pair->victim_ext << 8 ^ pair->culprit_ext << 20,
			    ilog2(FT_PAIR_CHAINS));
	unsigned int n = 0;
	struct ft_pair *p;
	bool full;

	guard(ft_spinlock)(&tally->lock);
	for (p = tally->chain[chain]; p && n++ < FT_MAX_SEARCHED; p = p->next)
		if (p->victim == pair->victim && p->culprit == pair->culprit &&
		    p->victim_ext == pair->victim_ext && p->culprit_ext == pair->culprit_ext)
			break;
	ft_check_steps(n, FT_MAX_SEARCHED + 1);
	/* a pair farther back in a long chain would not be found any more */
	full = n > FT_MAX_SEARCHED || tally->nr_pairs == FT_MAX_PAIRS;
	if (n > FT_MAX_SEARCHED)
		p = NULL;
	if (!p && !full && ft_mem_room()) {
		p = ft_mem_zalloc(sizeof(*p), GFP_NOWAIT | __GFP_NOWARN);
		if (p) {
			*p = *pair;
			p->times = 0;
			p->next = tally->chain[chain];
			tally->chain[chain] = p;
			tally->nr_pairs++;
		}
	}
	if (p)
		p->times++;
	else
		tally->other_pairs++;
}

/**
 * ft_tally_reset() - set all counts to 0, and forget all pairs
 * @vol: the volume
 *
 * There is room for other pairs then.
 *
 * Context: process.
 */
void ft_tally_reset(struct ft_volume *vol)
{
	struct ft_tally *tally = vol->tally;
	unsigned int i, kind;

	/* extensions stay */
	for (i = 0; i < ft_tally_nr_extensions(tally); i++)
		for (kind = 0; kind < FT_NR_KINDS; kind++)
			atomic_set(&tally->extension[i]->healed[kind], 0);
	forget_pairs(tally);
}
