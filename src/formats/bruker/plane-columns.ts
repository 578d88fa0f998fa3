/** When and where each plane was taken. */
import type { PlaneColumns } from '../../acquisition.js';
import type { ScenePlan } from './arrange.js';
import type { RawScan } from './parse.js';
import { findPosition } from './positions.js';

/** Returns the times and positions of the frames of a scene. The channels of a frame have the same. */
export function toPlaneColumns(plan: ScenePlan, scan: RawScan): PlaneColumns {
  const channels = plan.channels.length;
  const column = () => new Float64Array(plan.T * plan.Z * channels).fill(Number.NaN);
  const columns = { time: column(), x: column(), y: column(), z: column() };
  for (let plane = 0; plane < plan.T * plan.Z; plane++) {
    const t = Math.floor(plane / plan.Z);
    const [frame] = plan.frames(t, plane % plan.Z);
    if (!frame) continue;
    const sequence = plan.sequences[plan.kind === 'depths' ? t : 0]!;
    const [from, to] = [plane * channels, (plane + 1) * channels];
    // Only `absoluteTime` counts on over all cycles.
    columns.time.fill((plan.kind === 'depths' ? frame.absoluteTime : frame.relativeTime) ?? Number.NaN, from, to);
    for (const axis of ['x', 'y', 'z'] as const) {
      columns[axis].fill(findPosition(axis, frame, sequence, scan).at, from, to);
    }
  }
  return Object.fromEntries(Object.entries(columns).filter(([, values]) => values.some(Number.isFinite)));
}
