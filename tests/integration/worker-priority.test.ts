/** Decode workers leave the processor to the server's thread: on Linux, where each thread has a priority of its own. */
import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { expect, it, vi } from 'vitest';
import { DecodePool } from '../../packages/server/src/decode/pool.js';

const linux = process.platform === 'linux';
if (!linux) console.warn('NO LINUX: the priority of decode workers was not tested');

/** The nice values of all threads of this process. */
function niceValues(): number[] {
  return readdirSync('/proc/self/task').map((thread) => {
    const text = readFileSync(`/proc/self/task/${thread}/stat`, 'latin1');
    // The name of the thread, in parentheses, may have spaces. The state after it is field 3, nice is field 19.
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[16]);
  });
}

it.runIf(linux)('a decode worker lowers the priority of its own thread, and of no other', async () => {
  const before = getPriority();
  const lower = Math.min(19, before + 2);
  const count = () => niceValues().filter((nice) => nice === lower).length;
  const others = count();
  const pool = new DecodePool({ workers: 2, queue: 8, coldStart: true });
  try {
    await vi.waitFor(() => expect(count()).toBe(others + 2), { timeout: 10_000 });
    expect(getPriority()).toBe(before);
  } finally {
    await pool.close();
  }
});
