// SPDX-License-Identifier: GPL-2.0-only
package fragtrace;

import java.nio.charset.StandardCharsets;

import redis.clients.jedis.Jedis;

/** Redis at 127.0.0.1, port redis.port (6379); each thread has a connection. */
public final class Redis extends Values {
	private Jedis jedis;

	@Override
	void open() {
		jedis = new Jedis("127.0.0.1", Integer.parseInt(getProperties().getProperty("redis.port", "6379")), 60000);
		jedis.connect();
	}

	@Override
	public void cleanup() {
		jedis.close();
	}

	private static byte[] bytes(String key) {
		return key.getBytes(StandardCharsets.UTF_8);
	}

	@Override
	byte[] get(String key) {
		return jedis.get(bytes(key));
	}

	@Override
	void put(String key, byte[] value) {
		jedis.set(bytes(key), value);
	}

	@Override
	void remove(String key) {
		jedis.del(bytes(key));
	}
}
