import { describe, expect, it } from 'vitest';
import { Notes } from '../../../packages/readers/src/base/notes.js';
import { timeEvidence } from '../../../packages/readers/src/formats/czi/times.js';
import { resolveAxis } from '../../../packages/readers/src/model/metadata/axes.js';
import { expectedPlane, expectSamePlane, openFiles, servedPlane, servedReference } from '../../support/open-files.js';
import { tempFolder } from '../../support/temp.js';
import { type CziSpec, dims, PIXEL_TYPES, timeStamps, words, writeCzi } from '../../writers/czi.js';
import { lineSample, lineScan, overview, scanPath } from '../../writers/czi-kinds.js';

const folder = tempFolder();
const open = (spec: CziSpec) => openFiles(folder, { 'line.czi': writeCzi(spec) });
const plane = (lines: number, columns: number, c: number) =>
  expectedPlane(lines, columns, (t, x) => lineSample(c, t, x));

describe('CZI line scans', () => {
  it('have every line of many runs, compressed or not', async () => {
    const opened = await open(lineScan(1003, 16, 2, 10, { coded: [1], period: 0.00125 }));
    const [scene] = opened.acquisition.info.scenes;
    expect(scene?.sizes).toEqual({ T: 1, Z: 1, Y: 1003, X: 16 });
    expect(scene?.warnings).toEqual([]);
    expect(scene?.steps.Y.step).toBeCloseTo(0.00125, 9);
    for (const channel of [0, 1]) expectSamePlane(await servedPlane(opened, { channel }), plane(1003, 16, channel));
    opened.close();
  });

  it('are read from one run larger than the buffer', async () => {
    const opened = await open(lineScan(3000, 512, 1, 3000));
    expectSamePlane(await servedPlane(opened), plane(3000, 512, 0));
    opened.close();
  });

  it('take the line period from the time stamps, never from LineTime', async () => {
    const stamped = await open(lineScan(8, 4, 1, 8, { period: 0.002 }));
    expect(stamped.acquisition.info.scenes[0]?.steps.Y.unit).toBe('seconds');
    expect(stamped.acquisition.info.scenes[0]?.steps.Y.step).toBeCloseTo(0.002, 9);
    const without = await open(lineScan(8, 4, 1, 8));
    const [scene] = without.acquisition.info.scenes;
    expect(scene?.steps.Y).toEqual({ step: 1, unit: 'Pixels', origin: 'default' });
    expect(scene?.warnings).toEqual([
      'The file does not contain the line period, so the time axis is in pixels. ' +
        'Enter it in the viewer or pass `calibration`.',
    ]);
    stamped.close();
    without.close();
  });

  it('end early, with a warning, when the last run has fewer lines than the directory says', async () => {
    const spec = lineScan(20, 4, 1, 10, { period: 0.002 });
    const last = spec.blocks.at(-1);
    // 6 lines and a half of 8 bytes each.
    if (last) last.data = last.data.slice(0, 52);
    const opened = await open(spec);
    const [scene] = opened.acquisition.info.scenes;
    expect(scene?.sizes.Y).toBe(16);
    // There are 20 time stamps; the first 16 belong to these lines.
    expect(scene?.steps.Y.step).toBeCloseTo(0.002, 9);
    expect(scene?.warnings[0]).toBe('The file contains only 6 of the 10 lines of channel 1 that start at T = 10.');
    expectSamePlane(await servedPlane(opened), plane(16, 4, 0));
    opened.close();
  });

  it('have all complete lines of a recording that was interrupted', async () => {
    const bytes = writeCzi({ ...lineScan(20, 4, 1, 20), finished: false });
    // Header, subblock head of 256 bytes, XML of 11 bytes, then 8 bytes a line.
    const opened = await openFiles(folder, { 'line.czi': bytes.slice(0, 544 + 32 + 256 + 11 + 8 * 13 + 3) });
    const [scene] = opened.acquisition.info.scenes;
    expect(scene?.sizes.Y).toBe(13);
    expect(scene?.warnings.join(' ')).toMatch(/only 13 of the 20 lines.*recording was interrupted/);
    expectSamePlane(await servedPlane(opened), plane(13, 4, 0));
    opened.close();
  });

  it('have the lines before the end of a truncated file whose directory lists more', async () => {
    const bytes = writeCzi({ ...lineScan(40, 4, 2, 10), directoryFirst: true });
    // Inside the second run of the second channel: 3 lines of 8 bytes, behind heads of 32 and 256 and XML of 11, are there.
    const entry = 544 + 32 + 128 + 5 * 92;
    const sixth = Number(new DataView(bytes.buffer).getBigInt64(entry + 6, true));
    const opened = await openFiles(folder, { 'cut.czi': bytes.slice(0, sixth + 32 + 256 + 11 + 3 * 8 + 5) });
    const [scene] = opened.acquisition.info.scenes;
    expect(scene?.warnings.join(' ')).toMatch(
      /truncated: 2 subblocks.*only 3 of the 10 lines of channel 2 that start at T = 10.*27 of 80 lines/s,
    );
    expectSamePlane(await servedPlane(opened), plane(40, 4, 0));
    const sample = (t: number, x: number) => (t < 13 ? lineSample(1, t, x) : 0);
    expectSamePlane(await servedPlane(opened, { channel: 1 }), expectedPlane(40, 4, sample));
    opened.close();
  });

  it('show lines that were never written as 0, with a warning', async () => {
    const spec = lineScan(30, 4, 2, 10);
    spec.blocks.splice(4, 1);
    const opened = await open(spec);
    expect(opened.acquisition.info.scenes[0]?.warnings).toContain(
      '10 of 60 lines are missing from the file and shown as 0. The first is T = 10, Z = 0 of channel "Ch2-T1".',
    );
    const sample = (t: number, x: number) => (t >= 10 && t < 20 ? 0 : lineSample(1, t, x));
    expectSamePlane(await servedPlane(opened, { channel: 1 }), expectedPlane(30, 4, sample));
    opened.close();
  });

  it('read both channels from one subblock with its dimensions in any order', async () => {
    for (const [order, at] of [
      [{ X: 3, C: 2, T: 4 }, (c: number, t: number, x: number) => x + 3 * c + 6 * t],
      [{ X: 3, T: 4, C: 2 }, (c: number, t: number, x: number) => x + 3 * t + 12 * c],
      [{ T: 4, X: 3, C: 2 }, (c: number, t: number, x: number) => t + 4 * x + 12 * c],
    ] as const) {
      const block = { dims: dims(order), pixelType: PIXEL_TYPES.Gray16, data: words(24, (i) => 7 * i) };
      const opened = await open({ blocks: [block] });
      for (const c of [0, 1]) {
        const sample = (t: number, x: number) => 7 * at(c, t, x);
        expectSamePlane(await servedPlane(opened, { channel: c }), expectedPlane(4, 3, sample));
      }
      opened.close();
    }
  });

  it('along depth have rows in micrometers', async () => {
    const blocks = [0, 1, 2].map((z) => ({
      dims: dims({ X: 4, Z: [z, 1] as const }),
      pixelType: PIXEL_TYPES.Gray8,
      data: new Uint8Array(4).fill(z + 1),
    }));
    const xml =
      '<ImageDocument><Metadata><Scaling><Items><Distance Id="Z"><Value>4E-006</Value></Distance></Items></Scaling></Metadata></ImageDocument>';
    const opened = await open({ blocks, xml });
    const [scene] = opened.acquisition.info.scenes;
    expect(scene?.sizes).toEqual({ T: 1, Z: 1, Y: 3, X: 4 });
    expect(scene?.steps.Y).toEqual({ step: 4, unit: 'micrometer', origin: 'file' });
    expect(scene).toMatchObject({
      rowAxis: 'z',
      warnings: ['This is an x–z scan: the rows are depths, so the Y axis runs along z.'],
    });
    expectSamePlane(
      await servedPlane(opened),
      expectedPlane(3, 4, (y) => y + 1),
    );
    opened.close();
  });
});

describe('the reference of a CZI line scan', () => {
  it('is the attached image, with the scan path in its pixels, in either order', async () => {
    for (const attachments of [
      [scanPath(), overview()],
      [overview(), scanPath()],
    ]) {
      const opened = await open({ ...lineScan(4, 4, 1, 4), attachments });
      const reference = opened.acquisition.info.scenes[0]?.reference;
      expect(reference?.sizes).toEqual({ Y: 40, X: 50 });
      expect(reference?.steps.X).toEqual({ step: 0.25, unit: 'micrometer', origin: 'file' });
      expect(reference?.steps.Y).toEqual({ step: 0.5, unit: 'micrometer', origin: 'file' });
      const { x, y } = reference?.scanPath ?? { x: [], y: [] };
      expect(x).toHaveLength(120);
      // 25 nm of 0.25 µm are a tenth of a pixel, and so are 50 nm of 0.5 µm.
      for (let i = 0; i < 120; i++) {
        expect(x[i]).toBeCloseTo(25 + (i - 60) / 10, 4);
        expect(y[i]).toBeCloseTo(20 + i / 10, 4);
      }
      const sample = (row: number, column: number) => 100 + row + column;
      expectSamePlane(await servedReference(opened, 1), expectedPlane(40, 50, sample));
      opened.close();
    }
  });

  it('is missing, with a warning, when the attached image is corrupted', async () => {
    const broken = overview();
    broken.payload = broken.payload.slice(0, 100);
    const opened = await open({ ...lineScan(4, 4, 1, 4), attachments: [broken] });
    const [scene] = opened.acquisition.info.scenes;
    expect(scene?.reference).toBeNull();
    expect(scene?.warnings.join(' ')).toMatch(/: an attached image cannot be read/);
    opened.close();
  });

  it('is never a stack of many channels', async () => {
    const blocks = Array.from({ length: 17 }, (_, c) => ({
      dims: dims({ X: 40, Y: 40, C: [c, 1] as const }),
      pixelType: PIXEL_TYPES.Gray8,
      data: new Uint8Array(1600),
    }));
    const stack = { type: 'ZISRAW', name: 'Image', payload: writeCzi({ blocks }) };
    const opened = await open({ ...lineScan(4, 4, 1, 4), attachments: [stack] });
    expect(opened.acquisition.info.scenes[0]?.reference).toBeNull();
    opened.close();
  });
});

describe('the time step of a CZI', () => {
  const nothing = { timeOffsets: [], timeIncrement: undefined, timeSpan: undefined, lineFrameTime: undefined };
  const facts = { count: 5, starts: [0], stamps: [], metadata: nothing, lines: true };
  const resolve = (more: Partial<typeof facts> | object) => {
    const notes = new Notes();
    const merged = { ...facts, ...more };
    const { step } = resolveAxis(merged.lines ? 'Y' : 'T', merged.count, timeEvidence(merged), notes);
    return { step, warnings: notes.list() };
  };
  const step = (more: Partial<typeof facts> | object) => resolve(more).step;

  it('comes from time stamps first', () => {
    expect(step({ stamps: [100, 100.5, 101, 101.5, 102], metadata: { ...nothing, timeIncrement: 0.4 } })).toEqual({
      step: 0.5,
      unit: 'seconds',
      origin: 'derived',
    });
  });

  it('is divided by the lines per run when there is one time stamp per run', () => {
    expect(step({ count: 30, starts: [0, 10, 20], stamps: [5, 6, 7] }).step).toBeCloseTo(0.1, 12);
  });

  it('converts time stamps in days when the metadata show that they are', () => {
    const stamps = [45_000, 45_001, 45_002, 45_003, 45_004].map((value) => value / 86_400);
    expect(step({ stamps, metadata: { ...nothing, timeIncrement: 1 } }).step).toBeCloseTo(1, 6);
    expect(step({ stamps, metadata: { ...nothing, timeIncrement: 1 / 86_400 } }).step).toBeCloseTo(1 / 86_400, 9);
  });

  it('is the median of irregular time stamps of lines, with a warning', () => {
    expect(resolve({ stamps: [0, 1, 2, 3, 9] })).toEqual({
      step: { step: 1, unit: 'seconds', origin: 'derived' },
      warnings: [
        'The rows are 1 s to 6 s apart (median 1 s), by their time stamps; the longest interval follows Y = 3. ' +
          'The Y step is the median, 1 s; the coordinates have all values.',
      ],
    });
  });

  it('comes from the metadata when time stamps are not in ascending order', () => {
    const metadata = { ...nothing, timeOffsets: [0, 2, 4, 6, 8] };
    expect(resolve({ stamps: [0, 1, 0.5, 2, 3], metadata })).toEqual({
      step: { step: 2, unit: 'seconds', origin: 'derived' },
      warnings: ['The time stamps are not in ascending order; the Y step does not follow from them.'],
    });
  });

  it('comes from the metadata, with a warning, when there are not as many time stamps as time points', () => {
    const metadata = { ...nothing, timeIncrement: 2 };
    expect(resolve({ stamps: [0, 1, 2], metadata, lines: false })).toEqual({
      step: { step: 2, unit: 'seconds', origin: 'file' },
      warnings: ['The file has 3 time stamps for 5 time points; they were ignored.'],
    });
  });

  it('is the configured interval, or else the frame time of a line mode', () => {
    expect(step({ metadata: { ...nothing, timeSpan: 0.25, lineFrameTime: 0.5 } }).step).toBe(0.25);
    expect(step({ metadata: { ...nothing, lineFrameTime: 0.5 } }).step).toBe(0.5);
    expect(step({ metadata: { ...nothing, lineFrameTime: 0.5 }, lines: false }).origin).toBe('default');
  });

  it('comes from the attached time stamps for frames, too', async () => {
    const blocks = [0, 1, 2].map((t) => ({
      dims: dims({ X: 2, Y: 2, T: [t, 1] as const }),
      pixelType: PIXEL_TYPES.Gray8,
      data: new Uint8Array(4),
    }));
    const opened = await open({ blocks, attachments: [timeStamps([7, 7.5, 8])] });
    expect(opened.acquisition.info.scenes[0]?.steps.T).toEqual({ step: 0.5, unit: 'seconds', origin: 'derived' });
    opened.close();
  });
});
