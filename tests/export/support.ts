import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type ExportTask, exportAcquisition } from '../../src/export/index.js';

/** Exports in this thread; what `task` leaves out is the default of the command line. Resolves to the path of the output. */
export async function exportTo(
  folder: string,
  name: string,
  task: Partial<ExportTask> & Pick<ExportTask, 'path' | 'format'>,
): Promise<string> {
  const { output } = await exportAcquisition(
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
    { onProgress: () => {}, onFinishing: () => {} },
  );
  return output;
}
