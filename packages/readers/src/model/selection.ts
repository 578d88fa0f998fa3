/** Which part of an acquisition a request selects. Light to import: every decode worker loads it at its start. */

import { AcqError } from '../base/errors.js';
import { grouped } from '../base/wording.js';
import type { AcquisitionInfo, SceneInfo } from './acquisition.js';
import type { SplitRecording } from './recording.js';

/** Indices of a scene, a time point and a section. */
export interface Selection {
  S?: number;
  T?: number;
  Z?: number;
}

export interface SceneSummary {
  index: number;
  name: string;
  /** Of the dimensions `C`, `Y`, `X`, and of `T` and `Z` above 1. */
  sizes: Record<string, number>;
}

/** One scene of an acquisition, with what the response says about the acquisition: everything that an open needs. */
export interface SceneView {
  format: string;
  /** Number of scenes of the acquisition. */
  sceneCount: number;
  sceneIndex: number;
  scene: SceneInfo;
  /** Default T and Z of a request: those of the file that was named, otherwise 0. */
  start: { t: number; z: number };
  /** Summaries of at most `MAX_LISTED_SCENES` scenes; empty when there is only one. */
  scenes: SceneSummary[];
  /** The recording that the file is a part of. */
  recording?: SplitRecording;
}

const NOUNS = { S: ['scene', 'scenes'], T: ['time point', 'time points'], Z: ['section', 'sections'] } as const;

/** Max scenes in a response: a plate may have a hundred thousand fields. */
const MAX_LISTED_SCENES = 10_000;

/**
 * Selects a scene: `selection.S`, else the scene of the file that was named, else the first one.
 * @throws AcqError `selection_out_of_range`
 */
export function selectScene(info: AcquisitionInfo, selection: Selection | undefined): SceneView {
  return viewScene(info, selectIndex('S', selection?.S, info.scenes.length, info.named?.scene));
}

/** Returns the view of a scene that exists. */
export function viewScene(info: AcquisitionInfo, sceneIndex: number): SceneView {
  const { format, named, recording } = info;
  const scene = info.scenes[sceneIndex];
  if (!scene) throw new Error(`an acquisition without scene ${sceneIndex}`);
  const scenes = info.scenes.length > 1 ? info.scenes.slice(0, MAX_LISTED_SCENES).map(toSummary) : [];
  // In another scene, the file that was named says nothing about T and Z.
  const start = named?.scene === sceneIndex ? { t: named.t, z: named.z } : { t: 0, z: 0 };
  const view = { format, sceneCount: info.scenes.length, sceneIndex, scene, start, scenes };
  return recording ? { ...view, recording } : view;
}

function toSummary({ name, channels, sizes: { T, Z, Y, X } }: SceneInfo, index: number): SceneSummary {
  return {
    index,
    name: name || `Scene ${index + 1}`,
    sizes: { C: channels.length, ...(T > 1 ? { T } : {}), ...(Z > 1 ? { Z } : {}), Y, X },
  };
}

/**
 * Returns the index along a dimension of `size`, `start` when the request has none. A dimension of size 1 cannot be
 * selected: `dims` does not list it.
 * @throws AcqError `selection_out_of_range`
 */
export function selectIndex(name: 'S' | 'T' | 'Z', index: number | undefined, size: number, start = 0): number {
  if (index === undefined) return start;
  const problem = (text: string) => new AcqError('selection_out_of_range', text);
  const [one, many] = NOUNS[name];
  if (size <= 1) throw problem(`\`selection.${name}\` is ${index}, but the file has only one ${one}. Omit it.`);
  if (index < 0 || index >= size) {
    throw problem(
      `\`selection.${name}\` is ${index}, but the file has ${grouped(size)} ${many} (0 to ${grouped(size - 1)})`,
    );
  }
  return index;
}
