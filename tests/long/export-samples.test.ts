import { rmSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, it } from 'vitest';
import { AcqError } from '../../packages/readers/src/base/errors.js';
import { OutputError } from '../../packages/readers/src/derive/writers/output-error.js';
import type { SceneInfo } from '../../packages/readers/src/model/acquisition.js';
import { axisOfTable, countPlanes, readPlaneTable } from '../../packages/readers/src/model/metadata/plane-table.js';
import { type OpenedAcquisition, openAcquisition } from '../../packages/server/src/open.js';
import { exportTo, factsOf } from '../export/support.js';
import { describeWithSamples, expectedFiles, samplePath } from '../support/samples.js';
import { tempFolder } from '../support/temp.js';

const folder = tempFolder();

/**
 * Returns the mean time from one time point to the next by the planes themselves: an export has their times, and its step is this
 * one. A CZI has time stamps beside them, which differ a little.
 */
async function periodOfPlanes({ acquisition }: OpenedAcquisition, scene: number): Promise<number | undefined> {
  const info = acquisition.info.scenes[scene]!;
  if (info.sizes.T < 2 || !acquisition.readPlaneColumns) return undefined;
  const at = axisOfTable(await readPlaneTable(acquisition, scene, { from: 0, count: countPlanes(info) }), info, 'T');
  return Number.isFinite(at.at(-1)) ? at.at(-1)! / (at.length - 1) : undefined;
}

/** What an export keeps. A scene without a name has that of the file, and half floats become float32. */
function essentials({ name, sampleType, channels, sizes, steps, date, time }: SceneInfo, file: string) {
  return {
    name: name || file,
    sampleType: sampleType === 'float16' ? 'float32' : sampleType,
    channels: channels.map((channel) => channel.name),
    sizes,
    steps: Object.fromEntries(Object.entries(steps).map(([axis, { step, unit }]) => [axis, [step, unit]])),
    date,
    time,
  };
}

/** @param name of the acquisition that was exported; by default that of the one at the path */
async function describeAll(path: string, name?: string) {
  const opened = await openAcquisition(path);
  const file = name ?? basename(opened.path);
  try {
    const { scenes } = opened.acquisition.info;
    const facts: string[][] = [];
    for (const scene of scenes.keys()) facts.push(await factsOf(opened, scene));
    return { file, scenes: scenes.map((scene) => essentials(scene, file)), facts };
  } finally {
    opened.close();
  }
}

/** What an export says of an acquisition. */
async function exported(path: string) {
  const described = await describeAll(path);
  const opened = await openAcquisition(path);
  for (const [i, { steps }] of described.scenes.entries()) {
    const period = await periodOfPlanes(opened, i);
    if (period !== undefined) steps['T'] = [expect.closeTo(period, 6), 'seconds'];
  }
  opened.close();
  return described;
}

describeWithSamples('exports of the samples keep pixels, steps, names and date', () => {
  it.each(expectedFiles('').map(([path]) => path))('%s', async (path) => {
    const source = samplePath(path);
    let before: Awaited<ReturnType<typeof exported>>;
    try {
      before = await exported(source);
    } catch (error) {
      // What cannot be read is checked by the tests of its format.
      if (error instanceof AcqError) return;
      throw error;
    }
    for (const [format, name] of [
      ['ome-zarr', 'out.ome.zarr'],
      ['ome-tiff', 'out.ome.tif'],
    ] as const) {
      try {
        const output = await exportTo(folder, name, { path: source, format, overwrite: true });
        expect(await describeAll(output, before.file), format).toEqual(before);
        rmSync(output, { recursive: true });
      } catch (error) {
        if (!(error instanceof OutputError && error.code === 'not_representable')) throw error;
        expect(error.message).toMatch(/OME-TIFF has no type for u?int64 samples/);
      }
    }
  });
});
