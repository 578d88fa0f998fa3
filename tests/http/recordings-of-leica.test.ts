/** Series that Leica's software exports as TIFF files, on a real server. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openOk } from '../support/open.js';
import { createServer, type RunningServer } from '../support/server.js';
import { tempFolder } from '../support/temp.js';
import { countingPage } from '../support/tiff-cases.js';
import { imageXml, type LifImageSpec } from '../writers/lif.js';
import { type TagSpec, writeTiff } from '../writers/tiff.js';

const root = tempFolder();
let server: RunningServer;
beforeAll(async () => {
  server = await createServer({ port: 0, decodeWorkers: 1, stateDir: root });
});
afterAll(() => server.close());

let folders = 0;
function write(files: Record<string, Uint8Array | string>): (name: string) => string {
  const folder = join(root, `case-${folders++}`);
  for (const [name, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), bytes);
  }
  return (name) => join(folder, name);
}

const plain = (index: number, tags: TagSpec[] = []) => writeTiff({ pages: [countingPage(index, tags)] });
const two = (number: number) => String(number).padStart(2, '0');

/** 2024-06-03 10:00:00 UTC, in 100 ns since 1601. */
const START = 133_618_824_000_000_000n;

/** Two time points 1.5 s apart, three sections 0.5 µm apart, two channels; pixels of 0.2 µm. */
function xml(more: Partial<LifImageSpec> = {}): string {
  const stamps = Array.from({ length: 12 }, (_, i) => START + BigInt(Math.floor(i / 6)) * 15_000_000n);
  const image: LifImageSpec = {
    name: '',
    data: new Uint8Array(),
    channels: [
      { bytesInc: 0, resolution: 16, dye: 'Leica/ALEXA 488' },
      { bytesInc: 24, resolution: 16, lut: 'Red' },
    ],
    dimensions: [
      { id: 1, count: 4, length: '6.0e-7', bytesInc: 2 },
      { id: 2, count: 3, length: '4.0e-7', bytesInc: 8 },
      { id: 3, count: 3, length: '-1.0e-6', bytesInc: 48 },
      { id: 4, count: 2, length: '1.5', unit: 's', bytesInc: 144 },
    ],
    stamps: stamps.map((stamp) => stamp.toString(16)),
    ...more,
  };
  return `<?xml version="1.0"?><Data>${imageXml(image)}</Data>`;
}

function exported(stem: string, infix = ''): Record<string, Uint8Array | string> {
  const files: Record<string, Uint8Array | string> = {};
  for (let index = 0; index < 12; index++) {
    const [t, z, c] = [Math.floor(index / 6), Math.floor(index / 2) % 3, index % 2];
    files[`${stem}_t${two(t)}_z${two(z)}${infix}_ch${two(c)}.tif`] = plain(index);
  }
  return files;
}

async function firstSample(address: string): Promise<number> {
  const response = await fetch(server.url + address);
  expect(response.status, await response.clone().text()).toBe(200);
  return new Float32Array(await response.arrayBuffer())[0]!;
}

describe('an exported image of Leica', () => {
  it.each([
    ['Series001', ''],
    // Numbers in the name of the image count nothing, though they have letters in front of them.
    ['Project T2_Series001 Pos007_S001', '_RAW'],
  ])('is known by its XML, and calibrated by it: %s', async (stem, infix) => {
    const path = write({
      ...exported(stem, infix),
      [`MetaData/${stem}.xml`]: xml(),
      [`MetaData/${stem}_Properties.xml`]: '',
    });
    const name = `${stem}_t01_z02${infix}_ch01.tif`;
    const one = await openOk(server.url, { path: path(name) });
    const recording = {
      parts: 12,
      part: 11,
      along: ['T', 'Z', 'C'],
      evidence: 'master file',
      master: `MetaData/${stem}.xml`,
    };
    expect([one.source.recording, one.header.dims]).toEqual([recording, ['C', 'Y', 'X']]);
    const opened = await openOk(server.url, { path: path(name), parts: 'all' });
    expect([opened.source.recording, opened.warnings]).toEqual([recording, []]);
    expect(opened.header.sizes).toEqual({ C: 2, T: 2, Z: 3, Y: 3, X: 4 });
    expect(opened.channels.map(({ name: channel }) => channel)).toEqual(['ALEXA 488', 'Red']);
    expect(opened.header.physicalUnits.map((unit) => Number(unit.toFixed(9)))).toEqual([1, 1.5, 0.5, 0.2, 0.2]);
    expect([opened.header.date, opened.header.time]).toEqual(['20240603', expect.stringMatching(/^10:00:00/)]);
    for (const index of [0, 5, 6, 11])
      expect(
        await firstSample(
          `${opened.channels[index % 2]!.dataUrl}?T=${Math.floor(index / 6)}&Z=${Math.floor(index / 2) % 3}`,
        ),
      ).toBe(12 * index);
  });

  it('has the positions of the export as scenes', async () => {
    const files = Object.fromEntries([0, 1].map((s) => [`Tile_s0${s}_ch00.tif`, plain(s)]));
    const image = { channels: [{ bytesInc: 0, resolution: 16 }], stamps: [] };
    const dimensions = [
      { id: 1, count: 4, length: '6.0e-7', bytesInc: 2 },
      { id: 2, count: 3, length: '4.0e-7', bytesInc: 8 },
      { id: 10, count: 2, bytesInc: 24 },
    ];
    const path = write({ ...files, 'Metadata/Tile.xml': xml({ ...image, dimensions }) });
    const opened = await openOk(server.url, { path: path('Tile_s01_ch00.tif'), parts: 'all' });
    expect([opened.source.scenes?.length, opened.selection, opened.warnings]).toEqual([2, { S: 1 }, []]);
    expect(await firstSample(opened.channels[0]!.dataUrl)).toBe(12);
    expect(opened.header.physicalUnits.slice(-1)[0]).toBeCloseTo(0.2, 9);
  });

  it('is calibrated by the properties alone', async () => {
    const description = (letter: string, count: number, length: string, unit: string) =>
      `<DimensionDescription DimID="${letter}" NumberOfElements="${count}" Length="${length}" Unit="${unit}" Voxel="0.2"/>`;
    const properties =
      '<Data><Image><ImageDescription><Channels><ChannelDescription DataType="0" Resolution="16" LUTName="Green"/>' +
      '<ChannelDescription DataType="0" Resolution="16" LUTName="Red"/></Channels><Dimensions>' +
      `${description('X', 4, '0.60', 'µm')}${description('Y', 3, '0.40', 'µm')}${description('Z', 3, '1.00', 'µm')}` +
      `${description('T', 2, '1.500s', '')}</Dimensions></ImageDescription></Image></Data>`;
    const path = write({ ...exported('A'), 'A_Properties.xml': properties });
    const opened = await openOk(server.url, { path: path('A_t00_z00_ch00.tif'), parts: 'all' });
    expect(opened.source.recording?.master).toBe('A_Properties.xml');
    expect(opened.channels.map(({ name }) => name)).toEqual(['Green', 'Red']);
    expect(opened.header.physicalUnits.slice(2).map((unit) => Number(unit.toFixed(6)))).toEqual([0.5, 0.2, 0.2]);
  });

  it('says what the XML has more than there are files', async () => {
    const files = Object.fromEntries(Object.entries(exported('A')).filter(([name]) => !name.includes('_z02')));
    const path = write({ ...files, 'MetaData/A.xml': xml() });
    const { warnings, header } = await openOk(server.url, { path: path('A_t00_z00_ch00.tif'), parts: 'all' });
    expect(warnings).toEqual(['MetaData/A.xml describes 3 sections (Z), but there are files of 2.']);
    expect(header.physicalUnits[2]).toBeCloseTo(0.5, 9);
  });

  it('is joined by names only when the XML is of images of another size', async () => {
    const dimensions = [
      { id: 1, count: 8, length: '1e-6', bytesInc: 2 },
      { id: 2, count: 8, length: '1e-6', bytesInc: 16 },
    ];
    const path = write({ ...exported('A'), 'MetaData/A.xml': xml({ dimensions }) });
    const { warnings, source } = await openOk(server.url, { path: path('A_t00_z00_ch00.tif'), parts: 'all' });
    expect(source.recording?.evidence).toBe('names');
    expect(warnings).toEqual([
      expect.stringContaining('nothing in the files says'),
      'MetaData/A.xml describes images of another size: nothing in it was used.',
    ]);
  });

  it('ends its session when the XML changes', async () => {
    const path = write({ ...exported('A'), 'MetaData/A.xml': xml() });
    const request = { path: path('A_t00_z00_ch00.tif'), parts: 'all', decode: 'later' };
    const opened = await openOk(server.url, request);
    writeFileSync(path('MetaData/A.xml'), xml({ stamps: [] }));
    expect((await fetch(`${server.url}${opened.channels[0]!.dataUrl}?T=1`)).status).toBe(409);
    rmSync(path('MetaData/A.xml'));
    expect((await openOk(server.url, request)).source.recording?.evidence).toBe('names');
  });

  it.each([
    ['damaged', '<Data><Image><ImageDescription><Channels>'],
    ['of something else', '<html><body>ImageDescription</body></html>'],
    ['an image without sizes', '<Data><Image><ImageDescription><Dimensions/></ImageDescription></Image></Data>'],
    ['of endless sizes', xml({ dimensions: [{ id: 1, count: 2e9, length: '1', bytesInc: 1e300 }] })],
  ])('is joined by names when the XML is %s', async (_, text) => {
    const path = write({ ...exported('A'), 'MetaData/A.xml': text });
    const { source, header } = await openOk(server.url, { path: path('A_t00_z00_ch00.tif'), parts: 'all' });
    expect([source.recording?.evidence, header.sizes['T']]).toEqual(['names', 2]);
  });
});
