import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { OutputError } from '../../packages/readers/src/derive/writers/output-error.js';
import type { SampleArray } from '../../packages/readers/src/model/samples/types.js';
import { openAcquisition } from '../../packages/server/src/open.js';
import { SAMPLE } from '../support/cli.js';
import { lineVector, overview } from '../support/lif.js';
import { readNative } from '../support/native.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { writeLif } from '../writers/lif.js';
import { omeXml } from '../writers/ome.js';
import { writeTiff } from '../writers/tiff.js';
import { exportTo } from './support.js';

const folder = tempFolder();

/** An array with its axes as NumPy reads it. */
function readNpy(path: string) {
  const bytes = readFileSync(path);
  expect(bytes.subarray(0, 8).toString('latin1')).toBe('\x93NUMPY\x01\x00');
  const length = bytes.readUInt16LE(8);
  expect((10 + length) % 64).toBe(0);
  const header = bytes.toString('latin1', 10, 10 + length);
  const [, descr = '', shape = ''] =
    /^\{'descr': '(.*)', 'fortran_order': False, 'shape': \((.*)\), \} *\n$/.exec(header) ?? [];
  return { descr, shape: shape.split(', ').map(Number), data: bytes.subarray(10 + length) };
}

/** Size, depth and samples of a grayscale PNG image; its chunks by name. */
function readPng(path: string) {
  const bytes = readFileSync(path);
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const name = bytes.toString('latin1', at + 4, at + 8);
    const data = bytes.subarray(at + 8, at + 8 + length);
    chunks.set(name, Buffer.concat([chunks.get(name) ?? Buffer.alloc(0), data]));
    at += 12 + length;
  }
  const header = chunks.get('IHDR')!;
  const [width, height, bits] = [header.readUInt32BE(0), header.readUInt32BE(4), header[8]!];
  const raw = inflateSync(chunks.get('IDAT')!);
  const rowBytes = (width * bits) / 8;
  const rows = Array.from({ length: height }, (_, y) => {
    expect(raw[y * (rowBytes + 1)]).toBe(0);
    return raw.subarray(y * (rowBytes + 1) + 1, (y + 1) * (rowBytes + 1));
  });
  const packed = Buffer.concat(rows);
  const samples =
    bits === 8 ? [...packed] : Array.from({ length: width * height }, (_, i) => packed.readUInt16BE(2 * i));
  return { width, height, bits, samples, chunks };
}

/** Rows of a CSV file without its comments, and the comments. */
function readCsv(path: string) {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  return {
    comments: lines.filter((line) => line.startsWith('# ')),
    rows: lines.filter((line) => !line.startsWith('#')).map((line) => line.split(',')),
  };
}

/** A TIFF of three time points with two channels, in a type of choice. */
function stack(name: string, make: (page: number) => SampleArray, type: string): string {
  const xml = omeXml({
    images: [
      {
        name: 'a\nb',
        sizes: { X: 4, Y: 3, C: 2, T: 3 },
        type,
        date: ['AcquisitionDate', '2024-05-06T07:08:09'],
        pixels: { PhysicalSizeX: 0.25, TimeIncrement: 0.5 },
      },
    ],
  });
  const pages = Array.from({ length: 6 }, (_, page) => ({
    width: 4,
    height: 3,
    samples: make(page),
    ...(page === 0 ? { tags: [{ code: 270, type: 2, text: xml }] } : {}),
  }));
  return writeTemp(folder, name, writeTiff({ pages }));
}

const words = stack('words.ome.tif', (page) => Uint16Array.from({ length: 12 }, (_, i) => page * 5000 + i), 'uint16');
const signed = stack(
  'signed.ome.tif',
  (page) => Int32Array.from({ length: 12 }, (_, i) => page * -70_000 + i),
  'int32',
);
const special = [
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  -0,
  0.1,
  1e-30,
  16_777_217,
  -2.5,
  0,
  1,
  2,
  3,
];
const floats = stack('floats.ome.tif', () => Float32Array.from(special), 'float');

it('writes an array with the axes T, C, Z, Y, X in the type of the file', async () => {
  const output = await exportTo(folder, 'words.npy', { path: words, format: 'npy' });
  const { descr, shape, data } = readNpy(output);
  expect([descr, shape]).toEqual(['<u2', [3, 2, 1, 3, 4]]);
  const expected = Array.from({ length: 6 }, (_, page) => Array.from({ length: 12 }, (_, i) => page * 5000 + i)).flat();
  expect([...new Uint16Array(data.buffer.slice(data.byteOffset, data.byteOffset + data.length))]).toEqual(expected);
});

it('describes an array in a JSON file beside it, with the header of the API', async () => {
  const document = JSON.parse(readFileSync(join(folder, 'words.json'), 'utf8'));
  expect(document).toMatchObject({
    array: 'words.npy',
    axes: ['T', 'C', 'Z', 'Y', 'X'],
    shape: [3, 2, 1, 3, 4],
    dtype: '<u2',
    source: { name: 'words.ome.tif', format: 'ome.tif', scene: { index: 0, name: 'a b' } },
    header: { dims: ['C', 'T', 'Y', 'X'], date: '20240506', time: '07:08:09', physicalUnits: [1, 0.5, 1, 0.25] },
    channels: [{ name: 'CH1' }, { name: 'CH2' }],
  });
});

it('writes only what was chosen', async () => {
  const choice = { time: { start: 1, end: 3 }, channel: 1 };
  const output = await exportTo(folder, 'part.npy', { path: words, format: 'npy', choice });
  const { shape, data } = readNpy(output);
  expect(shape).toEqual([2, 1, 1, 3, 4]);
  expect([data.readUInt16LE(0), data.readUInt16LE(24)]).toEqual([15_000, 25_000]);
});

it.each([
  [{ scene: 1 }, 'selection_out_of_range', '--scene is 1, but the file has 1 scene (index 0)'],
  [{ time: { start: 2, end: 4 } }, 'selection_out_of_range', '--time is 2:4, but the file has 3 time points (0 to 2)'],
  [{ z: { start: 1, end: 2 } }, 'selection_out_of_range', '--z is 1, but the file has 1 section (index 0)'],
  [{ channel: 2 }, 'channel_out_of_range', '--channel is 2, but the file has 2 channels (0 to 1)'],
])('refuses the choice %j, which is not in the file', async (choice, code, text) => {
  const failed = exportTo(folder, 'none.npy', { path: words, format: 'npy', choice });
  await expect(failed).rejects.toMatchObject({ code, message: `words.ome.tif: ${text}` });
  expect(readdirSync(folder).filter((name) => name.includes('none'))).toEqual([]);
});

it('writes numbers as text that keeps them, special ones included', async () => {
  const output = await exportTo(folder, 'floats.csv', { path: floats, format: 'csv' });
  const { rows } = readCsv(output);
  expect(rows[0]).toEqual(['nan', 'inf', '-inf', '-0']);
  const numbers = rows.flat().slice(4).map(Number);
  expect([...Float32Array.from(numbers)]).toEqual([...Float32Array.from(special.slice(4))]);
  const integers = readCsv(
    await exportTo(folder, 'signed.csv', { path: signed, format: 'csv', choice: { time: { start: 1, end: 2 } } }),
  );
  expect(integers.rows[2]).toEqual(['-139992', '-139991', '-139990', '-139989']);
});

it('starts a CSV file with what the plane is, each on a line of its own', async () => {
  const { comments, rows } = readCsv(
    await exportTo(folder, 'scan.csv', { path: SAMPLE, format: 'csv', choice: { channel: 1 } }),
  );
  expect(comments).toEqual([
    '# file: vessel-kymograph.ome.tif',
    expect.stringMatching(/^# scene: 0 /),
    '# channel: Vessel',
    expect.stringMatching(/^# recorded: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
    '# rows: 4000, step 0.00117 seconds',
    '# columns: 96, step 0.284 micrometer',
    '# samples: uint16',
  ]);
  const opened = await openAcquisition(SAMPLE);
  expect(rows.flat().map(Number)).toEqual([...(await readNative(opened, 0, { channel: 1 }))]);
  opened.close();
  expect(readCsv(await exportTo(folder, 'name.csv', { path: words, format: 'csv' })).comments[1]).toBe(
    '# scene: 0 a b',
  );
});

it('writes 8 and 16-bit samples into PNG images as they are', async () => {
  const wide = readPng(
    await exportTo(folder, 'words.png', {
      path: words,
      format: 'png',
      choice: { channel: 1, time: { start: 2, end: 3 } },
    }),
  );
  expect(wide).toMatchObject({ width: 4, height: 3, bits: 16 });
  expect(wide.samples).toEqual(Array.from({ length: 12 }, (_, i) => 25_000 + i));
  const bytes = stack('bytes.ome.tif', (page) => Uint8Array.from({ length: 12 }, (_, i) => page * 20 + i), 'uint8');
  const narrow = readPng(await exportTo(folder, 'bytes.png', { path: bytes, format: 'png' }));
  expect([narrow.bits, narrow.samples]).toEqual([8, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]]);
  expect(narrow.chunks.get('iTXt')?.toString()).toContain('file: bytes.ome.tif');
});

it('maps other samples to 8 bits in a window, and asks for one', async () => {
  const failed = exportTo(folder, 'floats.png', { path: floats, format: 'png' });
  await expect(failed).rejects.toThrow(/floats\.ome\.tif: a PNG image cannot hold float32 samples\..*--window 0:4095/);
  await expect(failed).rejects.toBeInstanceOf(OutputError);
  const options = { window: { start: 0, end: 2 } };
  const { bits, samples } = readPng(await exportTo(folder, 'floats.png', { path: floats, format: 'png', options }));
  expect([bits, samples]).toEqual([8, [0, 255, 0, 0, 13, 0, 255, 0, 0, 128, 255, 255]]);
});

it('states the pixel size of a PNG image only when both axes are lengths', async () => {
  const scan = readPng(await exportTo(folder, 'scan.png', { path: SAMPLE, format: 'png' }));
  expect(scan.chunks.has('pHYs')).toBe(false);
  const xml = omeXml({ images: [{ sizes: { X: 4, Y: 3 }, pixels: { PhysicalSizeX: 0.25, PhysicalSizeY: 0.5 } }] });
  const page = { width: 4, height: 3, samples: new Uint16Array(12), tags: [{ code: 270, type: 2, text: xml }] };
  const frame = writeTemp(folder, 'frame.ome.tif', writeTiff({ pages: [page] }));
  const { chunks } = readPng(await exportTo(folder, 'frame.png', { path: frame, format: 'png' }));
  const size = chunks.get('pHYs')!;
  expect([size.readUInt32BE(0), size.readUInt32BE(4), size[8]]).toEqual([4_000_000, 2_000_000, 1]);
});

it.each(['ome-zarr', 'ome-tiff', 'imagej', 'npy', 'png', 'csv'])(
  'counts the planes of %s as it writes them',
  async (format) => {
    const seen: number[] = [];
    let total = 0;
    const task = { path: words, format, options: format === 'png' ? { window: { start: 0, end: 99 } } : {} };
    await exportTo(folder, `counted-${format}`, task, ({ planes, planeCount }) => {
      if (planes !== seen.at(-1)) seen.push(planes);
      total = planeCount;
    });
    expect(seen.filter((planes) => planes > 0)).toEqual(Array.from({ length: total }, (_, i) => i + 1));
    expect(total).toBe(format === 'png' || format === 'csv' ? 1 : 6);
  },
);

it('writes a plane of the first scene unless another one is asked for', async () => {
  const elements = [lineVector({ name: 'one' }), overview({ name: 'two' })];
  const path = writeTemp(folder, 'scenes.lif', writeLif({ elements }));
  const sizeOf = async (name: string, choice: { scene?: number }) => {
    const { rows } = readCsv(await exportTo(folder, name, { path, format: 'csv', choice }));
    return [rows.length, rows[0]!.length];
  };
  const opened = await openAcquisition(path);
  const [one, two] = opened.acquisition.info.scenes.map(({ sizes: { Y, X } }) => [Y, X]);
  opened.close();
  expect(one).not.toEqual(two);
  expect(await sizeOf('first.csv', {})).toEqual(one);
  expect(await sizeOf('second.csv', { scene: 1 })).toEqual(two);
});
