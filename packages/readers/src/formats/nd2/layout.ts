/** Decides what a plane is made of: a whole frame, or the lines of a scan that has a frame for each line. Pure. */

import { asCorrupted } from '../../base/warning-kinds.js';
import { grouped, plural } from '../../base/wording.js';
import type { SceneInfo } from '../../model/acquisition.js';
import type { FrameForm } from './frame.js';
import { AXIS, type RawPicture } from './parse.js';
import { type FramePlan, frameAt, type PlannedScene } from './plan.js';

export interface FrameLayout {
  /** Frames have one row and time runs over frames, so each frame is a line. */
  lines: boolean;
  /** Time runs along the rows of a frame, so rows become columns and Y is time. */
  transposed: boolean;
  scenes: { position: number; sizes: SceneInfo['sizes'] }[];
  warnings: readonly string[];
}

/** @param frames chunk offsets by frame number */
export function layoutScenes(
  form: FrameForm,
  picture: RawPicture | undefined,
  plan: FramePlan,
  frames: ReadonlyMap<number, number>,
): FrameLayout {
  const warnings: string[] = [];
  const transposed = picture?.xAxis === AXIS.time && picture.yAxis !== AXIS.time;
  const [Y, X] = transposed ? [form.width, form.height] : [form.height, form.width];
  const lines = form.height === 1 && !transposed && plan.scenes.some(({ T }) => T > 1);
  const scenes = plan.scenes.map((scene) => {
    const { position, T, Z } = scene;
    if (!lines) return { position, sizes: { T, Z, Y, X } };
    const complete = countCompleteLines(plan, scene, frames);
    // A plane needs a row; reading an incomplete one fails.
    const rows = Math.max(1, complete);
    if (complete < T) {
      warnings.push(
        asCorrupted(
          `Line ${grouped(complete + 1)} is missing, so only ${grouped(rows)} of ${plural(T, 'line')} can be shown.`,
        ),
      );
    }
    return { position, sizes: { T: 1, Z, Y: rows, X } };
  });
  return { lines, transposed, scenes, warnings };
}

/** Counts the lines from the start that exist at every depth. */
function countCompleteLines(
  plan: FramePlan,
  { position, T, Z }: PlannedScene,
  frames: ReadonlyMap<number, number>,
): number {
  for (let t = 0; t < T; t++) {
    for (let z = 0; z < Z; z++) {
      if (!frames.has(frameAt(plan, { S: position, T: t, Z: z }))) return t;
    }
  }
  return T;
}
