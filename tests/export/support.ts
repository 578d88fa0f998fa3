import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import {
  type ExportResult,
  type ExportTask,
  exportAcquisition,
  type Progress,
} from '../../packages/server/src/export/index.js';
import type { OpenedAcquisition } from '../../packages/server/src/open.js';
import { ArrayFacts, readNative, sceneOf } from '../support/native.js';

/** Shape and digest of each channel of a scene, without the reader's own arithmetic. */
export async function factsOf(opened: OpenedAcquisition, scene: number): Promise<string[]> {
  const { sizes, channels, sampleType } = sceneOf(opened, scene);
  const digests: string[] = [];
  for (const channel of channels.keys()) {
    const facts = new ArrayFacts();
    for (let t = 0; t < sizes.T; t++) {
      // Half floats are exported as float32, which holds the same values.
      const type = sampleType === 'float16' ? 'float32' : sampleType;
      for (let z = 0; z < sizes.Z; z++) facts.add(await readNative(opened, scene, { channel, t, z }), type);
    }
    digests.push(facts.digest());
  }
  return digests;
}

/** Exports in this thread; what `task` leaves out is the default of the command line. Resolves to the path of the output. */
export async function exportTo(...args: Parameters<typeof runExport>): Promise<string> {
  return (await runExport(...args)).output;
}

/** Does the same; resolves to what the command line would print. */
export async function runExport(
  folder: string,
  name: string,
  task: Partial<ExportTask> & Pick<ExportTask, 'path' | 'format'>,
  onProgress: (progress: Progress) => void = () => {},
): Promise<ExportResult> {
  return exportAcquisition(
    {
      target: join(folder, name),
      isNamed: false,
      choice: {},
      options: {},
      overwrite: false,
      removeLeftovers: false,
      maxPlaneBytes: 2 ** 31,
      token: randomBytes(8).toString('hex'),
      ...task,
    },
    { onProgress, onFinishing: () => {} },
  );
}
