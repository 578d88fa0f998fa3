import type { SceneInfo } from '../acquisition.js';
import { addNote, type Notes } from '../notes.js';

/** `rowAxis` of a scene, for a reader to spread into it: set, with a warning, when the rows of its planes are depths. */
export function depthRows(isDepth: boolean, warnings: string[] | Notes): Pick<SceneInfo, 'rowAxis'> {
  if (!isDepth) return {};
  addNote(warnings, 'This is an x–z scan: the rows are depths, so the Y axis runs along z.');
  return { rowAxis: 'z' };
}
