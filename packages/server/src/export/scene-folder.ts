/** Outputs that hold one scene: for several scenes, a folder with files for each of them. */
import { mkdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { plural } from '@acquisition-store/readers/base/wording.js';
import { OutputError } from '@acquisition-store/readers/derive/writers/output-error.js';
import { FileSink } from './sink.js';
import { finishStaged, StagedFolder } from './staged.js';
import type { WriteJob } from './types.js';

/** Returns the path without the extension of the format. */
export function withoutExtension(path: string, extension: string): string {
  return path.toLowerCase().endsWith(extension) ? path.slice(0, -extension.length) : path;
}

/**
 * Writes the scenes into a folder.
 * @param stem path of the folder, and start of the names in it
 * @param write writes the files of a scene into the folder; `name` is without extension
 * @throws OutputError `not_representable` when the user gave the name of one file
 */
export async function writeSceneFolder(
  job: WriteJob,
  { stem, what }: { stem: string; what: string },
  write: (scene: number, file: { folder: string; name: string }) => Promise<void>,
): Promise<string> {
  const { cut, target, isNamed } = job;
  if (isNamed) {
    const text = `${what} holds one scene, but ${job.name} has ${plural(cut.info.scenes.length, 'scene')}. Choose one with --scene, or give a folder (--out).`;
    throw new OutputError('not_representable', basename(target), text);
  }
  const folder = new StagedFolder(stem, job.stage, () => false);
  return finishStaged(folder, job, async () => {
    for (const [scene, index] of cut.sceneIndices.entries()) {
      await write(scene, { folder: folder.partial, name: `${basename(stem)}-${index}` });
    }
  });
}

/** Writes a file of such a folder. */
export async function writeFile(
  { folder, name }: { folder: string; name: string },
  { stage }: WriteJob,
  write: (sink: FileSink) => Promise<void> | void,
): Promise<void> {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  const sink = new FileSink(path, stage.onPiece);
  try {
    await write(sink);
  } finally {
    sink.close();
  }
}
