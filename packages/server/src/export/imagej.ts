import { checkImageJ, writeStack } from '@acquisition-store/readers/derive/writers/imagej.js';
import { withoutExtension, writeFile, writeSceneFolder } from './scene-folder.js';
import { finishStaged, StagedFile } from './staged.js';
import type { WriteJob } from './types.js';

const EXTENSION = '.imagej.tif';

export async function writeImageJ(job: WriteJob): Promise<string> {
  const { cut, target } = job;
  checkImageJ(job);
  if (cut.info.scenes.length === 1) {
    const file = new StagedFile(target, job.stage);
    return finishStaged(file, job, () => writeStack(job, 0, file.sink));
  }
  const stem = withoutExtension(target, EXTENSION);
  return writeSceneFolder(job, { stem, what: 'a hyperstack' }, (scene, { folder, name }) =>
    writeFile({ folder, name: `${name}${EXTENSION}` }, job, (sink) => writeStack(job, scene, sink)),
  );
}
