/** Which part of the planned frames is a plane: whole frames, or the lines of a scan with a frame for each. Pure. */
import type { SceneInfo } from '../../acquisition.js';
import type { FrameForm } from './frame.js';
import { AXIS, type RawPicture } from './parse.js';
import { type FramePlan, frameAt } from './plan.js';

export interface Layout {
  /** Frames have one row, and time runs over frames: each is a line. */
  lines: boolean;
  /** Time runs along the rows of the picture: rows become columns, so that Y is time. */
  transposed: boolean;
  scenes: { position: number; sizes: SceneInfo['sizes'] }[];
  warnings: string[];
}

export function layoutScenes(
  form: FrameForm,
  picture: RawPicture | undefined,
  plan: FramePlan,
  frames: ReadonlyMap<number, number>,
): Layout {
  const warnings: string[] = [];
  const transposed = picture?.xAxis === AXIS.time && picture.yAxis !== AXIS.time;
  const [Y, X] = transposed ? [form.width, form.height] : [form.height, form.width];
  const lines = form.height === 1 && !transposed && plan.scenes.some(({ T }) => T > 1);
  const scenes = plan.scenes.map(({ position, T, Z }) => {
    if (!lines) return { position, sizes: { T, Z, Y, X } };
    const rows = wholeLines(plan, position, T, Z, frames);
    if (rows < T)
      warnings.push(`A line is missing behind line ${rows}; the lines from there on are left out: ${T - rows}.`);
    return { position, sizes: { T: 1, Z, Y: rows, X } };
  });
  return { lines, transposed, scenes, warnings };
}

/** Lines from the first one on that every depth has; at least one, which then cannot be read. */
function wholeLines(
  plan: FramePlan,
  position: number,
  T: number,
  Z: number,
  frames: ReadonlyMap<number, number>,
): number {
  for (let t = 0; t < T; t++) {
    for (let z = 0; z < Z; z++) {
      if (!frames.has(frameAt(plan.loops, { S: position, T: t, Z: z }))) return Math.max(1, t);
    }
  }
  return T;
}
