import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Hdf5File } from '../../../packages/readers/src/hdf5/file.js';
import { MemorySource } from '../../../packages/readers/src/io/byte-source.js';
import { KINDS, openTree, planeOf } from '../../support/hdf5.js';
import { type H5Dataset, writeHdf5 } from '../../writers/hdf5.js';

/** The sheet's vector: 20z + 5y + x. */
const data = Uint16Array.from({ length: 60 }, (_, i) => i);
const shape = [3, 4, 5];
const plane = (z: number) => Array.from({ length: 20 }, (_, i) => 20 * z + i);
const turned = (z: number) => Array.from({ length: 20 }, (_, i) => 20 * z + 5 * (i % 4) + Math.floor(i / 4));

const STORAGES: Record<string, Omit<H5Dataset, 'data' | 'shape'>> = {
  contiguous: {},
  compact: { compact: true },
  'plain chunks': { chunks: [1, 2, 2] },
  'one chunk': { chunks: shape },
  'one chunk, gzip': { chunks: shape, filters: ['gzip'] },
  gzip: { chunks: [1, 2, 5], filters: ['gzip'] },
  'shuffle, gzip, checksum': { chunks: [2, 3, 2], filters: ['shuffle', 'gzip', 'fletcher32'] },
  'checksum before gzip': { chunks: [2, 3, 2], filters: ['fletcher32', 'gzip'] },
  lzf: { chunks: [2, 3, 2], filters: ['shuffle', 'lzf'] },
  lz4: { chunks: [3, 4, 5], filters: ['lz4'] },
  blosc: { chunks: [1, 4, 5], filters: ['blosc'] },
  zstd: { chunks: [2, 3, 2], filters: ['shuffle', 'zstd'] },
  'one dimension without limit': { chunks: [1, 1, 1], most: [Number.POSITIVE_INFINITY, 4, 8], filters: ['gzip'] },
  'another dimension without limit': { chunks: [1, 1, 2], most: [3, Number.POSITIVE_INFINITY, 5] },
  'room to grow': { chunks: [1, 2, 2], most: [10, 10, 10], filters: ['gzip'] },
};

/** What HDF5 wrote before 1.6.3, by version of the layout message. */
const OLD_STORAGES: Record<string, Omit<H5Dataset, 'data' | 'shape'>> = {
  'contiguous 1': { layout: 1 },
  'contiguous 2': { layout: 2 },
  'compact 2': { layout: 2, compact: true },
  'plain chunks 1': { layout: 1, chunks: [1, 2, 2] },
  'shuffle, gzip, checksum 1': { layout: 1, chunks: [2, 3, 2], filters: ['shuffle', 'gzip', 'fletcher32'] },
  'checksum as it was then 2': { layout: 2, chunks: [2, 3, 2], filters: ['shuffle', 'gzip', 'old fletcher32'] },
  'one dimension without limit 2': {
    layout: 2,
    chunks: [1, 2, 5],
    most: [Number.POSITIVE_INFINITY, 4, 5],
    filters: ['gzip'],
  },
};

describe('arrays as before HDF5 1.6.3', () => {
  const members = Object.fromEntries(
    Object.entries(OLD_STORAGES).map(([name, how]) => [name, { data, shape, ...how }]),
  );
  const file = openTree({ members });

  it.each(Object.keys(OLD_STORAGES))('reads %s', async (name) => {
    for (let z = 0; z < 3; z++) {
      expect(await planeOf(file, name, { row: 1, column: 2, at: [z, 0, 0] })).toEqual(plane(z));
      expect(await planeOf(file, name, { row: 2, column: 1, at: [z, 0, 0] })).toEqual(turned(z));
    }
    expect(await planeOf(file, name, { row: 0, column: undefined, at: [0, 1, 2] })).toEqual([7, 27, 47]);
  });

  it.each([1, 2] as const)('have their fill value where nothing was written (layout version %d)', async (layout) => {
    const fill = Buffer.from([7, 0]);
    const members = {
      sparse: { data, shape, layout, chunks: [1, 4, 5], fill, without: [1] },
      never: { data, shape, layout, fill, never: true },
      zero: { data, shape, layout, never: true },
    };
    const old = openTree({ members });
    expect(await planeOf(old, 'sparse', { row: 1, column: 2, at: [0, 0, 0] })).toEqual(plane(0));
    expect(await planeOf(old, 'sparse', { row: 1, column: 2, at: [1, 0, 0] })).toEqual(new Array(20).fill(7));
    expect(await planeOf(old, 'never', { row: 1, column: 2, at: [0, 0, 0] })).toEqual(new Array(20).fill(7));
    expect(await planeOf(old, 'zero', { row: 1, column: 2, at: [0, 0, 0] })).toEqual(new Array(20).fill(0));
  });

  it('are refused when they extend beyond the file, or have an invalid layout class', () => {
    const bytes = Buffer.from(writeHdf5({ members: { x: { data, shape, layout: 1 } } }));
    const message = bytes.indexOf(Buffer.from([1, 3, 1, 0, 0, 0, 0, 0]));
    bytes.writeBigUInt64LE(BigInt(bytes.length - 8), message + 8);
    const open = () => new Hdf5File(new MemorySource('x.h5', bytes)).find('x')?.dataset;
    expect(open).toThrow(expect.objectContaining({ code: 'decode_failed' }));
    bytes.writeUInt8(3, message + 2);
    expect(open).toThrow(/invalid layout class 3/);
    bytes.writeUInt8(6, message);
    expect(open).toThrow(
      expect.objectContaining({ code: 'unsupported_format', message: expect.stringMatching(/version 6/) }),
    );
  });
});

describe.each(KINDS)('arrays of the %s kind', (kind) => {
  const members = Object.fromEntries(Object.entries(STORAGES).map(([name, how]) => [name, { data, shape, ...how }]));
  const file = openTree({ members }, { kind });

  it.each(Object.keys(STORAGES))('reads every plane of an array stored as %s', async (name) => {
    for (let z = 0; z < 3; z++) {
      expect(await planeOf(file, name, { row: 1, column: 2, at: [z, 0, 0] })).toEqual(plane(z));
      expect(await planeOf(file, name, { row: 2, column: 1, at: [z, 0, 0] })).toEqual(turned(z));
    }
    const cut = [40, 41, 42, 45, 46, 47];
    expect(await planeOf(file, name, { row: 1, column: 2, at: [2, 0, 0] }, [2, 3])).toEqual(cut);
    expect(await planeOf(file, name, { row: 0, column: undefined, at: [0, 1, 2] })).toEqual([7, 27, 47]);
    expect(await planeOf(file, name, { row: undefined, column: 2, at: [1, 3, 0] })).toEqual([35, 36, 37, 38, 39]);
  });

  it('gives the fill value where nothing was written', async () => {
    const fill = Buffer.from([7, 0]);
    const sparse = { data, shape, chunks: [1, 2, 2], fill, without: [2, 5] };
    const file = openTree({ members: { sparse, never: { data, shape, never: true, fill } } }, { kind });
    const rows = [0, 1, 2, 3, 7, 5, 6, 7, 8, 7, 10, 11, 12, 13, 7, 15, 16, 17, 18, 7];
    expect(await planeOf(file, 'sparse', { row: 1, column: 2, at: [0, 0, 0] })).toEqual(rows);
    expect(await planeOf(file, 'never', { row: 1, column: 2, at: [0, 0, 0] })).toEqual(new Array(20).fill(7));
    expect(file.find('never')?.dataset.neverWritten).toBe(true);
  });

  it('recognizes the types of numbers', async () => {
    const members = {
      big: { data: { bigEndian: Uint16Array.of(1, 258) } },
      'big float': { data: { bigEndian: Float32Array.of(1.5, -2) } },
      bools: { data: { bools: [true, false] } },
      halves: { data: { halves: Uint16Array.of(0x3c00, 0xc000) } },
      wide: { data: BigInt64Array.of(-5n, 2n ** 40n) },
      double: { data: Float64Array.of(0.1, -1e300) },
      bytes: { data: Int8Array.of(-1, 5) },
    };
    const file = openTree({ members }, { kind });
    const all = (path: string) => planeOf(file, path, { row: undefined, column: 0, at: [0] });
    const type = (path: string) => file.find(path)?.dataset.sampleType;
    expect([type('big'), await all('big')]).toEqual(['uint16', [1, 258]]);
    expect([type('big float'), await all('big float')]).toEqual(['float32', [1.5, -2]]);
    expect([type('bools'), await all('bools')]).toEqual(['uint8', [1, 0]]);
    expect([type('halves'), await all('halves')]).toEqual(['float16', [1, -2]]);
    expect([type('wide'), await all('wide')]).toEqual(['int64', [-5, 2 ** 40]]);
    expect([type('double'), await all('double')]).toEqual(['float64', [0.1, -1e300]]);
    expect([type('bytes'), await all('bytes')]).toEqual(['int8', [-1, 5]]);
  });

  it.each(['gzip', 'zstd', 'lzf', 'shuffle', 'fletcher32'] as const)(
    'keeps big-endian planes as they are that lie in one chunk with %s',
    async (filter) => {
      const members = { x: { data: { bigEndian: data }, shape, chunks: shape, filters: [filter] } };
      const file = openTree({ members }, { kind });
      for (const z of [0, 1, 2, 0, 2]) {
        expect(await planeOf(file, 'x', { row: 1, column: 2, at: [z, 0, 0] })).toEqual(plane(z));
      }
    },
  );

  it('reads big-endian values from the header, or a fill value, any number of times', async () => {
    const fill = Buffer.from([1, 2]);
    const members = {
      compact: { data: { bigEndian: data }, shape, compact: true },
      never: { data: { bigEndian: data }, shape, never: true, fill },
    };
    const file = openTree({ members }, { kind });
    for (const z of [0, 1, 0]) {
      expect(await planeOf(file, 'compact', { row: 1, column: 2, at: [z, 0, 0] })).toEqual(plane(z));
      expect(await planeOf(file, 'never', { row: 1, column: 2, at: [z, 0, 0] })).toEqual(new Array(20).fill(258));
    }
  });

  it('reads values in the header at any alignment', async () => {
    const wide = Float64Array.from({ length: 60 }, (_, i) => i / 8);
    for (const userBlock of [0, 512]) {
      const names = Array.from({ length: 24 }, (_, i) => `x${'y'.repeat(i)}`);
      const members = Object.fromEntries(names.map((name) => [name, { data: wide, shape, compact: true }]));
      const file = openTree({ members }, { kind, userBlock });
      for (const name of names) {
        const found = await planeOf(file, name, { row: 1, column: 2, at: [2, 0, 0] });
        expect(found).toEqual(plane(2).map((value) => value / 8));
      }
    }
  });

  it('finds 200 chunks through several index nodes or blocks', async () => {
    const data = Uint32Array.from({ length: 400 }, (_, i) => 3 * i);
    const most = [Number.POSITIVE_INFINITY, 2];
    const file = openTree(
      { members: { many: { data, shape: [200, 2], chunks: [1, 2], most, filters: ['gzip'] } } },
      { kind },
    );
    expect(await planeOf(file, 'many', { row: 0, column: 1, at: [0, 0] })).toEqual(Array.from(data));
    expect(await planeOf(file, 'many', { row: undefined, column: 1, at: [137, 0] })).toEqual([822, 825]);
  });

  it('refuses unsupported filters by name', async () => {
    const members = {
      zfp: { data, shape, chunks: shape, filters: ['zfp' as const] },
      unheard: { data, shape, chunks: shape, filters: ['unheard' as const] },
      pairs: { data: { compound: 1 } },
    };
    const file = openTree({ members }, { kind });
    const read = (path: string) => planeOf(file, path, { row: 1, column: 2, at: [0, 0, 0] });
    await expect(read('zfp')).rejects.toThrow(/zfp \(HDF5 filter 32013\)/);
    await expect(read('unheard')).rejects.toThrow(/HDF5 filter 32099/);
    expect(() => file.find('pairs')?.dataset.sampleType).toThrow(/compound/);
  });
});

it('reads a file with a user block', async () => {
  const file = openTree({ members: { x: { data, shape, chunks: [1, 2, 5] } } }, { userBlock: 512 });
  expect(await planeOf(file, 'x', { row: 1, column: 2, at: [1, 0, 0] })).toEqual(plane(1));
});

it.each(['fletcher32', 'old fletcher32'] as const)('names the corrupted chunk found by %s', async (filter) => {
  const bytes = writeHdf5({ members: { x: { data, shape, chunks: [1, 4, 5], filters: [filter] } } });
  const at = Buffer.from(bytes).indexOf(Buffer.from(Uint16Array.of(20, 21, 22).buffer));
  bytes[at] = 99;
  const file = new Hdf5File(new MemorySource('x.h5', bytes));
  await expect(planeOf(file, 'x', { row: 1, column: 2, at: [1, 0, 0] })).rejects.toThrow(/chunk at 1, 0, 0.*checksum/);
  expect(await planeOf(file, 'x', { row: 1, column: 2, at: [0, 0, 0] })).toEqual(plane(0));
});

it.runIf(process.env.ACQSTORE_FIXTURES_DIR)('writes the fixtures for an independent reader', () => {
  const out = join(process.env.ACQSTORE_FIXTURES_DIR ?? '', 'hdf5');
  mkdirSync(out, { recursive: true });
  // Without plugins the independent reader has none of these.
  const known = Object.entries(STORAGES).filter(([name]) => !['lz4', 'blosc', 'zstd'].includes(name));
  const members = Object.fromEntries(known.map(([name, how]) => [name, { data, shape, ...how }]));
  for (const kind of KINDS) writeFileSync(join(out, `${kind}.h5`), writeHdf5({ members }, { kind }));
  writeFileSync(join(out, 'user-block.h5'), writeHdf5({ members }, { userBlock: 512 }));
  const old = Object.fromEntries(Object.entries(OLD_STORAGES).map(([name, how]) => [name, { data, shape, ...how }]));
  writeFileSync(join(out, 'before-1.6.3.h5'), writeHdf5({ members: old }));
});
