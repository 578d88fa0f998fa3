import type { SceneInfo } from '../acquisition.js';

/** `rowAxis` of a scene, for a reader to spread into it: set, with a warning, when the rows of its planes are depths. */
export function depthRows(isDepth: boolean, warnings: string[]): Pick<SceneInfo, 'rowAxis'> {
  if (!isDepth) return {};
  warnings.push('This is an x–z scan: the rows are depths, so the Y axis runs along z.');
  return { rowAxis: 'z' };
}
