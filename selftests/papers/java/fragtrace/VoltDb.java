// SPDX-License-Identifier: GPL-2.0-only
package fragtrace;

import java.io.IOException;

import org.voltdb.VoltTable;
import org.voltdb.client.Client;
import org.voltdb.client.ClientConfig;
import org.voltdb.client.ClientFactory;
import org.voltdb.client.ProcCallException;
import site.ycsb.DBException;

/**
 * VoltDB at 127.0.0.1; each thread has a connection. With voltdb.create=true the first one makes the table.
 *
 * All procedures are partitioned by the key, so that each call runs at one site.
 */
public final class VoltDb extends Values {
	private static final String SCHEMA =
		"CREATE TABLE record (name VARCHAR(64) NOT NULL, value VARBINARY(4096) NOT NULL, PRIMARY KEY (name));"
		+ "PARTITION TABLE record ON COLUMN name;"
		+ "CREATE PROCEDURE record_get PARTITION ON TABLE record COLUMN name"
		+ " AS SELECT value FROM record WHERE name = ?;";
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
