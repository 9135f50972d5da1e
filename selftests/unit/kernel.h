/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What extmap.c and extmap_test.c use of the kernel, in user space. The Makefile makes each header
 * of the kernel that they include a file that includes this one.
 */
#ifndef UNIT_KERNEL_H
#define UNIT_KERNEL_H

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint32_t __u32;
typedef unsigned long long u64;
#define aligned_u64		u64 __attribute__((aligned(8)))
#define gfp_t			unsigned int

struct atomic_long {
	long counter;
};
#define atomic_long_t		struct atomic_long

#define U32_MAX			UINT32_MAX
#define BIT(n)			(1UL << (n))
#define BIT_ULL(n)		(1ULL << (n))
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define noinline
#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#define __init
#define __exit
#define min(a, b)		({ __typeof__(a) min_a = (a); __typeof__(b) min_b = (b); min_a < min_b ? min_a : min_b; })
#define max(a, b)		({ __typeof__(a) max_a = (a); __typeof__(b) max_b = (b); max_a > max_b ? max_a : max_b; })
#define rounddown_pow_of_two(n)	(1UL << (63 - __builtin_clzl(n)))
#define array_size(n, size)	((size_t)(n) * (size))
#define struct_size(p, member, n)	(sizeof(*(p)) + sizeof((p)->member[0]) * (n))
#define container_of(p, type, member)	((type *)((char *)(p) - offsetof(type, member)))
#define memset32(to, value, n)	do { for (size_t i_ = 0; i_ < (size_t)(n); i_++) (to)[i_] = (value); } while (0)
#define cond_resched()		((void)0)

/* A warning ends the test. */
#define WARN_ONCE(condition, ...)	\
	({ bool warn_on = (condition); if (warn_on) { fprintf(stderr, __VA_ARGS__); abort(); } warn_on; })
#define pr_err(...)		fprintf(stderr, __VA_ARGS__)
#define pr_info(...)		fprintf(stderr, __VA_ARGS__)

#define ATOMIC_LONG_INIT(n)	{ n }
#define atomic_long_add(n, a)	((a)->counter += (n))
#define atomic_long_sub(n, a)	((a)->counter -= (n))
#define atomic_long_read(a)	((a)->counter)

/* Each node is allocated by itself, so that the sanitizers know its bounds. */
#define GFP_NOWAIT		0
#define __GFP_NOWARN		0
#define SLAB_NO_MERGE		0
#define kmalloc(bytes, gfp)	((void)(gfp), malloc(bytes))
#define kfree(p)		free(p)
#define vzalloc(bytes)		calloc(1, bytes)
#define vfree(p)		free(p)

/* Work that is queued is done when a node is allocated, or when it is waited for. */
struct work_struct {
	void (*func)(struct work_struct *work);
};

static struct work_struct *queued;

static inline void do_queued(void)
{
	struct work_struct *work = queued;

	queued = NULL;
	if (work)
		work->func(work);
}

#define DECLARE_WORK(name, f)	struct work_struct name = { f }
#define schedule_work(work)	((void)(queued = (work)))
#define flush_work(work)	((void)(work), do_queued())

struct kmem_cache {
	size_t size;
	long nr;
};

static inline struct kmem_cache *kmem_cache_create(const char *name, size_t size, size_t align, u32 flags, void *ctor)
{
	struct kmem_cache *cache = malloc(sizeof(*cache));

	if (cache)
		*cache = (struct kmem_cache){ .size = size };
	return cache;
}

static inline void kmem_cache_destroy(struct kmem_cache *cache)
{
	WARN_ONCE(cache->nr, "%ld nodes are left\n", cache->nr);
	free(cache);
}

static inline void *kmem_cache_alloc(struct kmem_cache *cache, gfp_t gfp)
{
	void *p;

	do_queued();
	p = malloc(cache->size);
	cache->nr += p != NULL;
	return p;
}

static inline void kmem_cache_free(struct kmem_cache *cache, void *p)
{
	cache->nr--;
	free(p);
}

struct llist_node {
	struct llist_node *next;
};

struct llist_head {
	struct llist_node *first;
};

#define LLIST_HEAD(name)	struct llist_head name
#define llist_add(node, head)	\
	({ bool was_empty = !(head)->first; (node)->next = (head)->first; (head)->first = (node); was_empty; })
#define llist_del_all(head)	({ struct llist_node *all = (head)->first; (head)->first = NULL; all; })
#define llist_for_each_entry_safe(pos, n, node, member)	\
	for (struct llist_node *at = (node), *after; \
	     at && (after = at->next, pos = container_of(at, __typeof__(*pos), member), n = pos, (void)n, true); at = after)

struct rnd_state {
	u64 x;
};

static inline void prandom_seed_state(struct rnd_state *state, u64 seed)
{
	state->x = seed * 2 + 1;
}

/* xorshift: not the kernel's numbers, but the same ones for a seed */
static inline u32 prandom_u32_state(struct rnd_state *state)
{
	state->x ^= state->x << 13;
	state->x ^= state->x >> 7;
	state->x ^= state->x << 17;
	return state->x >> 16;
}

u32 get_random_u32(void);

/* Parameters are given as to insmod: name=number. */
void unit_param(const char *name, void *value, size_t bytes);
#define module_param(name, type, mode)	\
	static_assert(mode, #type); \
	static __attribute__((constructor)) void param_##name(void) { unit_param(#name, &name, sizeof(name)); }
#define MODULE_PARM_DESC(name, text)	static_assert(sizeof(name), text)
#define MODULE_DESCRIPTION(text)	static_assert(1, text)
#define MODULE_LICENSE(text)		static_assert(1, text)
int unit_init(void);
void unit_exit(void);
/* the attribute makes another name of a function of ours */
#define module_init(f)	int unit_init(void) __attribute__((alias(#f)))
#define module_exit(f)	void unit_exit(void) __attribute__((alias(#f)))

#endif
