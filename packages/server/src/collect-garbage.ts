import { setFlagsFromString } from 'node:v8';

/**
 * Flags of V8. The first: percent that the heap may grow by after it was collected as a whole, before that happens again. The
 * others: percent of this growth at which it begins, in steps between other work, and at once.
 */
const FLAGS = {
  'heap-growing-percent': 200,
  'incremental-marking-soft-trigger': 80,
  'incremental-marking-hard-trigger': 90,
};

/**
 * Lets the threads of this process collect their whole heap only when it has grown. V8 begins when a heap could grow by less than its
 * young generation, which holds 16 MiB once a server has been busy: with the small heap of a server that is always so, and
 * one open in twenty-five would wait for a collection that finds nothing. After the first collection, it lets a small heap grow
 * by 8 MiB, and counts the memory of planes that comes back from workers: nearly each open of a large plane would collect.
 */
export function collectWhenGrown(set = setFlagsFromString): void {
  for (const [name, percent] of Object.entries(FLAGS)) set(`--${name}=${percent}`);
}

/**
 * Collects the garbage of the calling thread and makes its heap as small as it can be. V8 does that by itself half a minute
 * after the work, or never. The `gc` of its flags would leave the young generation, up to 32 MiB, as large as it is.
 */
export async function collectGarbage(): Promise<void> {
  const { Session } = await import('node:inspector');
  const session = new Session();
  session.connect();
  try {
    await new Promise<void>((resolve, reject) => {
      session.post('HeapProfiler.collectGarbage', (error) => (error ? reject(error) : resolve()));
    });
  } finally {
    session.disconnect();
  }
}
