// SPDX-License-Identifier: GPL-2.0-only
/*
 * lmdb - write into a database of LMDB, as programs do that have it as a library.
 *
 * usage: lmdb FILE TRANSACTIONS RECORDS SEED [nosync|nometasync|writemap|mapasync]...
 *	so many records in each transaction, of 1000 bytes, with random keys
 */
#include <lmdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	unsigned int flag;
} options[] = {
	{ "nosync", MDB_NOSYNC },
	{ "nometasync", MDB_NOMETASYNC },
	{ "writemap", MDB_WRITEMAP },
	{ "mapasync", MDB_MAPASYNC },
};

static void must(int error, const char *what)
{
	if (!error)
		return;
	fprintf(stderr, "lmdb: %s: %s\n", what, mdb_strerror(error));
	exit(1);
}

static unsigned int flag_of(const char *name)
{
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
		if (!strcmp(options[i].name, name))
			return options[i].flag;
	must(MDB_INCOMPATIBLE, name);
	return 0;
}

static void transaction(MDB_env *env, unsigned int records)
{
	static char value[1000];
	MDB_val data = { sizeof(value), value };
	MDB_txn *txn;
	MDB_dbi dbi;

	must(mdb_txn_begin(env, NULL, 0, &txn), "begin");
	must(mdb_dbi_open(txn, NULL, 0, &dbi), "open");
	while (records--) {
		long number = random() % 20000;
		MDB_val key = { sizeof(number), &number };

		must(mdb_put(txn, dbi, &key, &data, 0), "put");
	}
	must(mdb_txn_commit(txn), "commit");
}

int main(int argc, char **argv)
{
	unsigned int flags = MDB_NOSUBDIR, n;
	MDB_env *env;

	if (argc < 5) {
		fputs("usage: lmdb FILE TRANSACTIONS RECORDS SEED [nosync|nometasync|writemap|mapasync]...\n", stderr);
		return 2;
	}
	for (int i = 5; i < argc; i++)
		flags |= flag_of(argv[i]);
	srandom((unsigned int)atoi(argv[4]));
	must(mdb_env_create(&env), "create");
	must(mdb_env_set_mapsize(env, 8 << 20), "size");
	must(mdb_env_open(env, argv[1], flags, 0644), argv[1]);
	for (n = atoi(argv[2]); n; n--)
		transaction(env, atoi(argv[3]));
	must(mdb_env_sync(env, 1), "sync");
	mdb_env_close(env);
	return 0;
}
