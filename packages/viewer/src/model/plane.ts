import type { Plane } from '@acquisition-store/client/contract/open.js';

/** An axis of a plane as the server describes it. */
export type ServedAxis = Plane['axes'][number];

/** True for a plane whose rows are lines in time. Such a plane is shown with time to the right. */
export function looksLikeLineScan({ axes }: Plane): boolean {
  const [y, x] = axes as [ServedAxis, ServedAxis];
  return y.unit === 'seconds' || (y.unit === 'Pixels' && y.label === undefined && y.size > 4 * x.size);
}
