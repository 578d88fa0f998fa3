/** NumPy arrays, each with a JSON file for what an array cannot hold. */
import { basename } from 'node:path';
import { describeArray, writeArray } from '@acquisition-store/readers/derive/writers/npy.js';
import { withoutExtension, writeFile, writeSceneFolder } from './scene-folder.js';
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
