/* SPDX-License-Identifier: GPL-2.0-only */
/* Beside the pipeline: the commands. */
#pragma once

#include "cli.h"

#define DEFAULT_TABLE MODULE_FILE("table")
#define DEFAULT_SNAPSHOT MODULE_FILE("snapshot")
#define DEFAULT_LATENCY MODULE_FILE("latency")
#define DEFAULT_LEDGER MODULE_FILE("ledger")
#define DEFAULT_GC_RUNS MODULE_FILE("gc_runs")
#define DEFAULT_DISCARDS MODULE_FILE("discards")
#define N_COMMANDS 26

extern const struct command commands[N_COMMANDS];

void command_run(const struct command *command, const struct options *options);
int compare_run(const struct options *options);
int cost_run(const struct options *options);
int ledger_run(const struct options *options);
int gc_run(const struct options *options);
int discards_run(const struct options *options);
int defrag_run(const struct options *options);
int moments_run(const struct options *options);
void status_run(void);
