// SPDX-License-Identifier: GPL-2.0-only
package fragtrace;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import site.ycsb.ByteArrayByteIterator;
import site.ycsb.ByteIterator;

/**
 * The fields of one YCSB record as one value, for stores that know only keys and values.
 *
 * For each field: its name (a length of 2 bytes, then UTF-8), the length of its value (4 bytes), the value.
 */
final class Record {
	private final Map<String, byte[]> fields = new TreeMap<>();

	/** The record of a stored value; null stands for a record without fields. */
	static Record of(byte[] value) throws IOException {
		Record record = new Record();

		if (value == null)
			return record;
		DataInputStream in = new DataInputStream(new ByteArrayInputStream(value));
		while (in.available() > 0) {
			String name = in.readUTF();
			byte[] field = new byte[in.readInt()];

			in.readFully(field);
			record.fields.put(name, field);
		}
		return record;
	}

	/** Set these fields; the others stay as they are. */
	Record with(Map<String, ByteIterator> values) {
		values.forEach((name, value) -> fields.put(name, value.toArray()));
		return this;
	}

	/** Copy the wanted fields, or all of them if wanted is null. */
	void copyTo(Set<String> wanted, Map<String, ByteIterator> result) {
		fields.forEach((name, value) -> {
			if (wanted == null || wanted.contains(name))
				result.put(name, new ByteArrayByteIterator(value));
		});
	}

	/** The value to store. */
	byte[] bytes() throws IOException {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		DataOutputStream out = new DataOutputStream(bytes);

		for (Map.Entry<String, byte[]> field : fields.entrySet()) {
			out.writeUTF(field.getKey());
			out.writeInt(field.getValue().length);
			out.write(field.getValue());
		}
		return bytes.toByteArray();
	}
}
