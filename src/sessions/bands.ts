import { setImmediate } from 'node:timers/promises';
import type { PlaneTask } from './decode-planes.js';

/** Bytes copied between two looks at the event loop: about a millisecond. */
const COPY_AT_ONCE = 4 * 2 ** 20;

/** The task as several, each for some rows of the plane. The plane is stored when its last band has come. */
export function splitIntoBands(task: PlaneTask, { Y, X }: { Y: number; X: number }, wanted: number): PlaneTask[] {
  const { request } = task;
  if (request.kind !== 'channel') return [task];
  const rowsEach = Math.ceil(Y / Math.min(wanted, Y));
  const count = Math.ceil(Y / rowsEach);
  let whole: Uint8Array | undefined;
  let missing = count;
  return Array.from({ length: count }, (_, i) => {
    const band = { first: i * rowsEach, count: Math.min(rowsEach, Y - i * rowsEach) };
    const store = async (bytes: Uint8Array) => {
      whole ??= new Uint8Array(Y * X * 4);
      await copy(bytes, whole, band.first * X * 4);
      missing--;
      if (missing === 0) await task.store(whole);
    };
    return { request: { ...request, band }, store };
  });
}

/** Copies piece by piece: the thread answers requests meanwhile. */
async function copy(from: Uint8Array, to: Uint8Array, offset: number): Promise<void> {
  for (let at = 0; at < from.length; at += COPY_AT_ONCE) {
    to.set(from.subarray(at, at + COPY_AT_ONCE), offset + at);
    if (at + COPY_AT_ONCE < from.length) await setImmediate();
  }
}
