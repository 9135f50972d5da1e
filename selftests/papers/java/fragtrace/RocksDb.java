// SPDX-License-Identifier: GPL-2.0-only
package fragtrace;

import java.nio.charset.StandardCharsets;
import java.util.Properties;

import org.rocksdb.CompressionType;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/**
 * RocksDB, in the folder rocksdb.dir, shared by all threads.
 *
 * rocksdb.memtable, rocksdb.table and rocksdb.level are write_buffer_size, target_file_size_base and
 * max_bytes_for_level_base in bytes; all else is RocksDB's default, but for values that are not compressed.
 */
public final class RocksDb extends Values {
	private static RocksDB db;
	private static Options options;
	private static int users;

	@Override
	void open() throws RocksDBException {
		synchronized (RocksDb.class) {
			if (users++ == 0)
				openShared(getProperties());
		}
	}

	private static void openShared(Properties set) throws RocksDBException {
		RocksDB.loadLibrary();
		options = new Options().setCreateIfMissing(true).setCompressionType(CompressionType.NO_COMPRESSION);
		if (set.containsKey("rocksdb.memtable"))
			options.setWriteBufferSize(Long.parseLong(set.getProperty("rocksdb.memtable")));
		if (set.containsKey("rocksdb.table"))
			options.setTargetFileSizeBase(Long.parseLong(set.getProperty("rocksdb.table")));
		if (set.containsKey("rocksdb.level"))
			options.setMaxBytesForLevelBase(Long.parseLong(set.getProperty("rocksdb.level")));
		db = RocksDB.open(options, set.getProperty("rocksdb.dir"));
	}

	@Override
	public void cleanup() {
		synchronized (RocksDb.class) {
			if (--users > 0)
				return;
			db.close();
			options.close();
		}
	}

	private static byte[] bytes(String key) {
		return key.getBytes(StandardCharsets.UTF_8);
	}

	@Override
	byte[] get(String key) throws RocksDBException {
		return db.get(bytes(key));
	}

	@Override
	void put(String key, byte[] value) throws RocksDBException {
		db.put(bytes(key), value);
	}

	@Override
	void remove(String key) throws RocksDBException {
		db.delete(bytes(key));
	}
}
