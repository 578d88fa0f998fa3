import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenResponse } from '../../packages/client/src/contract/open.js';
import type { RunningServer } from '../../packages/server/src/server/listen.js';
import { plane as brukerPlane, lineScan, NAME, planeName, sample, series } from '../support/bruker.js';
import { Cli } from '../support/cli.js';
import { frames, referencePlane } from '../support/oif.js';
import { stack as zarrStack } from '../support/ome-zarr.js';
import { openOk } from '../support/open.js';
import { describeWithSamples, samplePath } from '../support/samples.js';
import { createServer } from '../support/server.js';
import { tempFolder } from '../support/temp.js';
import { countingPage, description } from '../support/tiff-cases.js';
import { writeBruker } from '../writers/bruker.js';
import { writeCziSet } from '../writers/czi.js';
import { stack as cziStack, stackSample } from '../writers/czi-kinds.js';
import { writeOif } from '../writers/oif.js';
import { writeOirSet } from '../writers/oir.js';
import { timeSeries } from '../writers/oir-kinds.js';
import { kymographSections, olympusText } from '../writers/olympus.js';
import { omeXml, tiffData } from '../writers/ome.js';
import { groupFiles, imageFiles, writeStore } from '../writers/ome-zarr.js';
import { writeTiff } from '../writers/tiff.js';

const root = tempFolder();
let server: RunningServer;
let cli: Cli;
beforeAll(async () => {
  // Two planes fit: others are decoded again when they are asked for.
  const options = { port: 0, stateDir: root, decodeWorkers: 1 };
  server = await createServer({ ...options, memoryBudgetBytes: 2 * 512 * 512 * 4 });
  cli = new Cli();
});
afterAll(async () => {
  await server.close();
  await cli.close();
});

async function open(path: string, selection?: Record<string, number>): Promise<OpenResponse> {
  return openOk(server.url, { path, channelIndices: [0], ...(selection ? { selection } : {}) });
}

async function plane({ channels }: OpenResponse): Promise<Float32Array> {
  const response = await fetch(server.url + channels[0]?.dataUrl);
  return new Float32Array(await response.arrayBuffer());
}

function place(folder: string, files: Record<string, Uint8Array | string>): void {
  for (const [name, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(root, folder, name)), { recursive: true });
    writeFileSync(join(root, folder, name), bytes);
  }
}

/** A set of six OME-TIFFs: two positions of three times each. */
function omeSet(folder: string): void {
  const reference = (p: number, t: number) => ({ name: `p${p}_t${t}.ome.tif`, uuid: `urn:uuid:${p}${t}` });
  const image = (p: number) => ({
    sizes: { X: 5, Y: 3, Z: 1, C: 1, T: 3 },
    children: [0, 1, 2].map((t) => tiffData({ IFD: 0, FirstT: t }, reference(p, t))),
  });
  for (const p of [0, 1]) {
    for (const t of [0, 1, 2]) {
      const xml = omeXml({ uuid: reference(p, t).uuid, images: [image(0), image(1)] });
      place(folder, { [`p${p}_t${t}.ome.tif`]: writeTiff({ pages: [countingPage(10 * p + t, [description(xml)])] }) });
    }
  }
}

/** A FluoView export of 3 times × 2 sections, a file each, with its text file. */
function olympusSet(folder: string): void {
  const sections = {
    ...kymographSections(),
    General: { 'Scan Mode': 'XYZT' },
    Image: { 'Primary Dimensions': 'X * Y', 'Image Size': '5 * 3 [pixel]' },
    Dimensions: {
      'X Dimension': '5, 0.0 - 1.000 [um], 0.200 [um/pixel]',
      'Channel Dimension': '1 [Ch]',
      'Z Dimension': '2, 0.0 - 1.500 [um], 1.50 [um/slice]',
      'T Dimension': '3, 0.000 - 4.000 [s], Interval FreeRun',
    },
  };
  place(folder, { 'cell.txt': olympusText({ sections }) });
  for (const t of [1, 2, 3]) {
    for (const z of [1, 2]) {
      const samples = new Uint16Array(15).fill(10 * t + z);
      place(folder, { [`cell_C001Z00${z}T00${t}.tif`]: writeTiff({ pages: [{ width: 5, height: 3, samples }] }) });
    }
  }
}

interface Case {
  what: string;
  /** Puts the files below `root` into the folder; returns the path of the part. */
  write(folder: string): string | Promise<string>;
  selection: Record<string, number>;
  /** First sample of channel 0. */
  first: number;
}

const CASES: Case[] = [
  {
    what: 'a Prairie View TIFF of cycle 2',
    write: (folder) => {
      writeBruker(join(root, folder), lineScan(3, [1, 2]));
      return planeName(2, 2);
    },
    selection: { S: 1 },
    first: sample(2, 1, 1, 0, 0),
  },
  {
    what: 'a Prairie View TIFF of frame 3 of cycle 2',
    write: (folder) => {
      const spec = series('TSeries Timed Element', 4, 2);
      writeBruker(join(root, folder), spec);
      return planeName(2, 2, 3, spec.name);
    },
    selection: { S: 1, T: 2 },
    first: sample(2, 1, 3, 0, 0),
  },
  {
    what: 'a Prairie View TIFF of section 3 of the second Z series',
    write: (folder) => {
      const spec = series('ZSeries', 4, 2);
      writeBruker(join(root, folder), spec);
      return planeName(2, 1, 3, spec.name);
    },
    selection: { T: 1, Z: 2 },
    first: sample(2, 1, 3, 0, 0),
  },
  {
    what: 'a plane of an OIF',
    write: (folder) => {
      mkdirSync(join(root, folder));
      writeOif(join(root, folder), frames());
      return 'stack.oif.files/s_C002Z003T002.tif';
    },
    selection: { T: 1, Z: 2 },
    first: 140,
  },
  {
    what: 'the properties of a plane of an OIF',
    write: (folder) => {
      mkdirSync(join(root, folder));
      writeOif(join(root, folder), frames());
      return 'stack.oif.files/s_C001Z002T002.pty';
    },
    selection: { T: 1, Z: 1 },
    first: 120,
  },
  {
    what: 'an OME-TIFF of a set',
    write: (folder) => {
      omeSet(folder);
      return 'p1_t2.ome.tif';
    },
    selection: { S: 1, T: 2 },
    first: 144,
  },
  {
    what: 'a continuation of an OIR, without an extension',
    write: (folder) => {
      const spec = timeSeries(6, 6);
      const [main, part] = writeOirSet(spec, [4, 2]) as [Uint8Array, Uint8Array];
      place(folder, { 'rec.oir': main, rec_00001: part });
      return 'rec_00001';
    },
    selection: { T: 4 },
    first: timeSeries(6, 6).sample(0, { t: 4, z: 0, lambda: 0 }, 0, 0),
  },
  {
    what: 'a continuation of an OIR, with its extension',
    write: (folder) => {
      const [main, part] = writeOirSet(timeSeries(6, 6), [3, 3]) as [Uint8Array, Uint8Array];
      place(folder, { 'rec.oir': main, 'rec_00001.oir': part });
      return 'rec_00001.oir';
    },
    selection: { T: 3 },
    first: timeSeries(6, 6).sample(0, { t: 3, z: 0, lambda: 0 }, 0, 0),
  },
  {
    what: 'a continuation of a CZI',
    write: (folder) => {
      const spec = cziStack(2, 2);
      const blocks = spec.blocks.map((block, i) => ({ ...block, part: i >> 1 }));
      const parts = writeCziSet({ ...spec, blocks });
      const names = ['big.czi', ...[1, 2, 3].map((n) => `big (${n}).czi`)];
      place(folder, Object.fromEntries(names.map((name, i) => [name, parts[i] as Uint8Array])));
      return 'big (3).czi';
    },
    selection: { T: 1, Z: 1 },
    first: stackSample({ c: 0, t: 1, z: 1 }, 0, 0),
  },
  {
    what: 'a file of a split FluoView export',
    write: (folder) => {
      olympusSet(folder);
      return 'cell_C001Z002T003.tif';
    },
    selection: { T: 2, Z: 1 },
    first: 32,
  },
  {
    what: 'a chunk of an OME-Zarr',
    write: async (folder) => {
      writeStore(join(root, folder, 'a.ome.zarr'), await imageFiles(zarrStack()));
      return 'a.ome.zarr/0/c/1/0/1/0/0';
    },
    selection: { T: 1, Z: 1 },
    first: zarrSample([1, 0, 1, 0, 0]),
  },
  {
    what: 'the document of a field of a plate',
    write: async (folder) => {
      const fields = ['A/1/0', 'B/2/0', 'B/2/1'].map((path) => imageFiles(zarrStack({ version: 2, path })));
      const files = new Map([
        ...groupFiles(2, '', { plate: { wells: [{ path: 'A/1' }, { path: 'B/2' }] } }),
        ...groupFiles(2, 'A/1', { well: { images: [{ path: '0' }] } }),
        ...groupFiles(2, 'B/2', { well: { images: [{ path: '0' }, { path: '1' }] } }),
        ...(await Promise.all(fields)).flatMap((field) => [...field]),
      ]);
      writeStore(join(root, folder, 'plate.zarr'), files);
      return 'plate.zarr/B/2/1/.zattrs';
    },
    selection: { S: 2, T: 0, Z: 0 },
    first: zarrSample([0, 0, 0, 0, 0]),
  },
];

function zarrSample(index: number[]): number {
  return Number(zarrStack().value(index));
}

describe('naming a file opens its plane', () => {
  it.each(CASES.map((one, i) => [one.what, one, `case-${i}`] as const))(
    'for %s',
    async (_, { write, ...wanted }, folder) => {
      const path = join(root, folder, await write(folder));
      const answer = await open(path);
      expect(answer.selection).toEqual(wanted.selection);
      expect(answer.warnings.filter((one) => /contains no plane of/.test(one))).toEqual([]);
      const shown = await plane(answer);
      expect(shown[0]).toBe(wanted.first);
      // The same plane by the acquisition itself: the response says how.
      const again = await open(answer.source.path, answer.selection);
      expect(await plane(again)).toEqual(shown);
      // On the command line as on the server.
      const { stdout } = await cli.run(['inspect', path, '--json']);
      expect(JSON.parse(stdout).selection).toEqual(wanted.selection);
    },
  );
});

describe('a named file', () => {
  const cycles = (folder: string): string => {
    writeBruker(join(root, folder), series('TSeries Timed Element', 4, 3));
    return join(root, folder, planeName(2, 1, 3, series('', 1).name));
  };

  it('is overridden by the selection of the request, per dimension', async () => {
    const path = cycles('explicit');
    expect((await open(path, { T: 0 })).selection).toEqual({ S: 1, T: 0 });
    expect((await open(path, { S: 1 })).selection).toEqual({ S: 1, T: 2 });
    // It says nothing about another cycle.
    expect((await open(path, { S: 0 })).selection).toEqual({ S: 0, T: 0 });
    const { stdout } = await cli.run(['inspect', path, '--time', '1', '--json']);
    expect(JSON.parse(stdout).selection).toEqual({ S: 1, T: 1 });
  });

  it('stays the plane of its session when planes are decoded again', async () => {
    const path = join(root, 'again', 'p1_t2.ome.tif');
    omeSet('again');
    const named = await open(path);
    const first = await open(path, { S: 0, T: 0 });
    // Fills the memory of the server: the planes of both sessions are dropped.
    const samples = new Uint16Array(512 * 512).fill(7);
    place('again', { 'large.tif': writeTiff({ pages: [{ width: 512, height: 512, samples }] }) });
    for (let i = 0; i < 2; i++) await open(join(root, 'again', 'large.tif'));
    expect((await plane(named))[0]).toBe(144);
    expect((await plane(first))[0]).toBe(0);
  });

  it.each([
    ['a reference image of an OIF', 'stack.oif.files/s_C001-R001.tif', 's_C001-R001.tif'],
    ['a thumbnail of an OIF', 'stack.oif.files/s_Thumb.bmp', 's_Thumb.bmp'],
  ])('gets a warning when it contains no plane: %s', async (_, part, name) => {
    mkdirSync(join(root, name));
    writeOif(join(root, name), frames({ references: [referencePlane('C001-R001', 500)] }));
    const { selection, warnings } = await open(join(root, name, part));
    expect(selection).toEqual({ T: 0, Z: 0 });
    expect(warnings).toContain(`${name}: this file contains no plane of stack.oif. Showing the first plane.`);
  });

  it('gets a warning when the XML of the recording does not list it', async () => {
    const spec = lineScan(2, [1]);
    writeBruker(join(root, 'stray'), { ...spec, planes: [...spec.planes, brukerPlane(9, 1)] });
    const { selection, warnings } = await open(join(root, 'stray', planeName(9, 1)));
    expect(selection).toEqual({ S: 0 });
    const text = `${planeName(9, 1)}: this file contains no plane of ${NAME}.xml. Showing the first plane.`;
    expect(warnings).toContain(text);
  });

  it('gets a warning when the OME-XML lists no plane in it', async () => {
    omeSet('copy');
    const xml = omeXml({ images: [{ sizes: { X: 5, Y: 3 }, children: [tiffData({}, { name: 'p0_t0.ome.tif' })] }] });
    place('copy', { 'x.ome.tif': writeTiff({ pages: [countingPage(3, [description(xml)])] }) });
    const { warnings } = await open(join(root, 'copy', 'x.ome.tif'));
    expect(warnings).toContain(
      'x.ome.tif: the OME-XML does not list any plane in this file. Showing the first plane of the set.',
    );
  });
});

describeWithSamples('real files that are parts', () => {
  it.each([
    ['oif/wisstock+trans_scripts/01_21_21/cell3/cell3_01.oif.files/s_C001T007.tif', { T: 6 }],
    [
      'bruker/swharden+ScanAGator/LineScan-08092022-1225-528/LineScan-08092022-1225-528_Cycle00003_Ch2_000001.ome.tif',
      { S: 2 },
    ],
    ['tiff-ome/hms-dbmi+viv/data/multifile-Z4.ome.tiff', { Z: 3 }],
    ['tiff-ome/ome+bioformats/2015-01/set-1-meta-companion/18x24y5z1t1c8b-text-split-Z3.ome.tiff', { Z: 2 }],
  ])('%s', async (path, selection) => {
    const answer = await open(samplePath(path));
    expect(answer.selection).toMatchObject(selection);
    const { stdout } = await cli.run(['inspect', samplePath(path), '--json']);
    expect(JSON.parse(stdout).selection).toEqual(answer.selection);
  });
});
