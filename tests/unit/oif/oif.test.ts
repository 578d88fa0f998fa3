import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Float32Target } from '../../../packages/readers/src/model/samples/plane-target.js';
import { type OpenedAcquisition, openAcquisition } from '../../../packages/server/src/open.js';
import { readNative, sceneOf } from '../../support/native.js';
import { frames, lineScan, referencePlane } from '../../support/oif.js';
import { tempFolder } from '../../support/temp.js';
import { type OifSpec, roiText, writeOib, writeOif } from '../../writers/oif.js';

const root = tempFolder();
const folder = () => mkdtempSync(join(root, 'set-'));

function oib(spec: OifSpec, options = {}): string {
  const path = join(folder(), 'mini.oib');
  writeFileSync(path, writeOib(spec, options));
  return path;
}

async function plane(opened: OpenedAcquisition, channel: number, t = 0, z = 0): Promise<number[]> {
  return Array.from(await readNative(opened, 0, { channel, t, z }), Number);
}

async function reference(opened: OpenedAcquisition, channel: number): Promise<number[]> {
  const sizes = sceneOf(opened, 0).reference?.sizes ?? { Y: 0, X: 0 };
  const target = new Float32Target(sizes.Y, sizes.X);
  await opened.acquisition.readReference?.(0, channel, target);
  return [...target.data];
}

const LINES = (c: number) => Array.from({ length: 24 }, (_, i) => 100 * (c + 1) + 10 * Math.floor(i / 4) + (i % 4));

const kinds: [string, (spec: OifSpec) => string][] = [
  ['OIF', (spec) => writeOif(folder(), spec)],
  ['OIB', (spec) => oib(spec)],
  ['OIB of version 4', (spec) => oib(spec, { version: 4 })],
  ['OIB with junk in its sizes', (spec) => oib(spec, { junkHighSize: true })],
];

describe.each(kinds)('%s line scan', (label, write) => {
  it('is read with every line, the line period, names, date and reference', async () => {
    const opened = await openAcquisition(write(lineScan()));
    const scene = sceneOf(opened, 0);
    expect(opened.acquisition.info.format).toBe(label.slice(0, 3).toLowerCase());
    expect(scene.sizes).toEqual({ T: 1, Z: 1, Y: 6, X: 4 });
    expect(scene.sampleType).toBe('uint16');
    expect(scene.channels).toEqual([{ name: 'CHS1' }, { name: 'CHS2' }]);
    expect(scene.steps.Y).toEqual({ step: 0.002, unit: 'seconds', origin: 'file' });
    expect(scene.steps.X).toEqual({ step: 0.25, unit: 'micrometer', origin: 'file' });
    expect([scene.date, scene.time]).toEqual(['20120726', '15:13:35']);
    expect(await plane(opened, 0)).toEqual(LINES(0));
    expect(await plane(opened, 1)).toEqual(LINES(1));
    expect(scene.reference?.steps.X).toEqual({ step: 0.25, unit: 'micrometer', origin: 'file' });
    expect(scene.reference?.channels).toEqual([{ name: 'CHS1' }]);
    expect(scene.reference?.lineRoi).toBeNull();
    expect((await reference(opened, 0)).slice(0, 6)).toEqual([500, 501, 502, 503, 510, 511]);
    opened.close();
  });
});

describe('an OIB line scan', () => {
  const open = (spec: OifSpec) => openAcquisition(oib(spec));

  it('has the same line period when the properties of a plane are missing', async () => {
    const opened = await open(lineScan({ omit: ['s_C002.pty'] }));
    expect(sceneOf(opened, 0).steps.Y.step).toBe(0.002);
    opened.close();
  });

  it('derives the line period from the time axis, 10 ms over 5 intervals, when all properties are missing', async () => {
    const opened = await open(lineScan({ omit: ['s_C001.pty', 's_C002.pty'] }));
    expect(sceneOf(opened, 0).steps.Y).toEqual({ step: 0.002, unit: 'seconds', origin: 'derived' });
    opened.close();
  });

  it('shows the lines of the file, with a warning, when the settings say more', async () => {
    const spec = lineScan();
    const opened = await open({ ...spec, axes: { ...spec.axes, T: { maxSize: 8, start: 0, end: 14, unit: 'ms' } } });
    expect(sceneOf(opened, 0).sizes.Y).toBe(6);
    expect(sceneOf(opened, 0).warnings.join()).toMatch(/The settings say 8 lines, but the file has 6\. Showing 6\./);
    opened.close();
  });

  it.each(['utf16-without-mark', 'utf8'] as const)(
    'reads settings in %s and the date under its right name',
    async (encoding) => {
      const opened = await open(lineScan({ encoding, dateKey: 'ImageCaptureDate' }));
      expect(sceneOf(opened, 0).date).toBe('20120726');
      expect(sceneOf(opened, 0).channels[1]).toEqual({ name: 'CHS2' });
      opened.close();
    },
  );

  it('joins the channels of a reference', async () => {
    const references = [referencePlane('C001-R001', 500), referencePlane('C002-R001', 700)];
    const opened = await open(lineScan({ references }));
    expect(sceneOf(opened, 0).reference?.channels).toEqual([{ name: 'CHS1' }, { name: 'CHS2' }]);
    expect((await reference(opened, 1))[5]).toBe(711);
    opened.close();
  });

  it.each([
    ['line', 3, [1, 3], [0, 2]],
    ['polyline', 4, [0, 2, 3], [3, 1, 0]],
    ['free line', 10, [0, 1, 2, 3], [0, 0, 1, 3]],
  ])('shows the scanned %s on the reference', async (_name, shape, x, y) => {
    const opened = await open(lineScan({ roi: roiText(shape, x, y) }));
    expect(sceneOf(opened, 0).reference?.scanPath).toEqual({ x, y });
    expect(sceneOf(opened, 0).reference?.lineRoi).toEqual([x[0], y[0], x.at(-1), y.at(-1)]);
    opened.close();
  });

  it('does not show a circle as the scanned line', async () => {
    const opened = await open(lineScan({ roi: roiText(6, [36, 44], [59, 67]) }));
    expect(sceneOf(opened, 0).reference?.lineRoi).toBeNull();
    opened.close();
  });

  it('joins a long scan that was split into files along time', async () => {
    const [first, second] = lineScan().planes;
    if (!first || !second) throw new Error('vector');
    const planes = [
      { ...second, id: 'C001T002', value: (y: number, x: number) => 100 + 10 * (y + 6) + x },
      { ...first, id: 'C001T001' },
    ];
    const opened = await open(lineScan({ planes, channels: ['CHS1'] }));
    expect(sceneOf(opened, 0).sizes).toEqual({ T: 1, Z: 1, Y: 12, X: 4 });
    expect((await plane(opened, 0)).filter((_, i) => i % 4 === 0)).toEqual([
      100, 110, 120, 130, 140, 150, 160, 170, 180, 190, 200, 210,
    ]);
    opened.close();
  });
});

describe('an OIF or OIB of frames', () => {
  it('finds the plane of a channel, time and section by the letters in the file names', async () => {
    const opened = await openAcquisition(writeOif(folder(), frames()));
    const scene = sceneOf(opened, 0);
    expect(scene.sizes).toEqual({ T: 2, Z: 3, Y: 3, X: 5 });
    expect(scene.steps).toEqual({
      T: { step: 1.5, unit: 'seconds', origin: 'file' },
      Z: { step: 1, unit: 'micrometer', origin: 'file' },
      Y: { step: 0.207, unit: 'micrometer', origin: 'file' },
      X: { step: 0.207, unit: 'micrometer', origin: 'file' },
    });
    expect((await plane(opened, 1, 1, 2))[7]).toBe(1000 + 100 + 40 + 7);
    opened.close();
  });

  it('names a missing plane file, and refuses that plane only', async () => {
    const path = writeOif(folder(), frames({ omit: ['s_C002Z002T001.tif'] }));
    const opened = await openAcquisition(path);
    expect((await plane(opened, 0, 0, 1))[0]).toBe(20);
    await expect(plane(opened, 1, 0, 1)).rejects.toMatchObject({
      code: 'companion_missing',
      message: `stack.oif: the file of plane C002T001Z002 is missing from ${path}.files. Copy it there.`,
    });
    opened.close();
  });

  it('opens from any file inside the folder, and from a renamed main file', async () => {
    const at = folder();
    const path = writeOif(at, frames());
    const inside = await openAcquisition(join(at, 'stack.oif.files', 's_C001Z001T001.tif'));
    expect(inside.path).toBe(path);
    expect(sceneOf(inside, 0).sizes.Z).toBe(3);
    inside.close();
    renameSync(path, join(at, 'renamed.oif'));
    const renamed = await openAcquisition(join(at, 'renamed.oif'));
    expect(sceneOf(renamed, 0).sizes.Z).toBe(3);
    renamed.close();
  });

  it('says that the folder of planes is missing', async () => {
    const at = folder();
    const path = writeOif(at, frames());
    rmSync(join(at, 'stack.oif.files'), { recursive: true });
    await expect(openAcquisition(path)).rejects.toMatchObject({
      code: 'companion_missing',
      message: `stack.oif: the folder "stack.oif.files" with its planes is missing from ${at}. Copy it there.`,
    });
    mkdirSync(join(at, 'stack.oif.files'));
    await expect(openAcquisition(path)).rejects.toMatchObject({
      code: 'companion_missing',
      message: expect.stringContaining(`is missing from ${path}.files. `),
    });
  });

  it('refuses a plane that is missing from an OIB', async () => {
    const opened = await openAcquisition(oib(frames({ omit: ['s_C002Z002T001.tif'] })));
    await expect(plane(opened, 1, 0, 1)).rejects.toMatchObject({ code: 'decode_failed' });
    opened.close();
  });

  it('refuses planes of another shape', async () => {
    const spec = frames();
    spec.planes[3] = { ...spec.planes[3]!, rows: 2 };
    const opened = await openAcquisition(oib(spec));
    await expect(plane(opened, 0, 1, 0)).rejects.toMatchObject({ code: 'decode_failed' });
    opened.close();
  });

  it('serves wavelengths as channels', async () => {
    const planes = [1, 2, 3].map((l) => ({
      id: `C001L00${l}`,
      rows: 2,
      columns: 2,
      value: () => l,
      pixel: { width: 0.1, height: 0.1, heightUnit: 'um' },
    }));
    const axes = {
      X: { maxSize: 2, unit: 'um' },
      Y: { maxSize: 2, unit: 'um' },
      L: { maxSize: 3, start: 500, end: 520, unit: 'nm' },
    };
    const opened = await openAcquisition(oib({ axisOrder: 'XYL', axes, channels: ['CHS1'], planes }));
    expect(sceneOf(opened, 0).channels.map(({ name }) => name)).toEqual(['CHS1 500 nm', 'CHS1 510 nm', 'CHS1 520 nm']);
    expect(await plane(opened, 2)).toEqual([3, 3, 3, 3]);
    opened.close();
  });
});

describe('an OIF or OIB reader', () => {
  it('refuses a compound file of another kind', async () => {
    const path = join(folder(), 'letter.oib');
    const bytes = readFileSync(oib(lineScan()));
    // The name of the first stream, OibInfo.txt, in UTF-16.
    const at = bytes.indexOf(Buffer.from('OibInfo', 'utf16le'));
    bytes[at] = 0x58;
    writeFileSync(path, bytes);
    await expect(openAcquisition(path)).rejects.toMatchObject({ code: 'unsupported_format' });
  });

  it('refuses a link inside the folder that leads out of it', async () => {
    const at = folder();
    const path = writeOif(at, frames({ omit: ['s_C001Z001T001.tif'] }));
    const outside = join(folder(), 'secret.tif');
    mkdirSync(join(outside, '..'), { recursive: true });
    writeFileSync(outside, 'secret');
    const { symlinkSync } = await import('node:fs');
    symlinkSync(outside, join(at, 'stack.oif.files', 's_C001Z001T001.tif'));
    await expect(openAcquisition(path)).rejects.toMatchObject({ code: 'path_not_allowed' });
  });
});
