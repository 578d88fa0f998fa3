import { afterAll, expect, it } from 'vitest';
import type { SourceData } from '../../../packages/readers/src/model/samples/plane-data.js';
import { openAcquisition } from '../../../packages/server/src/open.js';
import type { OpenSession } from '../../../packages/viewer/src/engine/session-planes.ts';
import { zarrValueOf } from '../../../packages/viewer/src/engine/zarr-values.ts';
import { tempFolder, writeTemp } from '../../support/temp.js';
import { writeTiff } from '../../writers/tiff.js';

const root = tempFolder();
const samples = Uint16Array.of(1, 2, 3, 4);
const opened = await openAcquisition(
  writeTemp(root, 'scan.tif', writeTiff({ pages: [{ width: 2, height: 2, samples }] })),
);
afterAll(() => opened.close());

const PLANE: SourceData = {
  ...{ sampleType: 'uint16', rows: 2, columns: 2 },
  segments: [{ firstRow: 0, rowCount: 2, samples }],
};

it('computes what two ask for again when the first one stops', async () => {
  const reads: AbortSignal[] = [];
  const native = (_: unknown, signal: AbortSignal) =>
    new Promise<SourceData>((resolve, reject) => {
      reads.push(signal);
      signal.addEventListener('abort', () => reject(signal.reason));
      if (reads.length > 1) resolve(PLANE);
    });
  const header = { dims: [], physicalUnits: [], physicalUnitsLabels: [], sizes: {}, fileSize: '1 KB' };
  const session = {
    info: { source: { name: 'scan.tif' }, header, warnings: [] },
    source: { acquisition: opened.acquisition },
    images: { native },
  } as unknown as OpenSession;
  const stop = new AbortController();
  const stopped = expect(zarrValueOf(session, stop.signal, '0/zarr.json', '0.5')).rejects.toThrow('enough');
  const other = zarrValueOf(session, new AbortController().signal, '0/zarr.json', '0.5');
  await new Promise((resolve) => setTimeout(resolve));
  expect(reads).toHaveLength(1);
  stop.abort(new Error('enough'));
  await stopped;
  expect(new TextDecoder().decode((await other) ?? undefined)).toContain('multiscales');
  expect(reads).toHaveLength(2);
});
