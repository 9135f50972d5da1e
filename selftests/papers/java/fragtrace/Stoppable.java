// SPDX-License-Identifier: GPL-2.0-only
package fragtrace;

import java.io.File;
import java.util.Properties;

import site.ycsb.WorkloadException;
import site.ycsb.workloads.CoreWorkload;

/** YCSB's core workload, which also ends when a file is there: that of the property fragtrace.stop. YCSB itself knows only a time. */
public final class Stoppable extends CoreWorkload {
	@Override
	public void init(Properties set) throws WorkloadException {
		super.init(set);
		if (set.containsKey("fragtrace.stop")) {
			Thread watch = new Thread(() -> stopAfter(new File(set.getProperty("fragtrace.stop"))));

			watch.setDaemon(true);
			watch.start();
		}
	}

	private void stopAfter(File file) {
		try {
			while (!file.exists())
				Thread.sleep(200);
			requestStop();
		} catch (InterruptedException e) {
			Thread.currentThread().interrupt();
		}
	}
}
