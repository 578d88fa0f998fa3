import type { Notes } from '../../base/notes.js';
import type { SceneInfo } from '../acquisition.js';

/** Returns `rowAxis` for a reader to spread into a scene. If the rows of the planes are depths, adds a warning. */
export function depthRows(isDepth: boolean, notes: Notes): Pick<SceneInfo, 'rowAxis'> {
  if (!isDepth) return {};
  notes.add('This is an x–z scan: the rows are depths, so the Y axis runs along z.');
  return { rowAxis: 'z' };
}
