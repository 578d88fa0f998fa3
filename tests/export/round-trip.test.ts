import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cutAcquisition } from '../../packages/readers/src/derive/writers/cut.js';
import { needsBigTiff, TiffWriter } from '../../packages/readers/src/derive/writers/tiff-writer.js';
import type { SceneInfo } from '../../packages/readers/src/model/acquisition.js';
import type { ExportTask } from '../../packages/server/src/export/index.js';
import { FileSink } from '../../packages/server/src/export/sink.js';
import { openAcquisition } from '../../packages/server/src/open.js';
import { lineScan } from '../support/bruker.js';
import { SAMPLE } from '../support/cli.js';
import { LONG } from '../support/long.js';
import { readNative } from '../support/native.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { writeBruker } from '../writers/bruker.js';
import { omeXml } from '../writers/ome.js';
import { writeTiff } from '../writers/tiff.js';
import { exportTo, factsOf } from './support.js';

const folder = tempFolder();

/** Two scenes of different sizes and types, with colors, names and steps that numbers do not represent exactly. */
function writeScenes(): string {
  const channel = (name: string, color: number) =>
    `<Channel ID="${name}" Name="${name}" SamplesPerPixel="1" Color="${color}"/>`;
  const xml = omeXml({
    images: [
      {
        ...{
          name: 'first &lt;&quot;é',
          sizes: { X: 5, Y: 4, Z: 2, C: 2, T: 3 },
          type: 'uint16',
          date: ['AcquisitionDate', '2024-05-06T07:08:09.125-05:00'],
        },
        pixels: { PhysicalSizeX: 0.1, PhysicalSizeY: 0.3, PhysicalSizeZ: 1.7, TimeIncrement: 0.1234 },
        children: [
          channel('GFP', 0x00ff00ff | 0),
          channel('mCherry', 0xff0000ff | 0),
          '<TiffData IFD="0" PlaneCount="12"/>',
        ],
      },
      { name: 'second', sizes: { X: 3, Y: 2 }, type: 'float', children: ['<TiffData IFD="12" PlaneCount="1"/>'] },
    ],
  });
  const pages = Array.from({ length: 12 }, (_, page) => ({
    width: 5,
    height: 4,
    samples: Uint16Array.from({ length: 20 }, (_, i) => page * 1000 + i * 7),
    ...(page === 0 ? { tags: [{ code: 270, type: 2, text: xml }] } : {}),
  }));
  const last = { width: 3, height: 2, samples: Float32Array.of(0.1, -1, Number.NaN, 3e38, 0, -0) };
  return writeTemp(folder, 'scenes.ome.tif', writeTiff({ pages: [...pages, last] }));
}

const scenes = writeScenes();
const bruker = join(folder, 'bruker');
writeBruker(bruker, lineScan());

/** What an export must keep. A scene without a name has that of the file. */
function essentials({ name, sampleType, channels, sizes, steps, date, time, instrument }: SceneInfo) {
  const kept = Object.fromEntries(Object.entries(steps).map(([axis, { step, unit }]) => [axis, [step, unit]]));
  return {
    name: name || 'unnamed',
    sampleType,
    channels: channels.map((channel) => channel.name),
    sizes,
    steps: kept,
    date,
    time,
    start: instrument?.start,
  };
}

async function describeAll(path: string) {
  const opened = await openAcquisition(path);
  const { scenes } = opened.acquisition.info;
  const facts = await Promise.all(scenes.map((_, scene) => factsOf(opened, scene)));
  opened.close();
  return { scenes: scenes.map(essentials), warnings: scenes.flatMap(({ warnings }) => warnings), facts };
}

const targets: [string, string, Partial<ExportTask>][] = [
  ['ome-tiff', '.ome.tif', {}],
  ['ome-tiff', '.ome.tif', { options: { compress: 'gzip' } }],
  ['ome-zarr', '.ome.zarr', {}],
  ['ome-zarr', '.ome.zarr', { options: { zarr: '0.4', compress: 'gzip' } }],
  ['ome-zarr', '.ome.zarr', { options: { compress: 'gzip' } }],
];

describe.each([
  ['a line scan', SAMPLE],
  ['several scenes', scenes],
  ['a folder', bruker],
])('an export of %s', (_, path) => {
  it.each(targets)('as %s%s with %j keeps pixels, steps, names and date', async (format, extension, task) => {
    const name = `out${targets.findIndex(([, , other]) => other === task)}${extension}`;
    const output = await exportTo(folder, name, { path, format, overwrite: true, ...task });
    const [before, after] = [await describeAll(path), await describeAll(output)];
    expect(after.warnings).toEqual([]);
    const named = before.scenes.map((scene) => (scene.name === 'unnamed' ? { ...scene, name: basename(path) } : scene));
    expect(after).toMatchObject({ scenes: named, facts: before.facts });
  });
});

it('needs BigTIFF when the offsets of classic TIFF may not be enough', () => {
  expect(needsBigTiff([{ count: 1000, bytes: 4 * 2 ** 20 }], 1000)).toBe(false);
  expect(needsBigTiff([{ count: 1024, bytes: 4 * 2 ** 20 }], 1000)).toBe(true);
  expect(needsBigTiff([{ count: 6_000_000, bytes: 8 }], 1000)).toBe(true);
  expect(needsBigTiff([{ count: 1, bytes: 8 }], 2 ** 32)).toBe(true);
  const half = { count: 512, bytes: 4 * 2 ** 20 };
  expect([needsBigTiff([half], 1000), needsBigTiff([half, half], 1000)]).toEqual([false, true]);
});

it.each([
  ['TIFF', false, '49492a00'],
  ['BigTIFF', true, '49492b0008000000'],
])('writes the resolution of columns and of rows into %s', async (name, isBig, start) => {
  const path = join(folder, `resolution-${name}.tif`);
  const sink = new FileSink(path);
  const writer = new TiffWriter(sink, { isBig });
  writer.add(
    { rows: 2, columns: 3, sampleFormat: 1, bits: 8, resolution: { x: 20_000, y: 5_000 } },
    Uint8Array.from([1, 2, 3, 4, 5, 6]),
  );
  writer.finish();
  sink.finish();
  const opened = await openAcquisition(path);
  expect(readFileSync(path).toString('hex').startsWith(start)).toBe(true);
  expect(await readNative(opened, 0, { channel: 0 })).toEqual(Uint8Array.from([1, 2, 3, 4, 5, 6]));
  const { X, Y } = opened.acquisition.info.scenes[0]!.steps;
  expect([X, Y].map(({ step, unit }) => [step, unit])).toEqual([
    [0.5, 'micrometer'],
    [2, 'micrometer'],
  ]);
  opened.close();
});

it.runIf(LONG)('writes BigTIFF, whose offsets have 64 bits', async () => {
  const path = join(folder, 'big.tif');
  const sink = new FileSink(path);
  const writer = new TiffWriter(sink, { isBig: true });
  const page = { rows: 700, columns: 1000, sampleFormat: 2, bits: 32, resolution: { x: 12_345.678, y: 1e-3 } } as const;
  const planes = [1, 2].map((factor) => Int32Array.from({ length: 700_000 }, (_, i) => -factor * i));
  for (const plane of planes) writer.add(page, plane);
  writer.finish();
  sink.finish();
  expect(readFileSync(path).readUInt16LE(2)).toBe(43);
  const opened = await openAcquisition(path);
  const [scene] = opened.acquisition.info.scenes;
  expect(scene?.sizes).toEqual({ T: 1, Z: 2, Y: 700, X: 1000 });
  expect(scene?.steps.X.step).toBeCloseTo(1e4 / 12_345.678, 9);
  expect(await readNative(opened, 0, { channel: 0, z: 1 })).toEqual(planes[1]);
  opened.close();
});

it('holds one plane at a time in memory', async () => {
  const opened = await openAcquisition(scenes);
  const cut = cutAcquisition(opened, {}, 2 ** 30);
  const [first, second] = [0, 1].map((t) => cut.read({ scene: 0, channel: 1, t, z: 0 }));
  expect((await second)?.buffer).toBe((await first)?.buffer);
  opened.close();
});

it('refuses 64-bit integers for OME-TIFF', async () => {
  const page = { width: 2, height: 1, samples: [BigUint64Array.of(1n, 2n ** 63n), BigUint64Array.of(3n, 4n)] };
  const path = writeTemp(folder, 'long.tif', writeTiff({ pages: [page] }));
  await expect(exportTo(folder, 'long.ome.tif', { path, format: 'ome-tiff' })).rejects.toMatchObject({
    code: 'not_representable',
    message: expect.stringContaining('OME-TIFF has no type for uint64 samples'),
  });
  const output = await exportTo(folder, 'long.ome.zarr', { path, format: 'ome-zarr' });
  const opened = await openAcquisition(output);
  for (const channel of [0, 1]) expect(await readNative(opened, 0, { channel })).toEqual(page.samples[channel]);
  opened.close();
});

it('writes the keys of the served tree, and nothing else', async () => {
  const output = await exportTo(folder, 'keys.ome.zarr', { path: scenes, format: 'ome-zarr', choice: { scene: 1 } });
  const keys = readdirSync(output, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(output.length + 1));
  expect(keys.sort()).toEqual(['0/c/0/0/0/0/0', '0/zarr.json', 'OME/METADATA.ome.xml', 'OME/zarr.json', 'zarr.json']);
});

it('replaces a folder only when it is a Zarr hierarchy', async () => {
  const output = await exportTo(folder, 'again.ome.zarr', { path: SAMPLE, format: 'ome-zarr' });
  await expect(exportTo(folder, 'again.ome.zarr', { path: SAMPLE, format: 'ome-zarr' })).rejects.toMatchObject({
    code: 'output_exists',
  });
  await exportTo(folder, 'again.ome.zarr', { path: scenes, format: 'ome-zarr', overwrite: true });
  expect((await describeAll(output)).scenes).toHaveLength(2);
  const own = exportTo(folder, 'bruker', { path: SAMPLE, format: 'ome-zarr', overwrite: true });
  await expect(own).rejects.toThrow('bruker is a folder that was not exported from an acquisition');
  const inside = exportTo(output, 'inside.npy', { path: output, format: 'npy' });
  await expect(inside).rejects.toMatchObject({ code: 'output_is_source' });
  expect(readdirSync(folder).filter((name) => name.includes('.partial-'))).toEqual([]);
});
