/** A file that was named inside a multi-file acquisition: which plane it stands for. */
import type { NamedPlane, SceneInfo } from '../acquisition.js';

/**
 * `named` of `AcquisitionInfo`, for a reader to spread into it. A file that stands for no plane is a warning of the first
 * scene, which is shown then.
 * @param name of the file that was named, within the acquisition; `undefined` when it is the acquisition itself
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
  scenes[0]?.warnings.push(`${name}: no plane of ${whole} lies in this file; the first plane is shown.`);
  return {};
}
