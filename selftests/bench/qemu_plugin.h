/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The part of QEMU's interface for plugins, version 4, that profile.c uses. Debian's QEMU supports plugins, but has
 * no header for them.
 */
#ifndef QEMU_PLUGIN_H
#define QEMU_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

struct qemu_plugin_tb;
typedef uint64_t qemu_plugin_id_t;

enum qemu_plugin_cb_flags {
	QEMU_PLUGIN_CB_NO_REGS,
};

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
					   void (*translated)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, void (*executed)(unsigned int cpu, void *data),
					  enum qemu_plugin_cb_flags flags, void *data);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, void (*ended)(qemu_plugin_id_t id, void *data), void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
extern int qemu_plugin_version;
int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv);

#endif
