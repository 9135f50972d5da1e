/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Audits: compare the maps with what F2FS reports.
 */
#ifndef FT_AUDIT_H
#define FT_AUDIT_H

#include <linux/seq_file.h>
#include <linux/types.h>

struct ft_inode;

/**
 * struct ft_audit_sum - what the audit of a file found
 * @blocks: written blocks, in the map or in F2FS
 * @differing: those whose LBAs differ between the two
 * @changes: the @changes of &struct ft_inode when it ended
 */
struct ft_audit_sum {
	u64 blocks;
	u64 differing;
	u32 changes;
};

void ft_audit_begin(void);
void ft_audit_end(bool complete);
void ft_audit_forget(void);
bool ft_audit_compare(struct ft_inode *rec, struct ft_audit_sum *sum);
void ft_audit_sampled(struct ft_inode *rec, const struct ft_audit_sum *sum);
void ft_audit_report(struct ft_inode *rec, const struct ft_audit_sum *sum);

extern const struct seq_operations ft_audit_ops;

#endif
