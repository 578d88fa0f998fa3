import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { planLayout } from '../../packages/readers/src/derive/writers/imagej.js';
import type { SampleArray } from '../../packages/readers/src/model/samples/types.js';
import { exportAcquisition } from '../../packages/server/src/export/index.js';
import { SAMPLE } from '../support/cli.js';
import { IMAGEJ_MISSING, runImageJ } from '../support/imagej.js';
import { openOk } from '../support/open.js';
import { createServer, type RunningServer } from '../support/server.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { omeXml } from '../writers/ome.js';
import { type PageSpec, writeTiff } from '../writers/tiff.js';
import { exportTo } from './support.js';

const folder = tempFolder();
let server: RunningServer;
beforeAll(async () => {
  server = await createServer({ port: 0, decodeWorkers: 1, stateDir: folder });
});
afterAll(() => server.close());

const channel = (name: string, color: number) =>
  `<Channel ID="${name}" Name="${name}" SamplesPerPixel="1" Color="${color}"/>`;

/** Two channels × two sections × three time points, 0, 0.5 and 2 seconds after the first one. */
function writeStack(): string {
  const planes = [0, 0.5, 2].flatMap((time, t) =>
    [0, 1, 2, 3].map((i) => `<Plane TheC="${i % 2}" TheT="${t}" TheZ="${i >> 1}" DeltaT="${time}"/>`),
  );
  const sizes = { X: 5, Y: 3, C: 2, Z: 2, T: 3 };
  const pixels = { PhysicalSizeX: 0.284, PhysicalSizeY: 0.3, PhysicalSizeZ: 1.7 };
  const children = [channel('GFP', 0x00ff00ff), channel('mCherry', 0xff0000ff | 0), '<TiffData/>', ...planes];
  const date: [string, string] = ['AcquisitionDate', '2024-05-06T07:08:09'];
  const xml = omeXml({ images: [{ name: 'a', order: 'XYCZT', sizes, date, pixels, children }] });
  const pages = Array.from({ length: 12 }, (_, page) => ({
    ...{ width: 5, height: 3, samples: Uint16Array.from({ length: 15 }, (_, i) => page * 100 + i) },
    ...(page === 0 ? { tags: [{ code: 270, type: 2, text: xml }] } : {}),
  }));
  return writeTemp(folder, 'stack.ome.tif', writeTiff({ pages }));
}

const stack = writeStack();

function writePages(name: string, make: (page: number) => Partial<PageSpec>): string {
  const pages = [0, 1].map((page) => ({ width: 4, height: 2, ...make(page) }) as PageSpec);
  return writeTemp(folder, name, writeTiff({ pages }));
}

/** A color image: samples of a pixel are stored together. */
function writeColor(): string {
  const samples = [0, 1, 2].map((sample) => ramp(Uint8Array, 50 * sample));
  return writePages('color.tif', () => ({ photometric: 2, samples }));
}

const ramp = <T extends SampleArray>(type: { from(list: ArrayLike<number>): T }, first: number, step = 1) =>
  type.from(Array.from({ length: 8 }, (_, i) => first + step * i));

const toImageJ = (path: string, name: string, options: Partial<Parameters<typeof exportTo>[2]> = {}) =>
  exportTo(folder, name, { path, format: 'imagej', ...options });

/** The description: the lines of the first ImageDescription. */
function describeFile(path: string): string[] {
  const text = readFileSync(path).toString('latin1');
  return text
    .slice(text.indexOf('ImageJ='), text.indexOf('\0', text.indexOf('ImageJ=')))
    .trim()
    .split('\n');
}

describe('an ImageJ export', () => {
  it('describes a calibrated hyperstack', async () => {
    expect(describeFile(await toImageJ(stack, 'stack.tif'))).toEqual([
      ...['ImageJ=1.11a', 'images=12', 'channels=2', 'slices=2', 'frames=3', 'hyperstack=true', 'mode=composite'],
      ...['unit=micron', 'spacing=1.7', 'finterval=1', 'tunit=sec', 'fps=1', 'loop=false'],
    ]);
  });

  it('gives the lines of a line scan seconds', async () => {
    const lines = describeFile(await toImageJ(SAMPLE, 'scan.tif'));
    expect(lines.slice(4)).toEqual(['mode=grayscale', 'unit=micron', 'yunit=sec', 'loop=false']);
  });

  it('keeps pixels, sizes, steps, names, colors, times and date for this server', async () => {
    const path = await toImageJ(stack, 'read.tif');
    const read = async (at: string) => {
      const answer = await openOk(server.url, { path: at, selection: { T: 2, Z: 1 } });
      const { sessionId, header, channels } = answer;
      const data = await fetch(`${server.url}${channels[1]!.dataUrl}`);
      const coordinates = await fetch(`${server.url}/api/v2/sessions/${sessionId}/coordinates`);
      const { axes } = (await coordinates.json()) as { axes: Record<string, { values: number[] }> };
      const { dims, sizes, physicalUnits, physicalUnitsLabels, date, time } = header;
      const kept = channels.map(({ name, color }) => [name, color]);
      const samples = [...new Float32Array(await data.arrayBuffer())];
      return { dims, sizes, physicalUnits, physicalUnitsLabels, date, time, kept, samples, times: axes['T']!.values };
    };
    const after = await read(path);
    expect(after).toEqual(await read(stack));
    expect(after).toMatchObject({ times: [0, 0.5, 2], physicalUnits: [1, 1, 1.7, 0.3, 0.284] });
    expect(after.samples.slice(0, 2)).toEqual([1100, 1101]);
  });

  it('writes the chosen part with its own interval and times', async () => {
    const choice = { time: { start: 1, end: 3 }, channel: 1 };
    const path = await toImageJ(stack, 'part.tif', { choice });
    expect(describeFile(path)).toContain('finterval=1.5');
    const bytes = readFileSync(path);
    for (const label of ['t=0.5 s', 't=2 s']) expect(bytes.includes(Buffer.from(label, 'utf16le'))).toBe(true);
    expect(bytes.includes(Buffer.from('t=0 s', 'utf16le'))).toBe(false);
  });

  it('refuses integers that it would change, and says that it rounds floats', async () => {
    const exact = writePages('exact.tif', () => ({ samples: ramp(Int32Array, -(2 ** 24)) }));
    await toImageJ(exact, 'exact.imagej.tif');
    const large = writePages('large.tif', () => ({ samples: ramp(Int32Array, 2 ** 24) }));
    await expect(toImageJ(large, 'large.imagej.tif')).rejects.toMatchObject({
      code: 'not_representable',
      message: expect.stringContaining('16777217 is not a 32-bit float'),
    });
    const far = writePages('far.tif', () => ({ samples: ramp(Float64Array, 0, 1e300) }));
    await expect(toImageJ(far, 'far.imagej.tif')).rejects.toMatchObject({ code: 'not_representable' });
    const tenths = writePages('tenths.tif', () => ({ samples: ramp(Float64Array, 0, 0.1) }));
    const task = {
      ...{ path: tenths, format: 'imagej', target: `${folder}/tenths.imagej.tif`, isNamed: false, choice: {} },
      ...{ options: {}, overwrite: false, removeLeftovers: false, maxPlaneBytes: 2 ** 31, token: 'abc' },
    };
    const { notes } = await exportAcquisition(task, { onProgress: () => {}, onFinishing: () => {} });
    expect(notes).toEqual([expect.stringContaining('were rounded to float32')]);
  });

  it('keeps a color image, signed samples and the range of a channel', async () => {
    const path = await toImageJ(writeColor(), 'color.imagej.tif');
    const { channels } = await openOk(server.url, { path });
    expect(channels.map(({ name, color }) => [name, color])).toEqual([
      ...[
        ['R', '#FF0000'],
        ['G', '#00FF00'],
        ['B', '#0000FF'],
      ],
    ]);
    const signed = writePages('signed.tif', (page) => ({ samples: ramp(Int8Array, -100 * page) }));
    const { source } = await openOk(server.url, { path: await toImageJ(signed, 'signed.imagej.tif') });
    expect(source.sourceDtype).toBe('int16');
  });

  it('has one directory when the others would be beyond 4 GiB', () => {
    const sizes = { images: 5_000, imageBytes: 2 ** 20, ifdBytes: 200 };
    expect(planLayout(8, sizes)).toMatchObject({ hasAll: false });
    expect(planLayout(8, { ...sizes, images: 4_000 })).toEqual({ hasAll: true, further: 8 + 4_000 * 2 ** 20 });
    expect(planLayout(8, { images: 2, imageBytes: 3, ifdBytes: 200 })).toEqual({ hasAll: true, further: 14 });
  });
});

describe.skipIf(IMAGEJ_MISSING !== undefined)('ImageJ opens its export', () => {
  it('as a calibrated hyperstack with colors, labels, seconds per line, signed values and RGB', async () => {
    const signed = writePages('ij-signed.tif', (page) => ({ samples: ramp(Int16Array, -1000 * page) }));
    const [several, scan, negative, color, one] = await runImageJ(folder, [
      await toImageJ(stack, 'ij.tif'),
      await toImageJ(SAMPLE, 'ij-scan.tif'),
      await toImageJ(signed, 'ij-signed.imagej.tif'),
      await toImageJ(writeColor(), 'ij-color.imagej.tif'),
      await toImageJ(stack, 'ij-one.tif', { choice: { channel: 0 } }),
    ]);
    expect(several).toEqual([
      'CompositeImage 16 bits [5, 3, 2, 2, 3] composite',
      '0.284 micron 0.3 micron 1.7 micron every 1.0 sec',
      'lut 0,255,0',
      'lut 255,0,0',
      ...['GFP t=0 s 0.0', 'mCherry t=0 s 100.0', 'GFP t=0 s 200.0', 'mCherry t=0 s 300.0'],
      ...['GFP t=0.5 s 400.0', 'mCherry t=0.5 s 500.0', 'GFP t=0.5 s 600.0', 'mCherry t=0.5 s 700.0'],
      ...['GFP t=2 s 800.0', 'mCherry t=2 s 900.0', 'GFP t=2 s 1000.0', 'mCherry t=2 s 1100.0'],
    ]);
    expect(scan?.slice(0, 2)).toEqual([
      'CompositeImage 16 bits [96, 4000, 2, 1, 1] grayscale',
      '0.284 micron 0.00117 sec 1.0 micron every 0.0 sec',
    ]);
    expect(negative?.slice(-2)).toEqual(['null 0.0', 'null -1000.0']);
    expect(color?.[0]).toBe('ImagePlus 24 bits [4, 2, 1, 2, 1]');
    expect(one?.slice(0, 3)).toEqual([
      'ImagePlus 16 bits [5, 3, 1, 2, 3]',
      '0.284 micron 0.3 micron 1.7 micron every 1.0 sec',
      'lut 0,255,0',
    ]);
  });
});
