import { expect, it } from 'vitest';
import { toAcquisition } from '../../../packages/readers/src/formats/oir/index.js';
import { openScene } from '../../../packages/readers/src/formats/oir/scene.js';
import { EntrySiblings } from '../../../packages/readers/src/io/entry-siblings.js';
import {
  countPlanes,
  laterAxes,
  toPlaneTable,
  withLaterAxes,
} from '../../../packages/readers/src/model/metadata/plane-table.js';
import { CountingSource } from '../../support/counting-source.js';
import { openFiles } from '../../support/open-files.js';
import { tempFolder } from '../../support/temp.js';
import { type OirSpec, writeOir, writeOirSet } from '../../writers/oir.js';
import { lambdaScan, lineScan, timeDepthSeries, timeSeries } from '../../writers/oir-kinds.js';

const folder = tempFolder();

async function read(files: Record<string, Uint8Array>) {
  const opened = await openFiles(folder, files);
  try {
    const [scene] = opened.acquisition.info.scenes;
    if (!scene) throw new Error('no scene');
    const columns = (await opened.acquisition.readPlaneColumns?.(0)) ?? {};
    const table = toPlaneTable(scene, columns, { from: 0, count: countPlanes(scene) });
    return { scene, columns, coordinates: withLaterAxes(scene, laterAxes(scene), table).coordinates };
  } finally {
    opened.close();
  }
}

const times = (milliseconds: readonly number[], over: Partial<OirSpec> = {}): OirSpec => ({
  ...timeSeries(milliseconds.length, 4),
  positions: ({ t }) => ({ TIMELAPSE: milliseconds[t]! }),
  ...over,
});

it('serves the true time of every frame when asked, also where a pause falls between the first two and the last', async () => {
  const { scene, coordinates } = await read({ 'a.oir': writeOir(times([0, 500, 1000, 9000, 9500])) });
  expect(scene.coordinates?.T).toMatchObject({ isLater: true, source: 'frame times' });
  expect([...(coordinates?.T?.values ?? [])]).toEqual([0, 0.5, 1, 9, 9.5]);
});

it('has time and depth of every plane of a stack over time', async () => {
  const { columns, coordinates } = await read({ 'a.oir': writeOir(timeDepthSeries(4)) });
  const rows = Array.from({ length: 5 * 8 * 2 }, (_, row) => ({ t: Math.floor(row / 16), z: Math.floor(row / 2) % 8 }));
  expect([...(columns.time ?? [])]).toEqual(rows.map(({ t, z }) => (t * 30_000 + z * 1100) / 1000));
  expect([...(columns.z ?? [])]).toEqual(rows.map(({ z }) => 6115 - z * 0.4));
  const depths = [...(coordinates?.Z?.values ?? [])].map((value) => Number(value.toFixed(6)));
  expect(depths).toEqual([0, -0.4, -0.8, -1.2, -1.6, -2, -2.4, -2.8]);
});

it('has the depth of each wavelength', async () => {
  const spec = lambdaScan();
  const positions: OirSpec['positions'] = ({ z, lambda }) => ({ LAMBDA: 500 + lambda * 10, ZSTACK: z + lambda / 10 });
  const { columns } = await read({ 'a.oir': writeOir({ ...spec, positions }) });
  // Two channels at five wavelengths.
  expect([...(columns.z ?? [])].slice(0, 11)).toEqual([0, 0.1, 0.2, 0.3, 0.4, 0, 0.1, 0.2, 0.3, 0.4, 1]);
});

it('reads the frames of continuations', async () => {
  const [main, next] = writeOirSet(times([0, 500, 1000, 4000, 4500]), [2, 3]);
  const { columns } = await read({ 'rec.oir': main!, rec_00001: next! });
  expect([...(columns.time ?? [])]).toEqual([0, 0.5, 1, 4, 4.5]);
});

it('has gaps for frames whose properties lack a time', async () => {
  const spec = times([0, 500, 1000, 1500], { positions: ({ t }) => (t === 2 ? {} : { TIMELAPSE: t * 500 }) });
  const { columns } = await read({ 'a.oir': writeOir(spec) });
  expect([...(columns.time ?? [])]).toEqual([0, 0.5, Number.NaN, 1.5]);
});

it('has no time for the lines of a line scan', async () => {
  const spec = lineScan(12, 8, 8);
  const { columns } = await read({ 'a.oir': writeOir({ ...spec, positions: () => ({ TIMELAPSE: 5 }) }) });
  expect(columns).toEqual({});
});

it('reads the properties of each frame once, and none but three when it opens', async () => {
  const source = new CountingSource(writeOir({ ...timeSeries(50, 4), channels: timeDepthSeries().channels }));
  const scene = openScene(source, 'a.oir', new EntrySiblings([], () => undefined));
  const more = new CountingSource(writeOir({ ...timeSeries(5, 4), channels: timeDepthSeries().channels }));
  openScene(more, 'a.oir', new EntrySiblings([], () => undefined));
  // Three reads for the tags of a frame.
  expect(source.reads - more.reads).toBeLessThanOrEqual(3 * 45);
  source.reset();
  await toAcquisition([scene], 'oir').readPlaneColumns?.(0);
  expect(source.reads).toBe(50);
});
