/** Memory of a plane is used again: no plane may ever show samples of the one before, whatever is wrong with its file. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenResponse } from '../../packages/client/src/contract/open.js';
import type { RunningServer } from '../../packages/server/src/server/listen.js';
import { lineScan as nd2LineScan } from '../support/nd2.js';
import { createServer } from '../support/server.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { dims, PIXEL_TYPES, words, writeCzi } from '../writers/czi.js';
import { cziXml } from '../writers/czi-kinds.js';
import { writeLif } from '../writers/lif.js';
import { writeNd2 } from '../writers/nd2.js';
import { writeOir } from '../writers/oir.js';
import { lineScan as oirLineScan } from '../writers/oir-kinds.js';
import { axis, blosc, imageFiles, zipStore } from '../writers/ome-zarr.js';
import { writeTiff } from '../writers/tiff.js';

/** Two blocks of memory, the last of them not full. */
const ROWS = 1300;
const COLUMNS = 500;
const RUN = 100;
/** Value of all samples of the plane that was in the memory before. */
const EARLIER = 4000;
const VALUE = 7;
/** What a reader may show where nothing is stored. */
const FILL = 5;

const tiffPage = (value: number) => ({
  width: COLUMNS,
  height: ROWS,
  samples: new Uint16Array(ROWS * COLUMNS).fill(value),
  rowsPerStrip: RUN,
});

function cziBlocks(value: number, skipped: readonly number[]) {
  return Array.from({ length: ROWS / RUN }, (_, i) => ({
    dims: dims({ X: COLUMNS, T: [i * RUN, RUN], C: 1 }),
    pixelType: PIXEL_TYPES.Gray16,
    data: words(RUN * COLUMNS, () => value),
  })).filter((_, i) => !skipped.includes(i));
}

/** Files of one plane that is `value` everywhere it is stored. */
const FILES: Record<string, (value: number) => Promise<Uint8Array> | Uint8Array> = {
  'whole.tif': (value) => writeTiff({ pages: [tiffPage(value)] }),
  'unwritten-strips.tif': (value) => writeTiff({ pages: [{ ...tiffPage(value), sparse: [0, 3, 9, 12] }] }),
  'deflate.tif': (value) => writeTiff({ pages: [{ ...tiffPage(value), compression: 8 }] }),
  'tiles.tif': (value) =>
    writeTiff({ pages: [{ ...tiffPage(value), tile: { width: 64, height: 64 }, sparse: [1, 90] }] }),
  'line.czi': (value) => writeCzi({ blocks: cziBlocks(value, []), xml: cziXml({ um: { X: 0.25 } }) }),
  'gaps.czi': (value) => writeCzi({ blocks: cziBlocks(value, [1, 2, 11]), xml: cziXml({ um: { X: 0.25 } }) }),
  'line.lif': (value) =>
    writeLif({
      elements: [
        {
          name: 'Series1',
          channels: [{ bytesInc: 0, resolution: 16 }],
          dimensions: [
            { id: 1, count: COLUMNS, length: '1e-4', bytesInc: 2 },
            { id: 2, count: ROWS, length: '1e-4', bytesInc: 2 * COLUMNS },
          ],
          data: words(ROWS * COLUMNS, () => value),
        },
      ],
    }),
  'line.oir': (value) => writeOir(oirLineScan(ROWS, COLUMNS, 64, { sample: () => value })),
  'line.nd2': (value) =>
    writeNd2(
      nd2LineScan({
        width: COLUMNS,
        height: ROWS,
        widthBytes: 2 * COLUMNS,
        frames: [{ number: 0, time: 0, value: () => value }],
      }),
    ),
  'chunks.ome.zarr.zip': async (value) =>
    zipStore(
      await imageFiles({
        version: 2,
        type: 'uint16',
        shape: [ROWS, COLUMNS],
        chunks: [RUN, 300],
        value: () => value,
        fill: FILL,
        separator: '/',
        codecs: [blosc()],
        missing: (index) => index.join() === '3,0',
        axes: [axis('y', 'micrometer'), axis('x', 'micrometer')],
      }),
    ),
};

describe('a plane in memory that was used before', () => {
  const folder = tempFolder();
  let server: RunningServer;

  beforeAll(async () => {
    server = await createServer({ port: 0, stateDir: folder, decodeWorkers: 1 });
  });
  afterAll(() => server.close());

  /** The values of all samples of a file's channels; undefined when it is refused. */
  async function valuesIn(path: string): Promise<Set<number> | undefined> {
    const response = await fetch(`${server.url}/api/v2/open`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ path }),
    });
    if (response.status !== 200) {
      expect(((await response.json()) as { error: string }).error).toMatch(/^(decode_failed|unsupported_format)$/);
      return undefined;
    }
    const { sessionId, channels } = (await response.json()) as OpenResponse;
    const values = new Set<number>();
    for (const { dataUrl } of channels) {
      const body = await (await fetch(`${server.url}${dataUrl}`)).arrayBuffer();
      const samples = new Float32Array(body);
      for (let i = 0; i < samples.length; i++) if (samples[i] !== samples[i - 1]) values.add(samples[i]!);
    }
    await fetch(`${server.url}/api/v2/sessions/${sessionId}`, { method: 'DELETE' });
    return values;
  }

  it.each(Object.keys(FILES))('never shows samples of the plane before: %s, whole and truncated', async (name) => {
    const bytes = await FILES[name]!(VALUE);
    const earlier = writeTemp(folder, 'earlier.tif', await FILES['whole.tif']!(EARLIER));
    for (const share of [1, 0.9, 0.4]) {
      expect(await valuesIn(earlier)).toEqual(new Set([EARLIER]));
      const path = writeTemp(folder, `${share}-${name}`, bytes.subarray(0, Math.floor(share * bytes.length)));
      const values = await valuesIn(path);
      // A whole file is served, so the memory was used.
      if (share === 1) expect(values).toContain(VALUE);
      for (const value of values ?? []) expect([0, FILL, VALUE]).toContain(value);
    }
  });
});
