import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { countingFrames, everything, lineScan, openNd2, planeOf, timeSeries } from '../../support/nd2.js';
import { picture, writeNd2 } from '../../writers/nd2.js';

describe('ND2 frames', () => {
  it.each([2, 0])('with two interleaved channels are read, compression %i', async (compression) => {
    const opened = openNd2(writeNd2(timeSeries({ compression })));
    expect(opened.info.scenes[0]?.sizes).toEqual({ T: 3, Z: 1, Y: 4, X: 5 });
    const [gfp, rfp] = [await planeOf(opened, {}), await planeOf(opened, { channel: 1 })];
    expect(gfp).toEqual([0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38]);
    expect(rfp.slice(0, 5)).toEqual([1, 3, 5, 7, 9]);
    expect((await planeOf(opened, { channel: 1, t: 2 })).at(-1)).toBe(2039);
    expect(opened.info.scenes[0]?.warnings).toEqual([]);
  });

  it('with padded rows are read without the padding', async () => {
    const opened = openNd2(
      writeNd2(
        timeSeries({
          bits: 8,
          components: 1,
          width: 5,
          widthBytes: 16,
          frames: [{ number: 0, time: 0, value: (y, x) => y * 10 + x }],
          picture: picture({ channels: [{ name: 'a' }] }),
        }),
      ),
    );
    expect(await planeOf(opened, {})).toEqual([
      0, 1, 2, 3, 4, 10, 11, 12, 13, 14, 20, 21, 22, 23, 24, 30, 31, 32, 33, 34,
    ]);
    expect(opened.info.scenes[0]?.sampleType).toBe('uint8');
  });

  it('have rows at multiples of four bytes when the row length is missing', async () => {
    const spec = timeSeries({
      bits: 8,
      components: 1,
      width: 5,
      frames: [{ number: 0, time: 0, value: (y, x) => y * 10 + x }],
    });
    const bytes = writeNd2(spec);
    // The field goes from 8 to 0.
    const at = Buffer.from(bytes.buffer).indexOf(Buffer.from('uiWidthBytes\0', 'utf16le')) + 26;
    expect(bytes[at]).toBe(8);
    bytes[at] = 0;
    expect((await planeOf(openNd2(bytes), {})).slice(-5)).toEqual([30, 31, 32, 33, 34]);
  });

  it('of a color camera are stored as blue, green, red', async () => {
    const value = (y: number, x: number, c: number) => y * 40 + x * 8 + c;
    const opened = openNd2(
      writeNd2(
        timeSeries({
          bits: 8,
          components: 3,
          frames: [{ number: 0, time: 0, value }],
          picture: picture({ channels: [{ name: 'Brightfield', components: 3 }] }),
        }),
      ),
    );
    expect(opened.info.scenes[0]?.channels.map(({ name }) => name)).toEqual(['R', 'G', 'B']);
    expect((await planeOf(opened, { channel: 0 })).slice(0, 3)).toEqual([2, 10, 18]);
    expect((await planeOf(opened, { channel: 2 })).slice(0, 3)).toEqual([0, 8, 16]);
  });

  it('can have a gray and a color plane side by side', () => {
    const opened = openNd2(
      writeNd2(
        timeSeries({
          components: 4,
          picture: picture({ channels: [{ name: 'DAPI' }, { name: 'HE', components: 3 }] }),
        }),
      ),
    );
    expect(opened.info.scenes[0]?.channels.map(({ name }) => name)).toEqual(['DAPI', 'HE R', 'HE G', 'HE B']);
  });

  it.each([
    [32, 2, 'float32', 0.5, 0.5],
    [32, undefined, 'float32', -1.25, -1.25],
    [32, 1, 'uint32', 4_000_000_000, 4_000_000_000],
    [16, 0, 'int16', -5, -5],
    [16, undefined, 'uint16', 65_535, 65_535],
  ] as const)('with %i bits and pixel type %s are %s', async (bits, pixelType, sampleType, stored, read) => {
    const base = timeSeries({ components: 1, bits, frames: [{ number: 0, time: 0, value: () => stored }] });
    const { pixelType: _, ...rest } = base;
    const opened = openNd2(writeNd2(pixelType === undefined ? rest : { ...rest, pixelType }));
    expect(opened.info.scenes[0]?.sampleType).toBe(sampleType);
    expect((await planeOf(opened, {}))[7]).toBe(read);
  });

  it('larger than the read buffer are read completely', async () => {
    const spec = timeSeries({
      width: 701,
      height: 301,
      frames: countingFrames(1, 701, 2).map((frame) => ({
        ...frame,
        value: (y, x, c) => (y * 701 + x * 3 + c * 7) % 65_536,
      })),
    });
    const plane = await planeOf(openNd2(writeNd2(spec)), { channel: 1 });
    expect(plane.every((value, i) => value === (Math.floor(i / 701) * 701 + (i % 701) * 3 + 7) % 65_536)).toBe(true);
    expect(plane).toHaveLength(701 * 301);
  });

  it('of positions, times and depths count the last loop fastest', async () => {
    const opened = openNd2(writeNd2(everything()));
    expect(opened.info.scenes.map(({ name }) => name)).toEqual(['A1', 'B2', 'C3']);
    // Frame (t · 3 + position) · 2 + z, and 100 times its number in the first pixel.
    expect((await planeOf(opened, { scene: 0 }))[0]).toBe(0);
    expect((await planeOf(opened, { scene: 2, t: 1, z: 1 }))[0]).toBe(1100);
    expect((await planeOf(opened, { scene: 1, t: 0, z: 1, channel: 1 }))[0]).toBe(301);
    expect((await planeOf(opened, { scene: 1, t: 1, z: 0 })).slice(0, 4)).toEqual([800, 805, 810, 820]);
  });

  it('of version 2 are described in XML', async () => {
    const opened = openNd2(writeNd2(everything({ version: 2 })));
    expect(opened.info.scenes.map(({ name, sizes }) => [name, sizes.T, sizes.Z])).toEqual([
      ['A1', 2, 2],
      ['B2', 2, 2],
      ['C3', 2, 2],
    ]);
    expect((await planeOf(opened, { scene: 1, t: 1 }))[0]).toBe(800);
    expect(opened.info.scenes[0]?.channels.map(({ name }) => name)).toEqual(['GFP', 'RFP']);
    expect(opened.info.scenes[0]?.time).toBe('16:39:00');
  });
});

describe('ND2 attributes that are refused', () => {
  it.each([
    [{ compression: 1 }, 'unsupported_format', /lossy compression is not supported/],
    [
      { bits: 12 as 16, frames: countingFrames(1, 5, 2).map((frame) => ({ ...frame, value: () => 0 })) },
      'unsupported_format',
      /12 bits per sample are not supported/,
    ],
    [{ widthBytes: 4, height: 1 }, 'decode_failed', /say 4 bytes per row, but a row of 5 pixels takes 20/],
  ])('%j', (changes, code, message) => {
    const write = () =>
      writeNd2(
        timeSeries({
          ...changes,
          ...('bits' in changes ? { bits: 16 } : {}),
          ...('widthBytes' in changes ? { frames: [] } : {}),
        }),
      );
    const bytes = write();
    if ('bits' in changes) setField(bytes, 'uiBpcInMemory', 12);
    expect(() => openNd2(bytes)).toThrow(expect.objectContaining({ code, message: expect.stringMatching(message) }));
  });
});

function setField(bytes: Uint8Array, name: string, value: number): void {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const at = buffer.indexOf(Buffer.from(`${name}\0`, 'utf16le')) + (name.length + 1) * 2;
  buffer.writeInt32LE(value, at);
}

const VECTORS = resolve(import.meta.dirname, '../../../../shared/formats/vectors/out');

describe.runIf(existsSync(resolve(VECTORS, 'time.nd2')))('ND2 files of another writer', () => {
  const open = (name: string) => openNd2(readFileSync(resolve(VECTORS, name)));

  it.each(['time.nd2', 'timez.nd2'])('%s has the expected sizes and samples', async (name) => {
    const opened = open(name);
    expect(opened.info.scenes[0]?.sizes).toEqual({ T: 3, Z: 1, Y: 4, X: 5 });
    expect((await planeOf(opened, {})).slice(0, 5)).toEqual([0, 2, 4, 6, 8]);
    expect((await planeOf(opened, { channel: 1, t: 2 })).slice(0, 5)).toEqual([2001, 2003, 2005, 2007, 2009]);
  });

  it('line.nd2 has the expected steps and samples', async () => {
    const opened = open('line.nd2');
    expect(opened.info.scenes[0]?.steps.Y).toEqual({ step: 0.002, unit: 'seconds', origin: 'file' });
    expect(opened.info.scenes[0]?.steps.X.step).toBe(0.1);
    expect(await planeOf(opened, {})).toEqual(Array.from({ length: 20 }, (_, i) => i));
  });

  it('line.nd2 is read like the file that our own writer makes of the same values', async () => {
    const own = openNd2(writeNd2(lineScan()));
    expect(await planeOf(own, {})).toEqual(await planeOf(open('line.nd2'), {}));
    expect(own.info.scenes[0]?.steps).toEqual(open('line.nd2').info.scenes[0]?.steps);
  });
});
