import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { OpenResponse } from '../../../packages/client/src/contract/open.js';
import { openAcquisition } from '../../../packages/server/src/index.js';
import { stackJobs } from '../../../packages/viewer/src/export/imagej-stack.ts';
import { type AcquisitionDocument, createDocument } from '../../../packages/viewer/src/model/document.ts';
import { toMeasuredAxis } from '../../../packages/viewer/src/model/measured-axis.ts';
import { IMAGEJ_MISSING, runImageJ } from '../../support/imagej.js';
import { readNative, sceneOf } from '../../support/native.js';
import { tempFolder, writeTemp } from '../../support/temp.js';

const folder = tempFolder();
const CHANNELS = [
  { index: 0, name: 'GFP', color: '#00FF00', window: { start: 0, end: 200 } },
  { index: 2, name: 'µ-opioid', color: '#FF0000', window: { start: 5, end: 100 } },
];
const SIZES = { C: 3, T: 3, Z: 2, Y: 2, X: 3 };

type Place = { t?: number; z?: number };
/** 100·t + 10·z + c, one more for each sample. */
const sample = (channel: number, { t = 0, z = 0 }: Place) => 100 * t + 10 * z + channel;

/** A stack of two open channels of three, whose time points were measured. */
function stack(header: Partial<OpenResponse['header']> = {}, more: Partial<OpenResponse> = {}): AcquisitionDocument {
  const axis = (name: string, size: number) => ({ name, size, step: 0.284, unit: 'micrometer' });
  const info = {
    source: { path: '/data/a.nd2', name: 'a.nd2', revision: '1' },
    header: {
      ...{ dims: ['C', 'T', 'Z', 'Y', 'X'], sizes: SIZES, dtype: 'int16', numChannels: 3 },
      physicalUnits: [1, 10, 1.7, 0.284, 0.284],
      physicalUnitsLabels: ['Channels', 'seconds', 'micrometer', 'micrometer', 'micrometer'],
      calibration: ['default', 'file', 'file', 'file', 'file'],
      ...header,
    },
    plane: { shape: [2, 3], axes: [axis('Y', 2), axis('X', 3)] },
    channels: CHANNELS,
    ...{ reference: null, warnings: [], selection: { T: 0, Z: 0 } },
    ...more,
  } as unknown as OpenResponse;
  const nativePlane = async (channel: number, place: Place) =>
    Int16Array.from({ length: 6 }, (_, i) => sample(channel, place) + i - 50);
  const document = createDocument({ info, nativePlane } as unknown as AcquisitionDocument['opened']['value']);
  document.measured.value = { T: toMeasuredAxis(Float64Array.of(0, 1.5, 20))! };
  return document;
}

/** Each channel and section has a time of its own, also the channel that is not open. */
const TABLE = {
  time: Float64Array.from({ length: 18 }, (_, row) => (row === 0 ? Number.NaN : row / 10)),
  z: Float64Array.from({ length: 18 }, (_, row) => 40 + (Math.floor(row / 3) % 2) * 1.7),
};

const jobsOf = (document: AcquisitionDocument) => stackJobs({ document, pane: document.source.value });

async function save(document: AcquisitionDocument): Promise<{ path: string; fractions: number[] }> {
  const [job] = jobsOf(document);
  const fractions: number[] = [];
  const blob = await job!.make(new AbortController().signal, (fraction) => fractions.push(fraction));
  return { path: writeTemp(folder, job!.name, new Uint8Array(await blob.arrayBuffer())), fractions };
}

describe('a stack for ImageJ', () => {
  it('has every plane of the open channels, with steps, colors and ranges', async () => {
    const { path, fractions } = await save(stack());
    expect(path).toContain('a.nd2.imagej.tif');
    expect(fractions).toHaveLength(12);
    expect(fractions.at(-1)).toBe(1);
    const opened = await openAcquisition(path);
    const scene = sceneOf(opened, 0);
    expect(scene.sizes).toEqual({ T: 3, Z: 2, Y: 2, X: 3 });
    expect(scene.steps).toMatchObject({
      T: { step: 10, unit: 'seconds' },
      Z: { step: 1.7, unit: 'micrometer' },
      X: { unit: 'micrometer', step: expect.closeTo(0.284, 8) },
    });
    expect(scene.channels).toMatchObject(CHANNELS.map(({ color, window }) => ({ color, window })));
    for (const [channel, { index }] of CHANNELS.entries()) {
      const samples = await readNative(opened, 0, { channel, t: 2, z: 1 });
      expect([...samples]).toEqual([0, 1, 2, 3, 4, 5].map((i) => sample(index, { t: 2, z: 1 }) + i - 50));
    }
    opened.close();
  });

  it('has the times and depths of each plane in its labels, not those of the first channel', async () => {
    const document = stack();
    Object.assign(document.opened.value, { planes: async () => TABLE });
    const labels = async () => {
      const text = Buffer.from(readFileSync((await save(document)).path)).toString('utf16le');
      return [...text.matchAll(/(?:GFP|µ-opioid)(?: [tz]=[\d.]+ (?:s|µm))*/g)].map(([label]) => label);
    };
    const all = await labels();
    expect(all).toHaveLength(12);
    expect(all.slice(0, 4)).toEqual([
      'GFP z=40 µm',
      'µ-opioid t=0.2 s z=40 µm',
      'GFP t=0.3 s z=41.7 µm',
      'µ-opioid t=0.5 s z=41.7 µm',
    ]);
    expect(all.at(-1)).toBe('µ-opioid t=1.7 s z=41.7 µm');
    // A step that the user entered replaces what was measured.
    document.calibration.value = { T: { step: 1, unit: 'seconds' } };
    document.measured.value = {};
    expect((await labels()).slice(0, 2)).toEqual(['GFP z=40 µm', 'µ-opioid z=40 µm']);
  });

  it.runIf(IMAGEJ_MISSING === undefined)('opens in ImageJ, with labels that have the measured times', async () => {
    const [lines = []] = await runImageJ(folder, [(await save(stack())).path]);
    expect(lines[0]).toBe('CompositeImage 16 bits [3, 2, 2, 2, 3] composite');
    expect(lines[1]).toMatch(/^0\.284\d* micron 0\.284\d* micron 1\.7 micron every 10\.0 sec$/);
    expect(lines.slice(2, 4)).toEqual(['lut 0,255,0', 'lut 255,0,0']);
    expect(lines[4]).toBe('GFP t=0 s -50.0');
    expect(lines.at(-1)).toBe('µ-opioid t=20 s 162.0');
  });

  it('is not offered for what the page does not have exactly, or is not a stack', () => {
    expect(jobsOf(stack())).toHaveLength(1);
    expect(jobsOf(stack({ dtype: 'float64' }))).toEqual([]);
    expect(jobsOf(stack({}, { projection: { Z: 'max' } }))).toEqual([]);
    expect(jobsOf(stack({ sizes: { ...SIZES, T: 1, Z: 1 } }, { channels: CHANNELS.slice(0, 1) as never }))).toEqual([]);
    expect(jobsOf(stack({ sizes: { ...SIZES, T: 2 ** 30 } }))).toEqual([]);
  });
});
