// SPDX-License-Identifier: GPL-2.0-only
package fragtrace;

import java.util.Map;
import java.util.Set;
import java.util.Vector;

import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.Status;

/** A binding of YCSB for a store of keys and values. Workload F never scans, so there is no scan. */
abstract class Values extends DB {
	/** Connect this thread. */
	abstract void open() throws Exception;

	/** The value of a key, or null. */
	abstract byte[] get(String key) throws Exception;

	/** Store a value. */
	abstract void put(String key, byte[] value) throws Exception;

	/** Remove a key. */
	abstract void remove(String key) throws Exception;

	/** What a store does; it may fail in any way. */
	private interface Work {
		Status run() throws Exception;
	}

	private static Status attempt(Work work) {
		try {
			return work.run();
		} catch (Exception e) {
			System.err.println("fragtrace: " + e);
			return Status.ERROR;
		}
	}

	/** YCSB would wait forever for a thread without a connection: without one, the program ends. */
	@Override
	public void init() {
		try {
			open();
		} catch (Exception e) {
			System.err.println("fragtrace: no connection: " + e);
			Runtime.getRuntime().halt(1);
		}
	}

	@Override
	public Status read(String table, String key, Set<String> fields, Map<String, ByteIterator> result) {
		return attempt(() -> {
			byte[] value = get(key);

			if (value == null)
				return Status.NOT_FOUND;
			Record.of(value).copyTo(fields, result);
			return Status.OK;
		});
	}

	@Override
	public Status update(String table, String key, Map<String, ByteIterator> values) {
		return attempt(() -> {
			byte[] value = get(key);

			if (value == null)
				return Status.NOT_FOUND;
			put(key, Record.of(value).with(values).bytes());
			return Status.OK;
		});
	}

	@Override
	public Status insert(String table, String key, Map<String, ByteIterator> values) {
		return attempt(() -> {
			put(key, Record.of(null).with(values).bytes());
			return Status.OK;
		});
	}

	@Override
	public Status delete(String table, String key) {
		return attempt(() -> {
			remove(key);
			return Status.OK;
		});
	}

	@Override
	public Status scan(String table, String start, int count, Set<String> fields,
			Vector<java.util.HashMap<String, ByteIterator>> result) {
		return Status.NOT_IMPLEMENTED;
	}
}
