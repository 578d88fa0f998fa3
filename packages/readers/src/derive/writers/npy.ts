/** NumPy arrays, each with a JSON file for what an array cannot hold. */

import { toUtf8 } from '../../base/bytes.js';
import { describeHeader } from '../../model/header.js';
import { measuredJson } from '../../model/metadata/coordinates-json.js';
import { npyHeader } from '../../model/samples/npy.js';
import { NUMPY_TYPES } from '../../model/samples/types.js';
import { planesOf } from './cut.js';
import type { ByteSink, CutJob } from './types.js';

/** Writes one array with the axes T, C, Z, Y, X. */
export async function writeArray({ cut, onPlane }: CutJob, scene: number, sink: ByteSink): Promise<void> {
  sink.write(npyHeader(cut.info.scenes[scene]!.sampleType, shapeOf(cut, scene)));
  for (const address of planesOf(cut, scene)) {
    sink.write(await cut.read(address));
    onPlane();
  }
}

function shapeOf({ info }: CutJob['cut'], scene: number): number[] {
  const { sizes, channels } = info.scenes[scene]!;
  return [sizes.T, channels.length, sizes.Z, sizes.Y, sizes.X];
}

/**
 * Returns the JSON file: the header of the API without scenes, and the names and warnings.
 * @param array name of the file with the array
 */
export function describeArray({ cut, name, fileSize }: CutJob, at: number, array: string): Uint8Array {
  const scene = cut.info.scenes[at]!;
  const document = {
    array,
    axes: ['T', 'C', 'Z', 'Y', 'X'],
    shape: shapeOf(cut, at),
    dtype: NUMPY_TYPES[scene.sampleType],
    source: { name, format: cut.info.format, scene: { index: cut.sceneIndices[at], name: scene.name } },
    header: describeHeader({ scene, sceneCount: 1 }, fileSize),
    ...measuredJson(scene),
    channels: scene.channels,
    warnings: scene.warnings,
  };
  return toUtf8(`${JSON.stringify(document, null, 2)}\n`);
}
