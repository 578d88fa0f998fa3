import { describe, expect, it } from 'vitest';
import { singlePart } from '../../packages/readers/src/formats/czi/parts.js';
import { openScenes } from '../../packages/readers/src/formats/czi/scenes.js';
import { Float32Target, type PlaneTarget, RowsTarget } from '../../packages/readers/src/model/samples/plane-target.js';
import { openTiff } from '../../packages/readers/src/tiff/parse.js';
import { readPageSample } from '../../packages/readers/src/tiff/read-page.js';
import { CountingSource } from '../support/counting-source.js';
import { openBytes } from '../support/lif.js';
import { bandTarget } from '../support/planes.js';
import { writeCzi } from '../writers/czi.js';
import { mosaic } from '../writers/czi-kinds.js';
import { writeLif } from '../writers/lif.js';
import { writeTiff } from '../writers/tiff.js';

const ROWS = 64;
const COLUMNS = 48;
const SAMPLES = new Uint16Array(ROWS * COLUMNS).map((_, i) => (i * 37) % 60_000);

/** The plane in bands, put together; and the bytes that were read for each band. */
async function inBands(rows: number, columns: number, bands: number, read: (target: PlaneTarget) => Promise<void>) {
  const whole = new Float32Array(rows * columns);
  const each = Math.ceil(rows / bands);
  for (let first = 0; first < rows; first += each) {
    const band = { first, count: Math.min(each, rows - first) };
    const { target, data } = bandTarget(rows, columns, band);
    await read(target);
    target.finish();
    whole.set(data, first * columns);
  }
  return whole;
}

describe('a plane in bands', () => {
  it.each([
    ['strips', { rowsPerStrip: 10 }],
    ['tiles', { tile: { width: 16, height: 16 } }],
  ])('is the plane: TIFF in compressed %s', async (_name, layout) => {
    const page = { width: COLUMNS, height: ROWS, samples: SAMPLES, compression: 8, predictor: 2 as const, ...layout };
    const file = openTiff(new CountingSource(writeTiff({ pages: [page] })));
    const plane = await inBands(ROWS, COLUMNS, 5, (target) => readPageSample(file, file.page(0), 0, target));
    expect(plane).toEqual(Float32Array.from(SAMPLES));
  });

  it('costs the pieces of the band only', async () => {
    const page = { width: COLUMNS, height: ROWS, samples: SAMPLES, compression: 8, rowsPerStrip: 8 };
    const source = new CountingSource(writeTiff({ pages: [page] }));
    const file = openTiff(source);
    const read = async (target: PlaneTarget) => {
      source.reset();
      await readPageSample(file, file.page(0), 0, target);
      return source.bytes;
    };
    const whole = await read(new Float32Target(ROWS, COLUMNS));
    const quarter = await read(bandTarget(ROWS, COLUMNS, { first: 16, count: 16 }).target);
    // Tags and tables are read each time: some hundred bytes.
    expect(quarter).toBeLessThan(whole / 4 + 600);
  });

  it.each([
    ['one strip', {}],
    ['strips', { rowsPerStrip: 10 }],
    ['tiles', { tile: { width: 16, height: 16 } }],
  ])('is the plane: TIFF, uncompressed, in %s', async (_name, layout) => {
    const page = { width: COLUMNS, height: ROWS, samples: SAMPLES, ...layout };
    const file = openTiff(new CountingSource(writeTiff({ pages: [page] })));
    const plane = await inBands(ROWS, COLUMNS, 5, (target) => readPageSample(file, file.page(0), 0, target));
    expect(plane).toEqual(Float32Array.from(SAMPLES));
  });

  it('costs the reads of the band only where it is not compressed, but for those at its edges', async () => {
    const [rows, columns] = [6000, 512];
    const page = { width: columns, height: rows, samples: new Uint16Array(rows * columns).fill(3) };
    const source = new CountingSource(writeTiff({ pages: [page] }));
    const file = openTiff(source);
    source.reset();
    const { target, data } = bandTarget(rows, columns, { first: 2000, count: 1500 });
    await readPageSample(file, file.page(0), 0, target);
    target.finish();
    expect(new Set(data)).toEqual(new Set([3]));
    expect(source.bytes).toBeLessThan(1500 * columns * 2 + 2 * 2 ** 20 + 600);
  });

  it('is the plane: LIF, whose rows a plane can be split at', async () => {
    const data = new Uint8Array(SAMPLES.buffer);
    const dimensions = [
      { id: 1, count: COLUMNS, length: '1e-4', bytesInc: 2 },
      { id: 2, count: ROWS, length: '1e-4', bytesInc: 2 * COLUMNS },
    ];
    const channels = [{ bytesInc: 0, resolution: 16 }];
    const elements = [{ name: 'Series1', channels, dimensions, data }];
    const acquisition = await openBytes(new CountingSource(writeLif({ elements })));
    expect(acquisition.bands?.(0)).toBe(ROWS);
    const address = { scene: 0, channel: 0, t: 0, z: 0 };
    const plane = await inBands(ROWS, COLUMNS, 5, (target) => acquisition.readPlane(address, target));
    expect(plane).toEqual(Float32Array.from(SAMPLES));
  });

  it('is the plane: overlapping tiles of a CZI mosaic, in the same order', async () => {
    const tiles = [0, 1, 2, 3, 4, 5].map((m) => ({ m, x: (m % 2) * 4, y: Math.floor(m / 2) * 3 }));
    const opened = openScenes(singlePart(new CountingSource(writeCzi(mosaic(tiles)))));
    const [scene] = opened.scenes;
    const sizes = scene?.info.sizes ?? { Y: 0, X: 0 };
    expect([sizes.Y, sizes.X, scene?.countBands()]).toEqual([10, 10, 3]);
    const whole = new Float32Target(10, 10);
    await scene?.read({ channel: 0, t: 0, z: 0 }, whole);
    const plane = await inBands(10, 10, 3, async (target) => scene?.read({ channel: 0, t: 0, z: 0 }, target));
    expect(plane).toEqual(whole.data);
    expect([plane[0], plane[9], plane[99]]).toEqual([1, 2, 6]);
  });

  it('is wanted row by row, through parts of a plane too', () => {
    const { target: band } = bandTarget(100, 1, { first: 20, count: 10 });
    expect([band.wants(0, 20), band.wants(0, 21), band.wants(29, 1), band.wants(30, 70)]).toEqual([
      false,
      true,
      true,
      false,
    ]);
    const part = new RowsTarget(band, 25, 50);
    expect([part.wants(0, 1), part.wants(5, 10)]).toEqual([true, false]);
  });
});
