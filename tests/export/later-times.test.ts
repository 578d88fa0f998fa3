/** Times that opening does not wait for, in exports of a part of a recording. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openAcquisition } from '../../src/open.js';
import { sceneOf } from '../support/native.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { scanimageFrames } from '../writers/scanimage.js';
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
  expect(JSON.parse(readFileSync(join(output, '0', 'zarr.json'), 'utf8'))).toMatchObject({
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
