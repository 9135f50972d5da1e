// SPDX-License-Identifier: GPL-2.0-only
/*
 * A plugin of QEMU that counts how often the guest executes each block of its code.
 *
 * In: translated blocks, from QEMU. Out, when QEMU ends: one line for each block in the file of the plugin's argument
 * out=: address, instructions, number of executions. profile.py adds names.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qemu_plugin.h"

int qemu_plugin_version = 4;

/**
 * struct block - a translated block; QEMU may translate the same code more than once
 * @next: the block translated before it
 * @address: its address in the guest
 * @length: number of its instructions
 * @executed: number of executions
 */
struct block {
	struct block *next;
	uint64_t address;
	uint64_t length;
	uint64_t executed;
};

static struct block *blocks;
static const char *out;

/* With counted instructions there is one CPU, so no lock is necessary. */
static void executed(unsigned int cpu, void *data)
{
	struct block *block = data;

	(void)cpu;
	block->executed++;
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	struct block *block = calloc(1, sizeof(*block));

	(void)id;
	if (!block)
		abort();
	block->address = qemu_plugin_tb_vaddr(tb);
	block->length = qemu_plugin_tb_n_insns(tb);
	block->next = blocks;
	blocks = block;
	qemu_plugin_register_vcpu_tb_exec_cb(tb, executed, QEMU_PLUGIN_CB_NO_REGS, block);
}

static void ended(qemu_plugin_id_t id, void *data)
{
	FILE *f = fopen(out, "w");
	struct block *block;

	(void)id;
	(void)data;
	if (!f) {
		perror(out);
		return;
	}
	for (block = blocks; block; block = block->next)
		if (block->executed)
			fprintf(f, "%" PRIx64 " %" PRIu64 " %" PRIu64 "\n", block->address, block->length, block->executed);
	fclose(f);
}

/**
 * qemu_plugin_install() - the entry point of the plugin
 * @id: ID of the plugin
 * @info: about QEMU
 * @argc: number of arguments
 * @argv: the arguments: out=FILE
 *
 * Return: 0, or 1 without an argument
 */
int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv)
{
	(void)info;
	if (argc != 1 || strncmp(argv[0], "out=", 4)) {
		fprintf(stderr, "profile.so: expected out=FILE\n");
		return 1;
	}
	out = strdup(argv[0] + 4);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	qemu_plugin_register_atexit_cb(id, ended, NULL);
	return 0;
}
