/** Times that opening does not wait for, in exports of a part of a recording. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openAcquisition } from '../../packages/server/src/open.js';
import { sceneOf } from '../support/native.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { countingPage } from '../support/tiff-cases.js';
import { writeMicroManager } from '../writers/micro-manager.js';
import { omeXml } from '../writers/ome.js';
import { scanimageFrames } from '../writers/scanimage.js';
import { writeTiff } from '../writers/tiff.js';
import { exportTo } from './support.js';

const folder = tempFolder();

/** 50 frames every 0.05 s, a pause of 10 s, and 50 frames more. */
const path = writeTemp(
  folder,
  'paused.tif',
  scanimageFrames(
    {
      'hChannels.channelSave': 1,
      'hRoiManager.scanFramePeriod': 0.05,
      'hRoiManager.linePeriod': 0.02,
      'hStackManager.enable': 'false',
    },
    Array.from({ length: 100 }, (_, i) => ({ number: i + 1, value: i, seconds: 0.05 * i + (i < 50 ? 0 : 10) })),
  ),
);
const choice = { time: { start: 60, end: 64 } };

it('an OME-TIFF of a part has its times from the start of the file, and the step of the part', async () => {
  const output = await exportTo(folder, 'part.ome.tif', { path, format: 'ome-tiff', choice });
  const text = readFileSync(output, 'latin1');
  expect([...text.matchAll(/DeltaT="([\d.]+)"/g)].map(([, seconds]) => Number(seconds))).toEqual([
    13, 13.05, 13.1, 13.15,
  ]);
  const { acquisition, close } = await openAcquisition(output);
  const { steps, coordinates } = sceneOf({ acquisition } as never, 0);
  close();
  expect(steps.T).toEqual({ step: expect.closeTo(0.05, 9), unit: 'seconds', origin: 'file' });
  expect(coordinates?.T?.uneven).toBe(false);
});

it('OME-Zarr keeps them likewise', async () => {
  const output = await exportTo(folder, 'part.ome.zarr', { path, format: 'ome-zarr', choice });
  const attributes = readFileSync(join(output, 'zarr.json'), 'utf8');
  expect(JSON.stringify(JSON.parse(attributes))).toContain('"uneven":false,"values":[13,13.05,13.1,13.15]');
  expect(JSON.parse(attributes)).toMatchObject({
    attributes: {
      ome: {
        multiscales: [
          { datasets: [{ coordinateTransformations: [{ scale: [expect.closeTo(0.05, 9), 1, 1, 1, 1] }] }] },
        ],
      },
    },
  });
});

it('an ImageJ stack has the interval of the part', async () => {
  const output = await exportTo(folder, 'part.imagej.tif', { path, format: 'imagej', choice });
  const text = readFileSync(output, 'latin1');
  expect(Number(/finterval=([\d.]+)/.exec(text)?.[1])).toBeCloseTo(0.05, 9);
});

it('a part has the step of its own times, also when an open reads only some of them', async () => {
  // A frame every second, and a pause of a minute in the middle.
  const seconds = Array.from({ length: 100 }, (_, t) => t + (t < 50 ? 0 : 60));
  const field = (time: number) => ({ code: 51_123, type: 2, text: JSON.stringify({ 'ElapsedTime-ms': 1000 * time }) });
  const paused = writeMicroManager({
    summary: { Interval_ms: 1000 },
    pages: seconds.map((time, i) => countingPage(i, [field(time)])),
    index: seconds.map((_, t) => [0, 0, t, 0]),
  });
  const stack = { path: writeTemp(folder, 'a_MMStack.tif', paused), format: 'imagej' as const };
  const intervalOf = async (start: number, end: number) => {
    const output = await exportTo(folder, `${start}.imagej.tif`, { ...stack, choice: { time: { start, end } } });
    return Number(/finterval=([\d.]+)/.exec(readFileSync(output, 'latin1'))?.[1]);
  };
  expect(await intervalOf(10, 20)).toBeCloseTo(1, 9);
  expect(await intervalOf(48, 53)).toBeCloseTo(16, 9);
});

it('a plane as text or picture has its own time, not that of the first channel', async () => {
  const planes = [0, 1, 2, 3].flatMap((t) =>
    [0, 1].map(
      (c) =>
        `<Plane TheC="${c}" TheT="${t}" TheZ="0" DeltaT="${10 * t + 0.4 * c}" PositionZ="${7 + c}" PositionZUnit="µm"/>`,
    ),
  );
  const names = ['GFP', 'tdTomato'].map((name) => `<Channel ID="${name}" Name="${name}" SamplesPerPixel="1"/>`);
  const children = [...names, '<TiffData/>', ...planes];
  const xml = omeXml({ images: [{ sizes: { X: 4, Y: 3, C: 2, T: 4 }, children }] });
  const description = { code: 270, type: 2, text: xml };
  const pages = Array.from({ length: 8 }, (_, i) => countingPage(i, i === 0 ? [description] : []));
  const file = writeTemp(folder, 'channels.ome.tif', writeTiff({ pages }));
  for (const format of ['csv', 'png'] as const) {
    const choice = { time: { start: 3, end: 4 }, channel: 1 };
    const text = readFileSync(await exportTo(folder, `plane.${format}`, { path: file, format, choice }), 'latin1');
    expect(text).toContain('time: 30.4 seconds');
    expect(text).toContain('focus: 8 ');
  }
});
