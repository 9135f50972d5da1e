// SPDX-License-Identifier: GPL-2.0-only
package fragtrace;

import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

import org.voltdb.VoltTable;
import org.voltdb.client.Client;
import org.voltdb.client.ClientConfig;
import org.voltdb.client.ClientFactory;
import org.voltdb.client.ProcCallException;
import site.ycsb.ByteIterator;
import site.ycsb.DBException;
import site.ycsb.Status;

/**
 * VoltDB at 127.0.0.1; each thread has a connection. With voltdb.create=true the first one makes the table.
 *
 * All procedures are partitioned by the key, so that each call runs at one site. After each voltdb.every operations of workload F
 * a snapshot is asked for, voltdb.snapshots of them, into the folder voltdb.folder, and taken beside the workload.
 */
public final class VoltDb extends Values {
	private static final String SCHEMA =
		"CREATE TABLE record (name VARCHAR(64) NOT NULL, value VARBINARY(4096) NOT NULL, PRIMARY KEY (name));"
		+ "PARTITION TABLE record ON COLUMN name;"
		+ "CREATE PROCEDURE record_get PARTITION ON TABLE record COLUMN name"
		+ " AS SELECT value FROM record WHERE name = ?;";
	private static final AtomicInteger OPERATIONS = new AtomicInteger();
	private static boolean made;

	private Client client;

	@Override
	void open() throws IOException, ProcCallException {
		client = ClientFactory.createClient(new ClientConfig());
		client.createConnection("127.0.0.1");
		synchronized (VoltDb.class) {
			if (!made && Boolean.parseBoolean(getProperties().getProperty("voltdb.create")))
				client.callProcedure("@AdHoc", SCHEMA);
			made = true;
		}
	}

	@Override
	public void cleanup() throws DBException {
		try {
			client.close();
		} catch (InterruptedException e) {
			throw new DBException(e);
		}
	}

	private int number(String name) {
		return Integer.parseInt(getProperties().getProperty(name, "0"));
	}

	/** Each operation of workload F reads once. */
	@Override
	public Status read(String table, String key, Set<String> fields, Map<String, ByteIterator> result) {
		Status status = super.read(table, key, fields, result);
		int every = number("voltdb.every"), done = OPERATIONS.incrementAndGet();

		if (every > 0 && done % every == 0 && done / every <= number("voltdb.snapshots"))
			snapshot("asked_" + done / every);
		return status;
	}

	private void snapshot(String name) {
		try {
			System.err.println(name + ": " + client.callProcedure("@SnapshotSave", getProperties().getProperty("voltdb.folder"), name, 0)
				.getResults()[0]);
		} catch (IOException | ProcCallException e) {
			System.err.println("fragtrace: no snapshot: " + e);
		}
	}

	@Override
	byte[] get(String key) throws IOException, ProcCallException {
		VoltTable found = client.callProcedure("record_get", key).getResults()[0];

		return found.advanceRow() ? found.getVarbinary(0) : null;
	}

	@Override
	void put(String key, byte[] value) throws IOException, ProcCallException {
		client.callProcedure("RECORD.upsert", key, value);
	}

	@Override
	void remove(String key) throws IOException, ProcCallException {
		client.callProcedure("RECORD.delete", key);
	}
}
