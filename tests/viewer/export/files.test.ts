import { inflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { Float32Target, openAcquisition, type SceneInfo } from '../../../packages/server/src/index.js';
import { columnsCsv, planeCsvParts, sampleText } from '../../../packages/viewer/src/export/csv.ts';
import { fileName } from '../../../packages/viewer/src/export/file-name.ts';
import { npyParts } from '../../../packages/viewer/src/export/npy.ts';
import { pngParts } from '../../../packages/viewer/src/export/png.ts';
import { tiffParts } from '../../../packages/viewer/src/export/tiff.ts';
import { tempFolder, writeTemp } from '../../support/temp.js';

const time = { arrayDimension: 0, name: 'Y', size: 3, step: 0.00117, unit: 'seconds' as const };
const space = { arrayDimension: 1, name: 'X', size: 2, step: 0.284, unit: 'micrometer' as const };
const plane = Float32Array.of(0, 1.5, -2, 65535, Number.NaN, 0.1);

const bytesOf = async (parts: BlobPart[]) => new Uint8Array(await new Blob(parts).arrayBuffer());

describe('a plane as .npy', () => {
  it('has the header of the format, then the samples', async () => {
    const bytes = await bytesOf(npyParts(plane, [3, 2]));
    expect([...bytes.subarray(0, 8)]).toEqual([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0]);
    const length = new DataView(bytes.buffer).getUint16(8, true);
    expect((10 + length) % 64).toBe(0);
    const header = new TextDecoder().decode(bytes.subarray(10, 10 + length));
    expect(header).toMatch(/^\{'descr': '<f4', 'fortran_order': False, 'shape': \(3, 2\), \} *\n$/);
    expect(new Float32Array(bytes.slice(10 + length).buffer)).toEqual(plane);
  });
});

describe('a plane as TIFF', () => {
  const folder = tempFolder();

  it('is read back with every sample and its calibration', async () => {
    const parts = tiffParts({ data: plane, shape: [3, 2], axes: [time, space], range: { min: -2, max: 65535 } });
    const opened = await openAcquisition(writeTemp(folder, 'plane.tif', await bytesOf(parts)));
    try {
      const { acquisition } = opened;
      const { Y, X } = (acquisition.info.scenes[0] as SceneInfo).steps;
      const target = new Float32Target(3, 2);
      await acquisition.readPlane({ scene: 0, channel: 0, t: 0, z: 0 }, target);
      expect(target.data).toEqual(plane);
      expect([Y.unit, X.unit]).toEqual(['seconds', 'micrometer']);
      expect(Y.step).toBeCloseTo(0.00117, 10);
      expect(X.step).toBeCloseTo(0.284, 9);
    } finally {
      opened.close();
    }
  });

  /** Returns the fractions of the directory by their tags. */
  async function fractionsOf(step: number) {
    const axes = [{ ...time, step }, space] as const;
    const options = { shape: [3, 2], origin: [5, 0], range: { min: 0, max: 1 } } as const;
    const bytes = await bytesOf(tiffParts({ data: plane, axes, ...options }));
    const view = new DataView(bytes.buffer);
    const entries = Array.from({ length: view.getUint16(8, true) }, (_, i) => 10 + 12 * i);
    const ofFractions = entries.filter((at) => view.getUint16(at + 2, true) === 5);
    return new Map(
      ofFractions.map((at) => {
        const place = view.getUint32(at + 8, true);
        return [view.getUint16(at, true), [view.getUint32(place, true), view.getUint32(place + 4, true)] as const];
      }),
    );
  }

  it('says where a part begins', async () => {
    const fractions = await fractionsOf(0.00117);
    expect([...fractions.keys()]).toEqual([282, 283, 287]);
    expect(fractions.get(282)).toEqual([250, 71]);
    const [numerator, denominator] = fractions.get(287)!;
    expect(numerator / denominator).toBe(5 * 0.00117);
  });

  it('has the finest resolution that there is for steps of picoseconds', async () => {
    expect((await fractionsOf(4e-12)).get(283)).toEqual([2 ** 32 - 1, 1]);
  });

  it('is refused when it exceeds 32-bit offsets', () => {
    const huge = { byteLength: 2 ** 32, length: 2 ** 30 } as Float32Array;
    const image = {
      data: huge,
      shape: [2 ** 15, 2 ** 15] as const,
      axes: [time, space] as const,
      range: { min: 0, max: 1 },
    };
    expect(() => tiffParts(image)).toThrow(/\.npy/);
  });
});

describe('CSV', () => {
  it('has positions with units and exact samples', async () => {
    const fractions: number[] = [];
    const options = { lineScan: true, onProgress: (part: number) => void fractions.push(part) };
    const text = (await planeCsvParts(plane, [3, 2], [time, space], options)).join('');
    expect(fractions).toEqual([1 / 3, 2 / 3, 1]);
    expect(text).toBe(
      ['time (s) \\ x (um),0.142,0.426', '0.000585,0,1.5', '0.001755,-2,65535', '0.002925,nan,0.1', ''].join('\n'),
    );
  });

  it('calls depth rows z', async () => {
    const depth = { ...time, step: 0.5, unit: 'micrometer' as const, label: 'z' };
    const [title] = (await planeCsvParts(plane, [3, 2], [depth, space])).join('').split('\n');
    expect(title).toBe('z (um) \\ x (um),0.142,0.426');
  });

  it('writes the shortest text that parses to the same float32', () => {
    for (const value of [0.1, 1 / 3, 1e-38, 3.4028234663852886e38, -1234.5678, 2 ** 24 + 2]) {
      const single = Math.fround(value);
      expect(Math.fround(Number(sampleText(single)))).toBe(single);
    }
    expect(sampleText(Math.fround(0.1))).toBe('0.1');
    expect(sampleText(Number.NEGATIVE_INFINITY)).toBe('-inf');
  });

  it('is limited in samples, and stops when aborted', async () => {
    const huge = { length: 20_000_001 } as Float32Array;
    await expect(planeCsvParts(huge, [1, 20_000_001], [time, space])).rejects.toThrow(/\.npy or TIFF/);
    const stop = new AbortController();
    stop.abort(new Error('enough'));
    const pause = async (signal?: AbortSignal) => signal?.throwIfAborted();
    await expect(planeCsvParts(plane, [3, 2], [time, space], { signal: stop.signal, pause })).rejects.toThrow('enough');
  });

  it('quotes titles, and writes no title as a formula', () => {
    const columns = [
      { title: 'Ca, "fast"', values: [1, 2] },
      { title: '=HYPERLINK()', values: [0.1 + 0.2] },
    ];
    expect(columnsCsv(columns)).toBe(`"Ca, ""fast""",'=HYPERLINK()\n1,0.3\n2,\n`);
  });
});

describe('PNG', () => {
  async function* strips(...all: Uint8Array[]) {
    yield* all;
  }

  it('decodes to the same pixels for any strips', async () => {
    const rgb = Uint8Array.from({ length: 5 * 4 * 3 }, (_, i) => (i * 37) % 256);
    const options = { width: 5, height: 4, pixelsPerMeter: [3521127, 1e6] as const, texts: { Title: 'µm' } };
    const bytes = await bytesOf(await pngParts(options, strips(rgb.subarray(0, 15), rgb.subarray(15))));
    const chunks = readChunks(bytes);
    expect(chunks.map(({ type }) => type).join(' ')).toMatch(/^IHDR pHYs iTXt( IDAT)+ IEND$/);
    const [header, physical, title] = chunks.map(({ data }) => data) as [Buffer, Buffer, Buffer];
    expect([...header]).toEqual([0, 0, 0, 5, 0, 0, 0, 4, 8, 2, 0, 0, 0]);
    expect([physical.readUInt32BE(0), physical.readUInt32BE(4), physical[8]]).toEqual([3521127, 1e6, 1]);
    expect(title.toString()).toBe('Title\0\0\0\0\0µm');
    const raw = inflateSync(Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data)));
    expect(unfilter(raw, 5, 4)).toEqual([...rgb]);
  });

  it('refuses strips of the wrong size', async () => {
    const some = new Uint8Array(15);
    await expect(pngParts({ width: 5, height: 2 }, strips(some))).rejects.toThrow('1 rows came for an image of 2');
    await expect(pngParts({ width: 5, height: 1 }, strips(some.subarray(1)))).rejects.toThrow('whole rows');
  });

  function readChunks(file: Uint8Array) {
    const bytes = Buffer.from(file);
    const chunks: { type: string; data: Buffer }[] = [];
    for (let at = 8; at < bytes.length; ) {
      const length = bytes.readUInt32BE(at);
      const type = bytes.toString('latin1', at + 4, at + 8);
      chunks.push({ type, data: bytes.subarray(at + 8, at + 8 + length) });
      at += 12 + length;
    }
    return chunks;
  }

  function unfilter(raw: Buffer, width: number, height: number): number[] {
    const pixels: number[] = [];
    for (let row = 0; row < height; row++) {
      const at = row * (width * 3 + 1);
      expect(raw[at]).toBe(1);
      const line: number[] = [];
      for (let i = 0; i < width * 3; i++) line.push(((raw[at + 1 + i] as number) + (line[i - 3] ?? 0)) % 256);
      pixels.push(...line);
    }
    return pixels;
  }
});

describe('file names', () => {
  it('contain channel and pane, and are valid on every file system', () => {
    expect(fileName('scan.oir', { kind: 'source', channel: 0 }, 'png')).toBe('scan.oir.ch1.png');
    expect(fileName('scan.oir', { kind: 'reference', channel: 1 }, 'npy')).toBe('scan.oir_ref.ch2.npy');
    expect(fileName('a:b\n?.tif', { kind: 'source', channel: 'composite' }, 'png')).toBe('a_b__.tif.composite.png');
  });
});
