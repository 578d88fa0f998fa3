import type { PlaneTarget } from '@acquisition-store/readers/model/samples/plane-target.js';

/** Takes a plane and keeps nothing of it: to find out whether it can be read. */
export function discardingTarget(rows: number, columns: number): PlaneTarget {
  return { rows, columns, put: () => {}, putZeros: () => {} };
}
