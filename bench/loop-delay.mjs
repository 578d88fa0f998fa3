// Loaded into the server by bench/soak.mjs (--import): writes the delay of its event loop to $LOOP_DELAY_FILE, a line of
// JSON a second in milliseconds, each about the second before it.
import { appendFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  const delays = monitorEventLoopDelay({ resolution: 5 });
  delays.enable();
  setInterval(() => {
    const [median, p99, max] = [delays.percentile(50), delays.percentile(99), delays.max].map((ns) => ns / 1e6);
    appendFileSync(process.env.LOOP_DELAY_FILE, `${JSON.stringify({ at: Date.now(), median, p99, max })}\n`);
    delays.reset();
  }, 1000).unref();
}
