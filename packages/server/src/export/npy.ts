/** NumPy arrays, each with a JSON file for what an array cannot hold. */

import { basename } from 'node:path';
import { toUtf8 } from '../bytes.js';
import { describeHeader } from '../describe.js';
import { measuredJson } from '../metadata/coordinates-json.js';
import { npyHeader } from '../samples/npy.js';
import { NUMPY_TYPES } from '../samples/types.js';
import { planesOf } from './cut.js';
import { withoutExtension, writeFile, writeSceneFolder } from './scene-folder.js';
import type { FileSink } from './sink.js';
import { StagedFile } from './staged.js';
import type { WriteJob } from './types.js';

const EXTENSION = '.npy';

/** Writes one array with the axes T, C, Z, Y, X; for several scenes a folder with an array for each. */
export async function writeNpy(job: WriteJob): Promise<string> {
  const { cut, target } = job;
  const stem = withoutExtension(target, EXTENSION);
  if (cut.info.scenes.length > 1) return writeScenes(job, stem);
  const array = new StagedFile(target, job.stage);
  let header: StagedFile | undefined;
  try {
    header = new StagedFile(`${stem}.json`, job.stage);
    await writeArray(job, 0, array.sink);
    header.sink.write(describeArray(job, 0, basename(target)));
    job.onFinishing({ partial: array.partial, output: target });
    header.commit();
    array.commit();
    return target;
  } catch (error) {
    header?.discard();
    array.discard();
    throw error;
  }
}

function writeScenes(job: WriteJob, stem: string): Promise<string> {
  return writeSceneFolder(job, { stem, what: 'an array' }, async (scene, { folder, name }) => {
    await writeFile({ folder, name: `${name}${EXTENSION}` }, job, (sink) => writeArray(job, scene, sink));
    await writeFile({ folder, name: `${name}.json` }, job, (sink) =>
      sink.write(describeArray(job, scene, `${name}${EXTENSION}`)),
    );
  });
}

async function writeArray({ cut, onPlane }: WriteJob, scene: number, sink: FileSink): Promise<void> {
  sink.write(npyHeader(cut.info.scenes[scene]!.sampleType, shapeOf(cut, scene)));
  for (const address of planesOf(cut, scene)) {
    sink.write(await cut.read(address));
    onPlane();
  }
}

function shapeOf({ info }: WriteJob['cut'], scene: number): number[] {
  const { sizes, channels } = info.scenes[scene]!;
  return [sizes.T, channels.length, sizes.Z, sizes.Y, sizes.X];
}

/** Returns the JSON file: the header of the API without scenes, and the names and warnings. */
function describeArray({ cut, name, fileSize }: WriteJob, at: number, array: string): Uint8Array {
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
