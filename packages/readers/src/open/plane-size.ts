/** Refuses planes that are too large to be held in memory, of what any reader found. */

import type { AcqError } from '../base/errors.js';
import { planeTooLarge } from '../base/plane-size.js';
import type { Acquisition } from '../model/acquisition.js';

/**
 * Returns an acquisition whose scenes with too large planes are described, but not read: `checkScene` refuses them. A reference
 * image that is too large is skipped.
 */
export function withinLimits(acquisition: Acquisition): Acquisition {
  const refused = new Map<number, AcqError>();
  for (const [index, scene] of acquisition.info.scenes.entries()) {
    const error = planeTooLarge(scene.sizes);
    if (error) refused.set(index, error);
    const problem = scene.reference && planeTooLarge(scene.reference.sizes);
    if (!problem) continue;
    scene.reference = null;
    scene.warnings = [...scene.warnings, `The reference image was skipped: ${problem.statement}.`];
  }
  return refused.size === 0 ? acquisition : refusing(refused, acquisition);
}

function refusing(refused: ReadonlyMap<number, AcqError>, acquisition: Acquisition): Acquisition {
  const { checkScene, readChannels } = acquisition;
  const check = (scene: number) => {
    const error = refused.get(scene);
    if (error) throw error;
  };
  return {
    ...acquisition,
    checkScene(scene) {
      check(scene);
      checkScene?.(scene);
    },
    async readPlane(address, ...rest) {
      check(address.scene);
      await acquisition.readPlane(address, ...rest);
    },
    ...(readChannels && {
      async readChannels(plane, ...rest) {
        check(plane.scene);
        await readChannels(plane, ...rest);
      },
    }),
  };
}
