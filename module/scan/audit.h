/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Audits: compare the maps with what F2FS reports.
 */
#ifndef FT_AUDIT_H
#define FT_AUDIT_H

#include <linux/seq_file.h>
#include <linux/types.h>

struct ft_audit_sum;
struct ft_inode;

void ft_audit_begin(void);
void ft_audit_end(bool complete);
void ft_audit_forget(void);
bool ft_audit_compare(struct ft_inode *rec, struct ft_audit_sum *sum);
void ft_audit_sampled(struct ft_inode *rec, const struct ft_audit_sum *sum);
void ft_audit_report(struct ft_inode *rec, const struct ft_audit_sum *sum);

extern const struct seq_operations ft_audit_ops;

#endif
