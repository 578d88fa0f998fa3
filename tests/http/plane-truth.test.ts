/** What a file says of single planes, when its channels, sections or time points contradict each other. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PlaneTable } from '../../packages/client/src/contract/coordinates.js';
import type { OpenResponse } from '../../packages/client/src/contract/open.js';
import type { RunningServer } from '../../packages/server/src/server/listen.js';
import { exportTo, runExport } from '../export/support.js';
import { postOpen } from '../support/open.js';
import { createServer } from '../support/server.js';
import { tempFolder } from '../support/temp.js';
import { countingPage, description } from '../support/tiff-cases.js';
import { imageJTags } from '../writers/imagej.js';
import { axis, groupFiles, imageFiles, writeStore } from '../writers/ome-zarr.js';
import { writeTiff } from '../writers/tiff.js';

const folder = tempFolder();
let server: RunningServer;
beforeAll(async () => {
  server = await createServer({ port: 0, stateDir: folder, decodeWorkers: 1 });
});
afterAll(() => server.close());

interface Sizes {
  T?: number;
  Z?: number;
  C?: number;
}

/** What is said of a plane, as attributes. */
type Saying = (t: number, z: number, c: number) => string;

async function open(path: string, request: object = {}) {
  const [status, opened] = await postOpen<OpenResponse>(server.url, { path, ...request });
  expect(status).toBe(200);
  const response = await fetch(`${server.url}/api/v2/sessions/${opened.sessionId}/planes`);
  const { columns } = (await response.json()) as PlaneTable;
  const { dims, physicalUnits, physicalUnitsLabels, coordinates } = opened.header;
  const step = (name: string) => [physicalUnits[dims.indexOf(name)], physicalUnitsLabels[dims.indexOf(name)]];
  return { opened, columns, coordinates, warnings: opened.warnings.join(' '), T: step('T'), Z: step('Z') };
}

const each = <R>({ T = 1, Z = 1, C = 1 }: Sizes, value: (t: number, z: number, c: number) => R): R[] =>
  Array.from({ length: T * Z * C }, (_, i) => value(Math.floor(i / (Z * C)), Math.floor(i / C) % Z, i % C));

function planes(sizes: Sizes, say: Saying): string {
  return each(sizes, (t, z, c) => `<Plane TheC="${c}" TheZ="${z}" TheT="${t}" ${say(t, z, c)}/>`).join('');
}

const document = ({ T = 1, Z = 1, C = 1 }: Sizes, pixels: string, inside: string) =>
  '<OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06"><Image ID="Image:0" Name="a"><Pixels ID="Pixels:0" ' +
  `Type="uint16" SizeX="4" SizeY="3" SizeC="${C}" SizeZ="${Z}" SizeT="${T}" DimensionOrder="XYCZT" ${pixels}>` +
  `${'<Channel SamplesPerPixel="1"/>'.repeat(C)}${inside}</Pixels></Image></OME>`;

const tiff = (name: string, pages: number, tags: Parameters<typeof countingPage>[1]) => {
  const path = join(folder, name);
  const written = Array.from({ length: pages }, (_, i) => countingPage(i, i === 0 ? tags : []));
  writeFileSync(path, writeTiff({ pages: written }));
  return path;
};

function ome(name: string, sizes: Sizes, pixels: string, say: Saying | string): string {
  const text = typeof say === 'string' ? say : planes(sizes, say);
  const xml = description(document(sizes, pixels, `<TiffData/>${text}`));
  return tiff(`${name}.ome.tif`, each(sizes, () => 0).length, [xml]);
}

async function zarr(name: string, { T = 1, Z = 1, C = 1 }: Sizes, say: Saying): Promise<string> {
  const axes = [axis('t', 'second'), axis('c'), axis('z', 'micrometer'), axis('y'), axis('x')];
  const shape = [T, C, Z, 2, 3];
  const image = { version: 2 as const, path: '0', type: 'uint16' as const, shape, chunks: shape, axes, value: () => 1 };
  const files = await imageFiles({ ...image, scale: [2, 1, 2, 1, 1] });
  for (const [key, bytes] of groupFiles(2, '', { 'bioformats2raw.layout': 3 })) files.set(key, bytes);
  const xml = document({ T, Z, C }, '', `<MetadataOnly/>${planes({ T, Z, C }, say)}`);
  return writeStore(join(folder, `${name}.zarr`), files.set('OME/METADATA.ome.xml', Buffer.from(xml)));
}

const at = (z: number) => `PositionZ="${z}" PositionZUnit="µm"`;

describe('depths that contradict each other', () => {
  const bidi = (t: number, z: number) => 2 * (t % 2 === 0 ? z : 2 - z);

  it('of volumes that run back are said, and the planes stay in their sections', async () => {
    const sizes = { T: 3, Z: 3, C: 2 };
    for (const path of [
      ome('bidi', sizes, 'PhysicalSizeZ="2"', (t, z) => at(bidi(t, z))),
      ome('bidi-nounit', sizes, 'PhysicalSizeZ="2"', (t, z) => `PositionZ="${bidi(t, z)}"`),
      await zarr('bidi', sizes, (t, z) => at(bidi(t, z))),
    ]) {
      const { warnings, columns, Z, opened } = await open(path);
      expect(warnings).toMatch(
        /^The positions \(PositionZ\) of T = 1 run in another order\. Planes stay in the sections/,
      );
      expect(Z).toEqual([2, 'micrometer']);
      expect(columns.z).toEqual(each(sizes, (t, z) => bidi(t, z)));
      if (path.endsWith('.zarr')) continue;
      const plane = await fetch(`${server.url}${opened.channels[0]!.dataUrl}?T=1&Z=0`);
      expect(new Float32Array(await plane.arrayBuffer())[0]).toBe(6 * 12);
    }
  });

  it('of sections that are shuffled, or drift, are said', async () => {
    const shuffled = [
      [0, 2, 4],
      [2, 0, 4],
      [0, 4, 2],
    ];
    const sizes = { T: 3, Z: 3 };
    const order = await open(ome('shuffle', sizes, 'PhysicalSizeZ="2"', (t, z) => at(shuffled[t]![z]!)));
    expect(order.warnings).toContain('of 2 of 3 time points, the first T = 1 run in another order');
    const drift = await open(ome('drift', sizes, 'PhysicalSizeZ="2"', (t, z) => at(2 * z + 5 * t)));
    expect(drift.warnings).toMatch(/Sections are at other depths .* Z = 0 at T = 2 is 10 µm from where it was first/);
    const steady = await open(ome('steady', sizes, 'PhysicalSizeZ="2"', (t, z) => at(2 * z + 0.05 * t)));
    expect(steady.warnings).toBe('');
  });

  it('of channels are said', async () => {
    const path = ome('channels', { Z: 3, C: 2 }, 'PhysicalSizeZ="2"', (_, z, c) => at(2 * z + 50 * c));
    expect((await open(path)).warnings).toMatch(
      /^Channels are at different depths: .* Z = 0 of C = 1 is 50 µm from that of C = 0/,
    );
  });

  it('are not said of an axis that became another one', async () => {
    const path = ome('other-axis', { T: 2, Z: 3 }, 'PhysicalSizeZ="2"', (t, z) => at(bidi(t, z)));
    expect((await open(path, { interpret: { axes: { T: 6 } } })).warnings).not.toContain('another order');
  });
});

describe('columns of planes', () => {
  const sizes = { T: 4, Z: 3 };
  const own = { time: each(sizes, (t, z) => 30 * t + 8 * z), z: each(sizes, (t, z) => 2 * z + 11 * t) };

  it('have what OME-Zarr says of each plane in its OME-XML', async () => {
    const say: Saying = (t, z) =>
      `DeltaT="${30 * t + 8 * z}" ExposureTime="0.5" PositionX="7" PositionXUnit="µm" ${at(2 * z + 11 * t)}`;
    const { columns } = await open(await zarr('planes', sizes, say));
    expect(columns).toMatchObject({ ...own, exposure: each(sizes, () => 0.5), x: each(sizes, () => 7) });
  });

  it('have positions without a unit where these make the Z axis', async () => {
    const say: Saying = (t, z) => `DeltaT="${30 * t + 8 * z}" PositionZ="${2 * z + 11 * t}"`;
    expect((await open(ome('nounit', sizes, 'PhysicalSizeZ="2"', say))).columns).toMatchObject(own);
    expect((await open(ome('useless', sizes, 'PhysicalSizeZ="5"', say))).columns).not.toHaveProperty('z');
  });

  it('and axes have the first of planes that are listed twice, with a warning', async () => {
    const plane = (t: number, time: number) => `<Plane TheC="0" TheZ="0" TheT="${t}" DeltaT="${time}"/>`;
    const text = [plane(0, 0), plane(1, 1), plane(2, 2), plane(1, 99), plane(2, 2)].join('');
    const { columns, warnings, T } = await open(ome('twice', { T: 3 }, '', text));
    expect([columns.time, T]).toEqual([
      [0, 1, 2],
      [1, 'seconds'],
    ]);
    expect(warnings).toBe('1 plane is listed again with other time stamps (DeltaT). The first of each was used.');
  });
});

describe('times that contradict each other', () => {
  const uneven = [0, 5, 10, 40];

  it('are those of the first channel and section that has some', async () => {
    const second: Saying = (t, _, c) => (c === 1 ? `DeltaT="${uneven[t]}"` : '');
    const middle: Saying = (t, z) => (z === 1 ? `DeltaT="${uneven[t]}"` : '');
    for (const [path, where] of [
      [ome('second', { T: 4, C: 2 }, 'TimeIncrement="1"', second), 'C = 1, Z = 0'],
      [ome('middle', { T: 4, Z: 3 }, 'TimeIncrement="1"', middle), 'C = 0, Z = 1'],
      [await zarr('second', { T: 4, C: 2 }, second), 'C = 1, Z = 0'],
    ] as const) {
      const { T, coordinates, warnings } = await open(path);
      expect(T).toEqual([40 / 3, 'seconds']);
      expect(coordinates?.T).toMatchObject({ uneven: true, source: `time stamps (DeltaT) of ${where}` });
      expect(warnings).toContain('are 13.33 s apart. Showing 13.33 s');
    }
  });

  it('are said when channels run at different rates, not when they follow each other', async () => {
    const differ = await open(ome('rates', { T: 4, C: 2 }, '', (t, _, c) => `DeltaT="${t * (c === 0 ? 2 : 3)}"`));
    expect(differ.warnings).toMatch(/C = 1, Z = 0 do not run as those of C = 0, Z = 0.*T = 3 they are 3 s later/);
    const follow = await open(ome('follow', { T: 4, C: 2 }, '', (t, _, c) => `DeltaT="${2 * t + 0.8 * c}"`));
    expect(follow.warnings).toBe('');
  });

  it('and values that are not numbers or steps are said', async () => {
    const text = await open(ome('text', { T: 3 }, 'TimeIncrement="5"', (t) => `DeltaT="${'abc'[t]}"`));
    expect([text.T, text.warnings]).toEqual([
      [5, 'seconds'],
      'OME DeltaT: "a" is not a number; such values were ignored.',
    ]);
    const negative = await open(ome('negative', { T: 3 }, 'TimeIncrement="-5"', () => ''));
    expect(negative.warnings).toBe('OME TimeIncrement: -5 is not a valid step; it was ignored.');
  });
});

describe('labels of an ImageJ stack', () => {
  const stack = (name: string, { T = 1, Z = 1, C = 1 }: Sizes, label: (t: number, z: number, c: number) => string) => {
    const labels = each({ T, Z, C }, label);
    const text = `ImageJ=1.54f\nimages=${labels.length}\nchannels=${C}\nslices=${Z}\nframes=${T}\nunit=um\nspacing=2\nfinterval=10\n`;
    return tiff(`${name}.tif`, labels.length, [description(text), ...imageJTags({ labels })]);
  };

  it('say the time and depth of each plane, and depths that run back or drift are said', async () => {
    const sizes = { T: 3, Z: 2 };
    const depth = (t: number, z: number) => 2 * (t % 2 === 0 ? z : 1 - z);
    const back = await open(stack('labels-bidi', sizes, (t, z) => `t=${10 * t + 3 * z} s z=${depth(t, z)} µm`));
    expect(back.columns).toMatchObject({ time: each(sizes, (t, z) => 10 * t + 3 * z), z: each(sizes, depth) });
    expect(back.warnings).toMatch(/^The positions in the slice labels of T = 1 run in another order\./);
    const drift = await open(stack('labels-drift', sizes, (t, z) => `t=${10 * t} s z=${2 * z + 7 * t} µm`));
    expect(drift.warnings).toMatch(/^Sections are at other depths.* T = 2 is 14 µm from where it was first\.$/);
  });

  it('count when the first plane has no time', async () => {
    const path = stack('labels-late', { T: 4, C: 2 }, (t, _, c) => (c === 1 ? `b t=${t * t} s` : 'a'));
    const { T, columns, warnings } = await open(path);
    expect(T).toEqual([3, 'seconds']);
    expect(columns.time).toEqual([null, 0, null, 1, null, 4, null, 9]);
    expect(warnings).toContain(
      'ImageJ finterval says 10 s, but the times in the slice labels of C = 1, Z = 0 are 3 s apart',
    );
  });

  it.each([
    [3, '5000 per cm), a pixel would be 2 µm wide'],
    [2, '5000 per inch), a pixel would be 5.08 µm wide'],
    [1, undefined],
  ])('without a unit beside resolution tags (ResolutionUnit %i) say what these would mean', async (unit, said) => {
    const tags = [
      { code: 282, type: 5, values: [5000, 1] },
      { code: 283, type: 5, values: [5000, 1] },
      { code: 296, type: 3, values: [unit] },
    ];
    const { warnings } = await open(tiff(`unit-${unit}.tif`, 2, [description('ImageJ=1.54f\nimages=2\n'), ...tags]));
    expect(warnings).toEqual(said === undefined ? '' : expect.stringContaining(said));
  });

  it('and an interval below 0 is said', async () => {
    const text = 'ImageJ=1.54f\nimages=3\nframes=3\nfinterval=-2\n';
    const { warnings, T } = await open(tiff('negative.tif', 3, [description(text)]));
    expect([T, warnings]).toEqual([
      [1, 'Frames'],
      'ImageJ finterval: -2 sec is not a valid step; the axis is in Frames',
    ]);
  });
});

describe('exports, opened again', () => {
  const values = (session: OpenResponse, name: string) =>
    fetch(`${server.url}/api/v2/sessions/${session.sessionId}/coordinates?axis=${name}`)
      .then((response) => response.json())
      .then((body) => (body as { axes: Record<string, { values: number[] }> }).axes[name]?.values);
  const pausing = [0, 0.001, 0.002, 0.003, 5, 5.001];
  const lines = () => {
    const scans = Array.from({ length: 6 }, (_, i) => ({ ...countingPage(i), height: 1, samples: new Uint16Array(4) }));
    const xml = document({ T: 6 }, '', `<TiffData/>${planes({ T: 6 }, (t) => `DeltaT="${pausing[t]}"`)}`).replace(
      'SizeY="3"',
      'SizeY="1"',
    );
    const pages = scans.map((page, i) => (i === 0 ? { ...page, tags: [description(xml)] } : page));
    const path = join(folder, 'lines.ome.tif');
    writeFileSync(path, writeTiff({ pages }));
    return path;
  };

  it('as OME-Zarr have the uneven times and depths of axes and planes', async () => {
    const sizes = { T: 4, Z: 3, C: 2 };
    const [time, depth] = [
      [0, 1, 2, 30],
      [0, 2, 9],
    ];
    const say: Saying = (t, z, c) => `DeltaT="${time[t]! + 0.25 * c}" ExposureTime="0.5" ${at(depth[z]!)}`;
    const source = await open(ome('uneven', sizes, '', say));
    const copy = await open(
      await exportTo(folder, 'uneven.ome.zarr', { path: join(folder, 'uneven.ome.tif'), format: 'ome-zarr' }),
    );
    expect(copy.coordinates).toEqual(source.coordinates);
    expect(await values(copy.opened, 'T')).toEqual(time);
    expect(await values(copy.opened, 'Z')).toEqual(depth);
    expect(copy.columns).toEqual(source.columns);
    expect(copy.warnings).toContain('1 s to 28 s apart');
  });

  it('as OME-Zarr have the times of lines, unless these are of another length', async () => {
    const path = await exportTo(folder, 'lines.ome.zarr', { path: lines(), format: 'ome-zarr' });
    const copy = await open(path);
    expect(copy.coordinates?.['Y']).toMatchObject({ uneven: true, unit: 'seconds' });
    expect(await values(copy.opened, 'Y')).toEqual(pausing);
    const file = join(path, 'zarr.json');
    const text = JSON.parse(readFileSync(file, 'utf8'));
    text.attributes.acquisition_store.coordinates.Y.values.pop();
    writeFileSync(file, JSON.stringify(text));
    const cut = await open(path);
    expect(cut.coordinates).toBeUndefined();
    expect(cut.warnings).toBe(
      'The coordinates of Y in acquisition_store were ignored: they have 5 values for 6 indices.',
    );
  });

  it.each([
    ['ome-tiff', 'OME-TIFF'],
    ['imagej', 'ImageJ'],
  ] as const)('as %s say that the times of lines are lost', async (format, name) => {
    const { notes } = await runExport(folder, `lines.${format}.tif`, { path: lines(), format });
    expect(notes.join()).toContain(`the lines are not evenly spaced in time, and ${name} has no place for their times`);
  });
});
