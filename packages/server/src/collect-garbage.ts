import { setFlagsFromString } from 'node:v8';

/**
 * Percent of what the heap may grow by, since it was collected as a whole, before that begins again: in steps between other
 * work, and at once.
 */
const TRIGGERS = { soft: 80, hard: 90 };

/**
 * Lets the threads of this process collect their whole heap only when it has grown. V8 begins when a heap could grow by less than its
 * young generation, which holds 16 MiB once a server has been busy: with the small heap of a server that is always so, and
 * one open in twenty-five would wait for a collection that finds nothing.
 */
export function collectWhenGrown(set = setFlagsFromString): void {
  for (const [name, percent] of Object.entries(TRIGGERS)) {
    set(`--incremental-marking-${name}-trigger=${percent}`);
  }
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
