import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SceneInfo } from '../../../packages/readers/src/model/acquisition.js';
import { chooseFormat } from '../../../packages/readers/src/open/open-input.js';
import { filled, lineVector, openBytes, rowsOf, seriesVector, stampsEvery } from '../../support/lif.js';
import { GHOST, type LifSpec, writeLif, writeLof, imageXml as writeXml } from '../../writers/lif.js';

const PUBLISHED = resolve(import.meta.dirname, '../../../../shared/formats/vectors/out');
const C0 = [
  [0, 1, 2, 3],
  [4, 5, 6, 7],
  [8, 9, 10, 11],
];
const C1 = C0.map((row) => row.map((value) => value + 100));

async function firstScene(spec: LifSpec): Promise<SceneInfo> {
  return (await openBytes(writeLif(spec))).info.scenes[0] as SceneInfo;
}

describe('the LIF line scan vector', () => {
  const spec = (version: 1 | 2): LifSpec => ({
    version,
    saved: [30871828, 391214669],
    elements: [lineVector({ stamps: stampsEvery(3, 2, 0.0025) })],
  });

  it.each([1, 2] as const)('of version %i has every line, its period and its pixels', async (version) => {
    const acquisition = await openBytes(writeLif(spec(version)));
    const [scene] = acquisition.info.scenes;
    expect(acquisition.info.scenes).toHaveLength(1);
    expect(scene?.name).toBe('Series001');
    expect(scene?.sizes).toEqual({ T: 1, Z: 1, Y: 3, X: 4 });
    expect(scene?.steps.Y).toEqual({ step: 0.0025, unit: 'seconds', origin: 'file' });
    expect(scene?.steps.X.step).toBeCloseTo(0.2, 12);
    expect(scene?.steps.X.unit).toBe('micrometer');
    expect(scene?.sampleType).toBe('uint16');
    expect(scene?.channels.map(({ name }) => name)).toEqual(['Green', 'Red']);
    expect([scene?.date, scene?.time]).toEqual(['20210304', '16:39:17']);
    expect(scene?.warnings).toEqual([]);
    expect(scene?.reference).toBeNull();
    expect(await rowsOf(acquisition, 0, 0)).toEqual(C0);
    expect(await rowsOf(acquisition, 0, 1)).toEqual(C1);
  });

  it.runIf(existsSync(PUBLISHED))('is the same in the files of an independent writer', async () => {
    for (const name of ['xt_v1.lif', 'xt_v2.lif']) {
      const acquisition = await openBytes(new Uint8Array(readFileSync(join(PUBLISHED, name))));
      const scene = acquisition.info.scenes[0];
      expect(scene?.steps.Y).toEqual({ step: 0.0025, unit: 'seconds', origin: 'file' });
      expect([scene?.date, scene?.warnings]).toEqual(['20210304', []]);
      expect(await rowsOf(acquisition, 0, 0)).toEqual(C0);
      expect(await rowsOf(acquisition, 0, 1)).toEqual(C1);
    }
  });

  it('has the time of the project when frames have no time stamps', async () => {
    const scene = await firstScene({ saved: [30871828, 391214669], elements: [lineVector()] });
    expect([scene.date, scene.time]).toEqual(['20210304', '16:33:21']);
    const silent = await firstScene({ elements: [lineVector()] });
    expect([silent.date, silent.time]).toEqual(['', '']);
  });

  it('can have the time stamps of older versions', async () => {
    const scene = await firstScene({ elements: [lineVector({ stamps: stampsEvery(3, 2, 1), oldStamps: true })] });
    expect([scene.date, scene.time]).toEqual(['20210304', '16:39:17']);
  });

  it('has its data at the increments of the channels, regardless of their order', async () => {
    const channels = [
      { bytesInc: 24, resolution: 12, lut: 'Red' },
      { bytesInc: 0, resolution: 12, lut: 'Green' },
    ];
    const acquisition = await openBytes(writeLif({ elements: [lineVector({ channels })] }));
    expect(acquisition.info.scenes[0]?.channels.map(({ name }) => name)).toEqual(['Red', 'Green']);
    expect(await rowsOf(acquisition, 0, 0)).toEqual(C1);
    expect(await rowsOf(acquisition, 0, 1)).toEqual(C0);
  });

  it('ignores elements inside attachments', async () => {
    const acquisition = await openBytes(writeLif({ elements: [lineVector({ inside: GHOST })] }));
    expect(acquisition.info.scenes.map(({ name }) => name)).toEqual(['Series001']);
    expect(acquisition.info.scenes[0]?.warnings).toEqual([]);
  });

  it('is the same in a LOF file', async () => {
    const acquisition = await openBytes(writeLof(lineVector()), 'Series001.lof');
    expect(acquisition.info.format).toBe('lof');
    expect(acquisition.info.scenes.map(({ name }) => name)).toEqual(['Series001']);
    expect(await rowsOf(acquisition, 0, 1)).toEqual(C1);
  });

  it('is the same in a LOF file whose XML has no elements', async () => {
    const image = lineVector();
    const bare = writeLof(image, `<Data>${writeXml(image)}</Data>`);
    const acquisition = await openBytes(bare, 'bare.lof');
    expect(await rowsOf(acquisition, 0, 0)).toEqual(C0);
  });

  it('is recognized by its content', () => {
    for (const bytes of [writeLif(spec(2)), writeLof(lineVector())]) {
      const probe = {
        name: 'x.tif',
        kind: 'file' as const,
        head: bytes.slice(0, 4096),
        entries: [],
        size: bytes.length,
      };
      expect(chooseFormat(probe, ['.lif', '.tif']).id).toBe('lif');
    }
  });
});

describe('a LIF image', () => {
  it('can have padded rows', async () => {
    const channels = [{ bytesInc: 0, resolution: 16 }];
    const dimensions = [
      { id: 1, count: 3, bytesInc: 2 },
      { id: 2, count: 2, bytesInc: 8 },
    ];
    const data = new Uint8Array(Uint16Array.from([1, 2, 3, 9999, 4, 5, 6, 9999]).buffer);
    const acquisition = await openBytes(writeLif({ elements: [{ name: 'D', channels, dimensions, data }] }));
    expect(await rowsOf(acquisition, 0, 0)).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ]);
  });

  it('shows interleaved B, G, R as red, green, blue', async () => {
    const channels = [
      { bytesInc: 0, tag: 3, lut: '' },
      { bytesInc: 1, tag: 2, lut: '' },
      { bytesInc: 2, tag: 1, lut: '' },
    ];
    const dimensions = [
      { id: 1, count: 2, bytesInc: 3 },
      { id: 2, count: 2, bytesInc: 6 },
    ];
    const data = Uint8Array.from([1, 2, 3, 11, 12, 13, 21, 22, 23, 31, 32, 33]);
    const acquisition = await openBytes(writeLif({ elements: [{ name: 'E', channels, dimensions, data }] }));
    expect(acquisition.info.scenes[0]?.channels.map(({ name }) => name)).toEqual(['Red', 'Green', 'Blue']);
    expect(await rowsOf(acquisition, 0, 0)).toEqual([
      [3, 13],
      [23, 33],
    ]);
    expect(await rowsOf(acquisition, 0, 2)).toEqual([
      [1, 11],
      [21, 31],
    ]);
  });

  /** Every order of X, Y, Z, C and T in memory, 2 × 3 × 2 × 2 × 2 entries, value 10000·c + 1000·t + 100·z + 10·y + x. */
  it('can have X, Y, Z, C and T in any order', async () => {
    const counts: Record<string, number> = { X: 2, Y: 3, Z: 2, C: 2, T: 2 };
    const ids: Record<string, number> = { X: 1, Y: 2, Z: 3, T: 4 };
    const orders = permutations(['X', 'Y', 'Z', 'C', 'T']);
    expect(orders).toHaveLength(120);
    for (const order of orders) {
      const increments: Record<string, number> = {};
      let increment = 2;
      for (const letter of order) {
        increments[letter] = increment;
        increment *= counts[letter]!;
      }
      const channels = [0, 1].map((c) => ({ bytesInc: c * increments['C']!, resolution: 16 }));
      const dimensions = order
        .filter((letter) => letter !== 'C')
        .map((letter) => ({
          id: ids[letter]!,
          count: counts[letter]!,
          bytesInc: increments[letter]!,
        }));
      const value = (c: number, at: Record<number, number>) =>
        10_000 * c + 1000 * (at[4] ?? 0) + 100 * (at[3] ?? 0) + 10 * (at[2] ?? 0) + (at[1] ?? 0);
      const data = filled(96, 2, channels, dimensions, value);
      const acquisition = await openBytes(writeLif({ elements: [{ name: 'any', channels, dimensions, data }] }));
      expect(acquisition.info.scenes[0]?.sizes).toEqual({ T: 2, Z: 2, Y: 3, X: 2 });
      expect(await rowsOf(acquisition, 0, 1, { t: 1, z: 1 }), order.join('')).toEqual([
        [11_100, 11_101],
        [11_110, 11_111],
        [11_120, 11_121],
      ]);
      expect((await rowsOf(acquisition, 0, 0, { t: 1 }))[2]?.[1]).toBe(1021);
    }
  });

  it('can be a series whose depth runs backwards', async () => {
    const acquisition = await openBytes(writeLif({ elements: [seriesVector()] }));
    const scene = acquisition.info.scenes[0];
    expect(scene?.sizes).toEqual({ T: 2, Z: 3, Y: 4, X: 5 });
    expect(scene?.steps.T).toEqual({ step: 1.5, unit: 'seconds', origin: 'file' });
    expect(scene?.steps.Z).toEqual({ step: 2, unit: 'micrometer', origin: 'file' });
    expect(scene?.steps.Y.step).toBeCloseTo(0.2, 12);
    expect(scene?.steps.X.step).toBeCloseTo(0.3, 12);
    expect(await rowsOf(acquisition, 0, 1, { t: 1, z: 2 })).toEqual([
      [100, 101, 102, 103, 104],
      [102, 103, 104, 105, 106],
      [104, 105, 106, 107, 108],
      [106, 107, 108, 109, 110],
    ]);
  });

  it('can be x–z frames over time, or a line scan at every depth', async () => {
    const channels = [{ bytesInc: 0 }];
    const build = (slow: number, fast: number) => {
      const dimensions = [
        { id: 1, count: 3, length: '1e-6', bytesInc: 1 },
        { id: fast, count: 4, length: fast === 4 ? '0.3' : '3e-6', unit: fast === 4 ? 's' : 'm', bytesInc: 3 },
        { id: slow, count: 2, length: slow === 4 ? '5' : '7e-6', unit: slow === 4 ? 's' : 'm', bytesInc: 12 },
      ];
      const data = Uint8Array.from({ length: 24 }, (_, i) => i);
      return openBytes(writeLif({ elements: [{ name: 'xz', channels, dimensions, data }] }));
    };
    const xzt = await build(4, 3);
    expect(xzt.info.scenes[0]?.sizes).toEqual({ T: 2, Z: 1, Y: 4, X: 3 });
    expect(xzt.info.scenes[0]?.steps).toMatchObject({
      T: { step: 5, unit: 'seconds' },
      Y: { step: 1, unit: 'micrometer' },
    });
    expect(xzt.info.scenes[0]).toMatchObject({
      rowAxis: 'z',
      warnings: ['This is an x–z scan: the rows are depths, so the Y axis runs along z.'],
    });
    expect((await rowsOf(xzt, 0, 0, { t: 1 }))[0]).toEqual([12, 13, 14]);
    const xtz = await build(3, 4);
    expect(xtz.info.scenes[0]?.sizes).toEqual({ T: 1, Z: 2, Y: 4, X: 3 });
    expect(xtz.info.scenes[0]).not.toHaveProperty('rowAxis');
    expect(xtz.info.scenes[0]?.steps.Y.unit).toBe('seconds');
    expect(xtz.info.scenes[0]?.steps.Y.step).toBeCloseTo(0.1, 12);
    expect((await rowsOf(xtz, 0, 0, { z: 1 }))[3]).toEqual([21, 22, 23]);
  });

  it('of one row over time is a line scan', async () => {
    const dimensions = [
      { id: 1, count: 4, length: '6.0e-7', bytesInc: 2 },
      { id: 2, count: 1, length: '0', bytesInc: 8 },
      { id: 4, count: 3, length: '5.0e-3', unit: 's', bytesInc: 8 },
    ];
    const acquisition = await openBytes(writeLif({ elements: [lineVector({ dimensions })] }));
    expect(acquisition.info.scenes[0]?.sizes).toEqual({ T: 1, Z: 1, Y: 3, X: 4 });
    expect(acquisition.info.scenes[0]?.steps.Y.unit).toBe('seconds');
    expect(await rowsOf(acquisition, 0, 1)).toEqual(C1);
  });

  it('shows wavelengths as channels, tiles as scenes', async () => {
    const channels = [
      { bytesInc: 0, lut: 'Green' },
      { bytesInc: 4, lut: 'Red' },
    ];
    const dimensions = [
      { id: 1, count: 2, length: '1e-6', bytesInc: 1 },
      { id: 2, count: 2, length: '1e-6', bytesInc: 2 },
      { id: 5, count: 3, origin: '5.0e-7', length: '2.0e-8', bytesInc: 8 },
      { id: 10, count: 2, unit: '', bytesInc: 24 },
    ];
    const data = Uint8Array.from({ length: 48 }, (_, i) => i);
    const acquisition = await openBytes(writeLif({ elements: [{ name: 'Spectrum', channels, dimensions, data }] }));
    const [first, second] = acquisition.info.scenes;
    expect(acquisition.info.scenes.map(({ name }) => name)).toEqual(['Spectrum tile 1', 'Spectrum tile 2']);
    expect(first?.channels.map(({ name }) => name)).toEqual([
      'Green 500 nm',
      'Green 510 nm',
      'Green 520 nm',
      'Red 500 nm',
      'Red 510 nm',
      'Red 520 nm',
    ]);
    expect(second?.sizes).toEqual({ T: 1, Z: 1, Y: 2, X: 2 });
    expect(first?.warnings).toEqual([
      'This is a wavelength scan: 2 channels at 3 wavelengths are shown as 6 channels.',
    ]);
    expect(await rowsOf(acquisition, 0, 1)).toEqual([
      [8, 9],
      [10, 11],
    ]);
    expect(await rowsOf(acquisition, 1, 5)).toEqual([
      [44, 45],
      [46, 47],
    ]);
  });

  it('can have channels of different types, or floats', async () => {
    const channels = [
      { bytesInc: 0, resolution: 8 },
      { bytesInc: 2, resolution: 16 },
    ];
    const mixed = {
      name: 'mixed',
      channels,
      dimensions: [{ id: 1, count: 1, bytesInc: 1 }],
      data: Uint8Array.of(7, 0, 1, 2),
    };
    const acquisition = await openBytes(writeLif({ elements: [mixed] }));
    expect(acquisition.info.scenes[0]?.sampleType).toBe('uint16');
    expect([await rowsOf(acquisition, 0, 0), await rowsOf(acquisition, 0, 1)]).toEqual([[[7]], [[513]]]);
    const kinds = [
      { resolution: 16, type: 'float16', data: new Uint8Array(Uint16Array.of(0x3c00, 0xc100).buffer) },
      { resolution: 32, type: 'float32', data: new Uint8Array(Float32Array.of(1, -2.5).buffer) },
      { resolution: 64, type: 'float64', data: new Uint8Array(Float64Array.of(1, -2.5).buffer) },
    ];
    for (const { resolution, type, data } of kinds) {
      const dimensions = [{ id: 1, count: 2, bytesInc: resolution / 8 }];
      const spec = { name: type, channels: [{ bytesInc: 0, dataType: 1, resolution }], dimensions, data };
      const floats = await openBytes(writeLif({ elements: [spec] }));
      expect(floats.info.scenes[0]?.sampleType).toBe(type);
      expect(await rowsOf(floats, 0, 0)).toEqual([[1, -2.5]]);
    }
  });
});

function permutations(letters: string[]): string[][] {
  if (letters.length < 2) return [letters];
  return letters.flatMap((letter) =>
    permutations(letters.filter((other) => other !== letter)).map((rest) => [letter, ...rest]),
  );
}
