/** When and where each plane was taken. */
import type { PlaneColumns } from '../../model/acquisition.js';
import { collectColumns } from '../../model/metadata/plane-columns.js';
import type { ScenePlan } from './arrange.js';
import type { RawScan } from './parse.js';
import { findPosition } from './positions.js';

/** Returns the times and positions of the frames of a scene. The channels of a frame have the same. */
export function toPlaneColumns(plan: ScenePlan, scan: RawScan): PlaneColumns {
  const { channels, kind } = plan;
  return collectColumns(
    { sizes: plan, channels },
    ({ t, z }) => {
      const [frame] = plan.frames(t, z);
      if (!frame) return {};
      const sequence = plan.sequences[kind === 'depths' ? t : 0]!;
      const position = (axis: 'x' | 'y' | 'z') => findPosition(axis, frame, sequence, scan).at;
      // Only `absoluteTime` counts on over all cycles.
      const time = kind === 'depths' ? frame.absoluteTime : frame.relativeTime;
      return { time, x: position('x'), y: position('y'), z: position('z') };
    },
    channels.length,
  );
}
