import { expect, it, vi } from 'vitest';
import { FluoViewSet } from '../../../packages/readers/src/formats/oif/fluoview-set.js';
import { toPlaneTable } from '../../../packages/readers/src/model/metadata/plane-table.js';
import { openAcquisition } from '../../../packages/server/src/open.js';
import { frames, framesAt, lineScan, sections } from '../../support/oif.js';
import { openFiles } from '../../support/open-files.js';
import { tempFolder } from '../../support/temp.js';
import { type OifSpec, writeOib, writeOif } from '../../writers/oif.js';

const folder = tempFolder();

async function columnsOf(path: string) {
  const opened = await openAcquisition(path);
  try {
    const [scene] = opened.acquisition.info.scenes;
    if (!scene) throw new Error('no scene');
    const columns = (await opened.acquisition.readPlaneColumns?.(0)) ?? {};
    const table = toPlaneTable(scene, columns, { from: 0, count: 1000 });
    return { scene, columns, table };
  } finally {
    opened.close();
  }
}

/** C2 T2 Z3, each section 0.25 s after the last, from 19 µm downward. */
function timedStack(): OifSpec {
  const spec = frames();
  const timed = spec.planes.map((plane) => {
    const [z, t] = ['Z', 'T'].map((letter) => Number(plane.id.split(letter)[1]?.slice(0, 3)) - 1) as [number, number];
    return { ...plane, timeMs: 5000 + 1500 * t + 250 * z, depthNm: 19_000 - 1000 * z };
  });
  return { ...spec, planes: timed };
}

const each = (values: readonly number[], times: number) => values.flatMap((value) => Array(times).fill(value));

it('has time and depth of every section', async () => {
  const { table } = await columnsOf(writeOif(folder, { ...timedStack(), name: 'timed.oif' }));
  expect([...(table.time ?? [])]).toEqual(each([0, 0.25, 0.5, 1.5, 1.75, 2], 2));
  expect([...(table.z ?? [])]).toEqual(each([19, 18, 17, 19, 18, 17], 2));
});

it('has them in an OIB', async () => {
  const opened = await openFiles(folder, { 'timed.oib': writeOib(timedStack()) });
  const columns = await opened.acquisition.readPlaneColumns?.(0);
  opened.close();
  expect([...(columns?.time ?? [])]).toEqual(each([5, 5.25, 5.5, 6.5, 6.75, 7], 2));
});

it('has all times of a long series when asked, and opens without reading them', async () => {
  const milliseconds = Array.from({ length: 200 }, (_, t) => 1000 * t + (t > 100 ? 7000 : 0));
  const { scene, columns } = await columnsOf(writeOif(folder, { ...framesAt(milliseconds), name: 'long.oif' }));
  expect(scene.coordinates?.T).toMatchObject({ isLater: true, source: 'frame times', uneven: true });
  expect(scene.warnings.join()).toContain('the coordinates have all values');
  expect([...(columns.time ?? [])]).toEqual(milliseconds.map((value) => value / 1000));
});

it('has gaps for planes without usable properties', async () => {
  const spec = { ...framesAt([0, 1000, Number.NaN, 3000]), name: 'gaps.oif', omit: ['s_C001T002.pty'] };
  const { columns } = await columnsOf(writeOif(folder, spec));
  expect([...(columns.time ?? [])]).toEqual([0, Number.NaN, Number.NaN, 3]);
});

it('leaves out depths of a piezo, whose sum with the drive is not known', async () => {
  const spec = timedStack();
  const planes = spec.planes.map((plane) => ({ ...plane, piezoNm: 500 }));
  const { columns } = await columnsOf(writeOif(folder, { ...spec, planes, name: 'piezo.oif' }));
  expect(Object.keys(columns)).toEqual(['time']);
});

it('has no time for lines, and no depth for x–z scans', async () => {
  const spec = lineScan();
  const planes = spec.planes.map((plane) => ({ ...plane, timeMs: 12, depthNm: 3000 }));
  const lines = await columnsOf(writeOif(folder, { ...spec, planes, name: 'lines.oif' }));
  expect(lines.columns).toEqual({ z: Float64Array.of(3, 3) });
  const deep = sections(3);
  const own = deep.planes.map((plane) => ({ ...plane, depthNm: 3000 }));
  const xz = await columnsOf(writeOif(folder, { ...deep, planes: own, name: 'xz.oif' }));
  expect(xz.columns).toEqual({ time: Float64Array.of(0, 1, 2) });
});

it('reads the properties of one channel of each frame', async () => {
  const opened = await openAcquisition(writeOif(folder, { ...timedStack(), name: 'once.oif' }));
  const settings = vi.spyOn(FluoViewSet.prototype, 'settings');
  await opened.acquisition.readPlaneColumns?.(0);
  expect(settings.mock.calls.map(([name]) => name)).toEqual(
    ['Z001T001', 'Z002T001', 'Z003T001', 'Z001T002', 'Z002T002', 'Z003T002'].map((id) => `s_C001${id}.pty`),
  );
  settings.mockRestore();
  opened.close();
});
