import { afterEach, expect, it, vi } from 'vitest';
import { type BlockSource, BlockTarget } from '../../../packages/readers/src/model/samples/block-target.js';
import { lendRows } from '../../../packages/readers/src/model/samples/lent-rows.js';
import {
  NativeTarget,
  type PlaneTarget,
  RowsTarget,
} from '../../../packages/readers/src/model/samples/plane-target.js';
import { SAMPLE_ARRAYS, type SampleArray, type SampleType } from '../../../packages/readers/src/model/samples/types.js';
import { openAcquisition } from '../../../packages/server/src/open.js';
import { FileSource } from '../../../packages/server/src/platform-node/file-source.js';
import fc from '../../support/fast-check.js';
import { tempFolder, writeTemp } from '../../support/temp.js';
import { dims, PIXEL_TYPES, words, writeCzi } from '../../writers/czi.js';
import { writeLif } from '../../writers/lif.js';
import { writeMrc } from '../../writers/mrc.js';
import { writeNd2 } from '../../writers/nd2.js';
import { channelId, writeOir } from '../../writers/oir.js';
import { writeTiff } from '../../writers/tiff.js';

const [ROWS, COLUMNS] = [300, 128];
const SAMPLES = Uint16Array.from({ length: ROWS * COLUMNS }, (_, i) => (i * 2_654_435_761) >>> 16);
const BYTES = new Uint8Array(SAMPLES.buffer);
const valueAt = (y: number, x: number) => SAMPLES[y * COLUMNS + x]!;

/** Blocks of a plane that hold samples of another one. Those given back are gone, as in a worker, until they are taken again. */
class Blocks implements BlockSource {
  readonly rowsPerBlock: number;
  readonly sampleType: SampleType;
  readonly memory: SampleArray[];
  private readonly wasTaken = new Set<number>();

  constructor(type: SampleType, rows: number, columns: number, rowsPerBlock: number) {
    this.rowsPerBlock = rowsPerBlock;
    this.sampleType = type;
    this.memory = Array.from({ length: Math.ceil(rows / rowsPerBlock) }, (_, i) =>
      new SAMPLE_ARRAYS[type](Math.min(rowsPerBlock, rows - i * rowsPerBlock) * columns).fill(77 as never),
    );
  }

  take(index: number) {
    const content = this.wasTaken.has(index) ? ('kept' as const) : ('used' as const);
    this.wasTaken.add(index);
    return { samples: this.memory[index]!, content };
  }

  give(index: number): void {
    this.memory[index] = structuredClone(this.memory[index]!, {
      transfer: [this.memory[index]!.buffer as ArrayBuffer],
    });
  }

  get samples(): (number | bigint)[] {
    return this.memory.flatMap((samples) => [...(samples as Uint16Array)]);
  }
}

const tiff = (littleEndian: boolean) =>
  writeTiff({ littleEndian, pages: [{ width: COLUMNS, height: ROWS, samples: SAMPLES, rowsPerStrip: 70 }] });
const oir = (bandBytes: number) =>
  writeOir({
    width: COLUMNS,
    height: ROWS,
    depth: 2,
    channels: [{ id: channelId(0), name: 'CH1' }],
    bandBytes,
    sample: (_c, _at, y, x) => valueAt(y, x),
  });
const FILES: Readonly<Record<string, () => Uint8Array>> = {
  'strips.tif': () => tiff(true),
  'big-endian.tif': () => tiff(false),
  'lines.czi': () =>
    writeCzi({
      blocks: [0, 150].map((first) => ({
        dims: dims({ X: COLUMNS, T: [first, 150] }),
        pixelType: PIXEL_TYPES.Gray16,
        data: words(150 * COLUMNS, (i) => SAMPLES[first * COLUMNS + i]!),
      })),
    }),
  'lines.oir': () => oir(80 * COLUMNS * 2),
  'image.lif': () =>
    writeLif({
      elements: [
        {
          name: 'Series001',
          channels: [{ bytesInc: 0, resolution: 16 }],
          dimensions: [
            { id: 1, count: COLUMNS, length: '1.0e-5', bytesInc: 2 },
            { id: 2, count: ROWS, length: '1.0e-5', bytesInc: 2 * COLUMNS },
          ],
          data: BYTES,
        },
      ],
    }),
  'frame.nd2': () =>
    writeNd2({
      width: COLUMNS,
      height: ROWS,
      components: 1,
      bits: 16,
      compression: 2,
      frames: [{ number: 0, time: 0, value: valueAt }],
    }),
  'section.mrc': () => writeMrc({ type: 'uint16', size: [COLUMNS, ROWS, 1], samples: SAMPLES }),
};

afterEach(() => vi.restoreAllMocks());

it.each(Object.keys(FILES))('samples go from the file into the plane without a copy: %s', async (name) => {
  const { samples, straight } = await readFile(name, FILES[name]!());
  expect(samples).toEqual([...SAMPLES]);
  expect(straight).toBe(BYTES.length);
});

it('bands of an OIR file that end inside a row, or a sample, are put together', async () => {
  for (const more of [1, 128, 255]) {
    const { samples } = await readFile('lines.oir', oir(80 * COLUMNS * 2 + more));
    expect(samples).toEqual([...SAMPLES]);
  }
});

it.each(Object.keys(FILES))('a plane in bands is the plane: %s', async (name) => {
  const band = { first: 37, count: 150 };
  const { samples } = await readFile(name, FILES[name]!(), { band });
  expect(samples).toEqual([...SAMPLES.subarray(37 * COLUMNS, 187 * COLUMNS)]);
});

it.each(Object.keys(FILES))('a plane of another type costs the reads of one that lends nothing: %s', async (name) => {
  const [lending, plain] = [
    await readFile(name, FILES[name]!(), { type: 'float32' }),
    await readFile(name, FILES[name]!(), { type: 'float32', lendsNothing: true }),
  ];
  expect(lending.samples).toEqual([...SAMPLES]);
  expect(lending.straight).toBe(0);
  expect(lending.sizes).toEqual(plain.sizes);
});

it('a time point inside a CZI subblock is that time point', async () => {
  const both = words(2 * ROWS * COLUMNS, (i) => (i < ROWS * COLUMNS ? 7 : SAMPLES[i - ROWS * COLUMNS]!));
  const block = { dims: dims({ X: COLUMNS, Y: ROWS, T: [0, 2] }), pixelType: PIXEL_TYPES.Gray16, data: both };
  const { samples, straight } = await readFile('stack.czi', writeCzi({ blocks: [block] }), { t: 1 });
  expect(samples).toEqual([...SAMPLES]);
  expect(straight).toBe(BYTES.length);
});

it('a wide row is read in pieces where it has to be converted', async () => {
  const columns = 400_000;
  const values = Float64Array.from({ length: columns }, (_, i) => i);
  const wide = writeLif({
    elements: [
      {
        name: 'Series001',
        channels: [{ bytesInc: 0, resolution: 64, dataType: 1 }],
        dimensions: [
          { id: 1, count: columns, length: '1.0e-5', bytesInc: 8 },
          { id: 2, count: 1, length: '1.0e-5', bytesInc: 8 * columns },
        ],
        data: new Uint8Array(values.buffer),
      },
    ],
  });
  const { samples, sizes } = await readFile('wide.lif', wide, { type: 'float32', shape: [1, columns] });
  expect(samples.slice(-2)).toEqual([columns - 2, columns - 1]);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(2 ** 19);
});

interface Reading {
  type?: SampleType;
  shape?: [rows: number, columns: number];
  band?: { first: number; count: number };
  lendsNothing?: boolean;
  t?: number;
}

/** The samples of a plane, how many bytes were read into its memory, and the bytes of each read. */
async function readFile(name: string, bytes: Uint8Array, reading: Reading = {}) {
  const { type = 'uint16', shape = [ROWS, COLUMNS], t = 0 } = reading;
  const [rows, columns] = shape;
  const { band = { first: 0, count: rows } } = reading;
  const { acquisition, close } = await openAcquisition(writeTemp(tempFolder(), name, bytes));
  const blocks = new Blocks(type, band.count, columns, 64);
  const target = new BlockTarget({ rows, columns, band }, blocks);
  let straight = 0;
  const sizes: number[] = [];
  const { readInto } = FileSource.prototype;
  vi.spyOn(FileSource.prototype, 'readInto').mockImplementation(function (this: FileSource, into, offset) {
    if (blocks.memory.some(({ buffer }) => buffer === into.buffer)) straight += into.length;
    sizes.push(into.length);
    readInto.call(this, into, offset);
  });
  const plain = { rows, columns, put: target.put.bind(target), wants: target.wants.bind(target) };
  await acquisition.readPlane({ scene: 0, channel: 0, t, z: 0 }, reading.lendsNothing ? plain : target);
  target.finish();
  close();
  vi.restoreAllMocks();
  return { samples: blocks.samples, straight, sizes };
}

it('rows that are lent and filled, and rows that are put, make the same plane', () => {
  const step = fc.record({ row: fc.nat(19), rows: fc.integer({ min: 1, max: 9 }), lends: fc.boolean() });
  const shape = {
    rowsPerBlock: fc.integer({ min: 1, max: 8 }),
    first: fc.nat(10),
    count: fc.integer({ min: 1, max: 10 }),
  };
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), fc.record(shape), (steps, { rowsPerBlock, first, count }) => {
      const planes = [true, false].map((mayLend) => {
        const blocks = new Blocks('uint16', count, 3, rowsPerBlock);
        const target = new BlockTarget({ rows: 20, columns: 3, band: { first, count } }, blocks);
        for (const [i, { row, lends, ...at }] of steps.entries()) {
          fill(target, row, Math.min(at.rows, 20 - row), 100 * (i + 1), mayLend && lends);
        }
        target.finish();
        return blocks.samples;
      });
      expect(planes[0]).toEqual(planes[1]);
    }),
  );
});

/** Fills rows with `value`, and the number of each: in memory that is lent, as far as it is. */
function fill(target: PlaneTarget, row: number, rows: number, value: number, lends: boolean): void {
  for (let done = 0, count: number; done < rows; done += count) {
    count = rows - done;
    const lent = lends ? lendRows(target, WORDS, row + done, count) : undefined;
    count = lent?.rows ?? (lends ? 1 : count);
    const samples = Uint16Array.from(
      { length: count * target.columns },
      (_, i) => value + row + done + Math.floor(i / 3),
    );
    lent?.bytes.set(new Uint8Array(samples.buffer));
    if (lent) lent.put();
    else target.put({ samples, offset: 0, rowStride: 3, columnStride: 1 }, row + done, 0, count, 3);
  }
}

const WORDS = { sampleType: 'uint16', littleEndian: true } as const;

it('memory is lent for samples that a plane keeps as they are stored', () => {
  const lent = (kept: SampleType, sampleType: SampleType) =>
    lendRows(new NativeTarget(kept, 2, 3), { sampleType, littleEndian: true }, 0, 2)?.bytes.length;
  expect(lent('uint16', 'uint16')).toBe(12);
  expect(lent('int64', 'int64')).toBe(48);
  // The same width is not the same type, and 16-bit floats are widened.
  expect(lent('uint16', 'int16')).toBeUndefined();
  expect(lent('float32', 'uint32')).toBeUndefined();
  expect(lent('float32', 'float16')).toBeUndefined();
  const unable = { rows: 2, columns: 3, put: () => {} };
  expect(lendRows(unable, WORDS, 0, 2)).toBeUndefined();
  expect(lendRows(new RowsTarget(unable, 0, 2), WORDS, 0, 2)).toBeUndefined();
});

it('memory is lent inside the plane only', () => {
  const blocks = new Blocks('uint16', 4, 3, 2);
  const target = new BlockTarget({ rows: 6, columns: 3, band: { first: 1, count: 4 } }, blocks);
  const rows = (row: number, count: number) => lendRows(target, WORDS, row, count)?.rows;
  expect([rows(0, 6), rows(1, 5), rows(2, 4), rows(4, 2), rows(5, 1)]).toEqual([undefined, 2, 1, 1, undefined]);
  expect(() => rows(5, 2)).toThrow(RangeError);
  const part = new RowsTarget(new NativeTarget('uint16', 4, 3), 1, 2);
  expect(lendRows(part, WORDS, 0, 2)?.bytes.byteOffset).toBe(6);
  expect(() => lendRows(part, WORDS, 1, 2)).toThrow(RangeError);
});

it('samples that are put elsewhere in the same memory are copied', () => {
  const target = new NativeTarget('uint16', 2, 3);
  const data = target.data as Uint16Array;
  data.set([1, 2, 3, 4, 5, 6]);
  target.put({ samples: data, offset: 3, rowStride: 3, columnStride: 1 }, 0, 0, 1, 3);
  expect([...data]).toEqual([4, 5, 6, 4, 5, 6]);
  // The same bytes as another type.
  const signed = new Int16Array(data.buffer).fill(-1);
  const wide = new NativeTarget('float32', 1, 3);
  wide.put({ samples: signed, offset: 0, rowStride: 3, columnStride: 1 }, 0, 0, 1, 3);
  expect([...(wide.data as Float32Array)]).toEqual([-1, -1, -1]);
});
