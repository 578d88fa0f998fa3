/** Samples that float32 cannot hold, and steps that cannot be of a light microscope: the open response says so. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenResponse } from '../../packages/client/src/contract/open.js';
import type { SampleArray } from '../../packages/readers/src/model/samples/types.js';
import type { RunningServer } from '../../packages/server/src/server/listen.js';
import { postOpen } from '../support/open.js';
import { createServer } from '../support/server.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { countingPage, description } from '../support/tiff-cases.js';
import { writeTiff } from '../writers/tiff.js';

const folder = tempFolder();
let server: RunningServer;
beforeAll(async () => {
  server = await createServer({ port: 0, stateDir: folder, decodeWorkers: 2 });
});
afterAll(() => server.close());

let files = 0;
function tiff(data: SampleArray, more: object = {}): string {
  return writeTemp(folder, `${++files}.tif`, writeTiff({ pages: [{ width: 2, height: 2, samples: data, ...more }] }));
}

async function open(path: string, request: object = {}): Promise<string[]> {
  const [status, opened] = await postOpen<OpenResponse>(server.url, { path, ...request });
  expect(status).toBe(200);
  return opened.warnings;
}

const exact = (stored: string, served: string) =>
  `Some samples are not exact: planes are served as float32, in which ${stored} is ${served}. Data in the type of the file are unchanged.`;

describe('samples that float32 cannot hold', () => {
  it.each([
    ['uint32', Uint32Array.of(0, 16_777_217, 16_777_216, 4_294_967_295), exact('16,777,217', '16,777,216')],
    ['int32', Int32Array.of(0, -16_777_217, 1, 2), exact('-16,777,217', '-16,777,216')],
    ['float64', Float64Array.of(0.1, 1e-300, 1e300, Number.NaN), exact('1e+300', 'infinite')],
    ['float64', Float64Array.of(0.5, 0.1, 3, -1), exact('0.1', '0.10000000149011612')],
  ])('are named when they are decoded: %s', async (_, data, warning) => {
    const path = tiff(data);
    expect(await open(path)).toEqual([warning]);
    // The planes of the first session are shared.
    expect(await open(path)).toEqual([warning]);
  });

  it.each([
    Uint32Array.of(0, 16_777_216, 4_294_967_040, 7),
    Float64Array.of(0.5, Number.NaN, Number.POSITIVE_INFINITY, -0),
    Uint16Array.of(1, 2, 3, 65_535),
  ])('are not claimed where there are none: %s', async (data) => {
    expect(await open(tiff(data))).toEqual([]);
  });

  it('are possible by the type of planes that are decoded later', async () => {
    const later = { decode: 'later' };
    expect(await open(tiff(Uint32Array.of(0, 1, 2, 3)), later)).toEqual([
      'Samples are uint32. Planes are served as float32, which holds whole numbers exactly only up to 16,777,216: larger ones will be rounded.',
    ]);
    expect(await open(tiff(Float64Array.of(0, 1, 2, 3)), later)).toEqual([
      'Samples are float64. Planes are served as float32, which keeps about seven digits and numbers up to 3.4e38.',
    ]);
    expect(await open(tiff(Uint16Array.of(0, 1, 2, 3)), later)).toEqual([]);
  });
});

describe('steps that cannot be of a light microscope', () => {
  const ome = (x: number, y: number, t: number) => {
    const pixels =
      `<Pixels DimensionOrder="XYZCT" Type="uint16" SizeX="4" SizeY="3" SizeZ="1" SizeC="1" SizeT="2" PhysicalSizeX="${x}" ` +
      `PhysicalSizeY="${y}" TimeIncrement="${t}"><Channel SamplesPerPixel="1"/><TiffData/></Pixels>`;
    const text = `<?xml version="1.0"?><OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06"><Image>${pixels}</Image></OME>`;
    const pages = [countingPage(0, [description(text)]), countingPage(1)];
    return writeTemp(folder, `${++files}.ome.tif`, writeTiff({ pages }));
  };

  it('are served with a warning that asks for a look', async () => {
    const unusual = 'which is unusual for a light microscope. Check the calibration.';
    expect(await open(ome(0.0005, 20_000, 1e-7))).toEqual([
      `T step: 1e-7 s is below 1 µs, ${unusual}`,
      `Y step: 20000 µm is above 1 cm, ${unusual}`,
      `X step: 0.0005 µm is below 1 nm, ${unusual}`,
    ]);
    expect(await open(ome(0.5, 0.5, 700_000))).toEqual([`T step: 700000 s is above a week, ${unusual}`]);
    expect(await open(ome(0.001, 10_000, 604_800))).toEqual([]);
  });
});
