import type { Plane } from '../../../src/contract/open.js';

type PlaneAxis = Plane['axes'][number];

/** A line scan is tall and narrow, and its lines are time: it is shown lying. */
export function looksLikeLineScan({ axes }: Plane): boolean {
  const [y, x] = axes as [PlaneAxis, PlaneAxis];
  return y.unit === 'seconds' || (y.unit === 'Pixels' && y.label === undefined && y.size > 4 * x.size);
}
