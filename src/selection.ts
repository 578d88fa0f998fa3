/** Which part of an acquisition a request means. Free of heavy imports: decode workers start with it. */
import type { AcquisitionInfo, SceneInfo } from './acquisition.js';
import type { Selection } from './contract/open.js';
import { AcqError } from './errors.js';

/** One scene of an acquisition with what the response says about the whole: all that an open needs. */
export interface SceneView {
  format: string;
  /** Scenes of the acquisition. */
  sceneCount: number;
  sceneIndex: number;
  scene: SceneInfo;
  /** All scenes in short, at most `LISTED_SCENES`; empty when there is only one. */
  scenes: SceneSummary[];
}

/** What a client needs to offer a choice of scenes. Sizes of C, and of T and Z above 1, and of Y and X. */
export interface SceneSummary {
  index: number;
  name: string;
  sizes: Record<string, number>;
}

/** A plate may have a hundred thousand fields; a response is no place to list more than this. */
const LISTED_SCENES = 10_000;

/**
 * The scene that `selection` names, the first one without.
 * @throws AcqError `selection_out_of_range`
 */
export function selectScene(info: AcquisitionInfo, selection: Selection | undefined): SceneView {
  const sceneIndex = selectIndex('S', selection?.S, info.scenes.length);
  const scene = info.scenes[sceneIndex];
  if (!scene) throw new Error('an acquisition without scenes');
  const scenes = info.scenes.length > 1 ? info.scenes.slice(0, LISTED_SCENES).map(toSummary) : [];
  return { format: info.format, sceneCount: info.scenes.length, sceneIndex, scene, scenes };
}

function toSummary({ name, channels, sizes: { T, Z, Y, X } }: SceneInfo, index: number): SceneSummary {
  return { index, name, sizes: { C: channels.length, ...(T > 1 ? { T } : {}), ...(Z > 1 ? { Z } : {}), Y, X } };
}

/**
 * Index along a dimension of `size`, 0 when the request does not name it. A dimension of size 1 is none: `dims` lacks it.
 * @throws AcqError `selection_out_of_range`
 */
export function selectIndex(name: 'S' | 'T' | 'Z', index: number | undefined, size: number): number {
  if (index === undefined) return 0;
  const problem = (text: string) => new AcqError('selection_out_of_range', text);
  if (size <= 1) throw problem(`selection names ${name}, but the file has no such dimension; leave it out`);
  if (index < 0 || index >= size) {
    throw problem(`selection asks for ${name} = ${index}; the file has ${size}, from 0 to ${size - 1}`);
  }
  return index;
}
