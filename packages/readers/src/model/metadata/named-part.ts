import { subjectFirst } from '../../base/wording.js';
import type { NamedPlane, SceneInfo } from '../acquisition.js';

/**
 * Returns `named` of `AcquisitionInfo`, for a reader to spread into it. If the named file contains no plane, adds a warning
 * to the first scene, which is shown then.
 * @param name name of the opened file within the acquisition; `undefined` if the acquisition itself was opened
 * @param whole name of the acquisition, for the warning
 * @param find the first plane of the file
 */
export function namedPart(
  name: string | undefined,
  whole: string,
  scenes: readonly SceneInfo[],
  find: (name: string) => NamedPlane | undefined,
): { named?: NamedPlane } {
  if (name === undefined) return {};
  const named = find(name);
  if (named) return { named };
  scenes[0]?.warnings.push(subjectFirst(name, `this file contains no plane of ${whole}. Showing the first plane.`));
  return {};
}
