/** Planes on the axes that the caller gives them, on a real server. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PlaneTable } from '../../packages/client/src/contract/coordinates.js';
import { createClient } from '../../packages/client/src/index.js';
import { frames } from '../support/oif.js';
import { openOk, postOpen } from '../support/open.js';
import { createServer, type RunningServer } from '../support/server.js';
import { tempFolder } from '../support/temp.js';
import { countingPage, description } from '../support/tiff-cases.js';
import { writeOif } from '../writers/oif.js';
import { writeStk } from '../writers/stk.js';
import { writeTiff } from '../writers/tiff.js';

const folder = tempFolder();
const STACK = join(folder, 'pages.tif');
/** Two channels, two times, three sections of 3 × 5 samples: 1000·c + 100·t + 20·z + i. */
const FRAMES = writeOif(join(folder, 'frames'), frames());
let server: RunningServer;
beforeAll(async () => {
  writeFileSync(STACK, writeTiff({ pages: Array.from({ length: 14 }, (_, i) => countingPage(i)) }));
  server = await createServer({ port: 0, decodeWorkers: 1, stateDir: folder });
});
afterAll(() => server.close());

async function firstSample(address: string): Promise<number> {
  const response = await fetch(server.url + address);
  expect(response.status, await response.clone().text()).toBe(200);
  return new Float32Array(await response.arrayBuffer())[0]!;
}

const page = async (address: string) => (await firstSample(address)) / 12;

describe('pages that are said to be', () => {
  it('time points are time points', async () => {
    const interpret = { axes: { T: 14 } };
    const { header, channels, ...opened } = await openOk(server.url, { path: STACK, interpret });
    expect(opened.interpret).toEqual(interpret);
    expect([header.dims, header.shape]).toEqual([
      ['C', 'T', 'Y', 'X'],
      [1, 14, 3, 4],
    ]);
    expect(header.physicalUnitsLabels[1]).toBe('Frames');
    expect(await page(`${channels[0]!.dataUrl}?T=9`)).toBe(9);
  });

  it('time points with two channels have the channels of each time beside each other', async () => {
    const { header, channels } = await openOk(server.url, { path: STACK, interpret: { axes: { T: 7, C: 2 } } });
    expect(header.sizes).toEqual({ C: 2, T: 7, Y: 3, X: 4 });
    expect(channels.map(({ name }) => name)).toEqual(['CH1', 'CH2']);
    expect(await page(`${channels[1]!.dataUrl}?T=3`)).toBe(7);
  });

  it('channels one after the other are in that order', async () => {
    const interpret = { axes: { T: 7, C: 2 }, order: ['C', 'T'] };
    const { channels } = await openOk(server.url, { path: STACK, interpret, selection: { T: 2 } });
    expect(await page(channels[1]!.dataUrl)).toBe(9);
    expect(await page(`${channels[0]!.dataUrl}?T=6`)).toBe(6);
  });

  it('do not share planes with the same file as it is', async () => {
    const swapped = await openOk(server.url, { path: STACK, interpret: { axes: { T: 2, Z: 7 }, order: ['Z', 'T'] } });
    const plain = await openOk(server.url, { path: STACK, interpret: { axes: { T: 2, Z: 7 } } });
    expect(await page(`${swapped.channels[0]!.dataUrl}?T=1&Z=3`)).toBe(7);
    expect(await page(`${plain.channels[0]!.dataUrl}?T=1&Z=3`)).toBe(10);
  });
});

describe('the warning about pages that the file does not name', () => {
  const UNNAMED = 'The file does not say what';
  const about = (warnings: string[]) => warnings.filter((warning) => warning.includes(UNNAMED));

  it('goes when the caller says what they are', async () => {
    expect(about((await openOk(server.url, { path: STACK })).warnings)).toHaveLength(1);
    const asTimes = await openOk(server.url, { path: STACK, interpret: { axes: { T: 14 } } });
    expect(asTimes.warnings).toEqual([]);
  });

  it.each(['{"shape": [2, 3, 3, 4]}', '{"shape": [6, 3, 4], "axes": "QYX"}'])(
    'goes for an array of tifffile: %s',
    async (text) => {
      const path = join(folder, 'array.tif');
      const pages = Array.from({ length: 6 }, (_, i) => countingPage(i, i === 0 ? [description(text)] : []));
      writeFileSync(path, writeTiff({ pages }));
      expect(about((await openOk(server.url, { path })).warnings)).toHaveLength(1);
      const asTimes = await openOk(server.url, { path, interpret: { axes: { T: 6, C: 1 } } });
      expect(asTimes.warnings).toEqual([]);
    },
  );

  it('stays in a scene with another number of pages', async () => {
    const path = join(folder, 'series.tif');
    const small = { width: 2, height: 1, samples: Uint8Array.of(7, 8) };
    writeFileSync(path, writeTiff({ pages: [countingPage(0), countingPage(1), countingPage(2), small, small] }));
    const interpret = { axes: { T: 3 } };
    expect(about((await openOk(server.url, { path, interpret, selection: { S: 0 } })).warnings)).toEqual([]);
    const other = await openOk(server.url, { path, interpret, selection: { S: 1 } });
    expect(other.warnings).toEqual([
      expect.stringContaining(`${UNNAMED} its 2 pages are`),
      expect.stringContaining('`interpret` does not fit this scene, which has 2 planes'),
    ]);
  });
});

describe('warnings about an axis that became another one', () => {
  const write = (name: string, seconds: number[]) => {
    const planes = seconds.map((second) => ({
      samples: new Uint16Array(12),
      info: { created: [2_461_056 + Math.floor(second / 86_400), (second % 86_400) * 1000] as [number, number] },
    }));
    writeFileSync(join(folder, name), writeStk({ width: 4, height: 3, planes }));
    return join(folder, name);
  };

  it('go with its step and its values', async () => {
    const path = write('gap.stk', [0, 1, 61]);
    const timed = await openOk(server.url, { path });
    expect(timed.warnings).toEqual([expect.stringContaining('The time points are 1 s to 60 s apart')]);
    expect((await openOk(server.url, { path, interpret: { order: ['T', 'Z'] } })).warnings).toEqual(timed.warnings);
    expect((await openOk(server.url, { path, interpret: { axes: { Z: 3 } } })).warnings).toEqual([]);
  });

  it('are not given for a step that it no longer has', async () => {
    const path = write('slow.stk', [0, 30 * 86_400, 60 * 86_400]);
    expect((await openOk(server.url, { path })).warnings).toEqual([expect.stringContaining('above a week')]);
    expect((await openOk(server.url, { path, interpret: { axes: { Z: 3 } } })).warnings).toEqual([]);
  });
});

describe('a step that the caller gives', () => {
  it('is that of the axis that the pages became', async () => {
    const calibration = { T: { step: 0.5, unit: 'seconds' }, Z: { step: 2, unit: 'micrometer' } };
    const request = { path: STACK, interpret: { axes: { T: 14 } }, calibration };
    const { header, sessionId } = await openOk(server.url, request);
    expect([header.dims, header.physicalUnits.slice(0, 2), header.physicalUnitsLabels.slice(0, 2)]).toEqual([
      ['C', 'T', 'Y', 'X'],
      [1, 0.5],
      ['Channels', 'seconds'],
    ]);
    expect(header.calibration[1]).toBe('derived');
    const response = await fetch(`${server.url}/api/v2/sessions/${sessionId}/0.4.ome.zarr/0/.zattrs`);
    const { multiscales } = (await response.json()) as ZarrAttributes;
    expect(multiscales[0]!.datasets[0]!.coordinateTransformations[0]!.scale).toContain(0.5);
    const plain = await openOk(server.url, { path: STACK, calibration });
    expect([plain.header.dims[1], plain.header.physicalUnits[1]]).toEqual(['Z', 2]);
  });

  it.each([
    ['in another unit', { step: 1, unit: 'micrometer' }],
    ['that no axis can have', { step: 1e-30, unit: 'seconds' }],
  ])('%s is refused', async (_, T) => {
    const [status] = await postOpen(server.url, { path: STACK, interpret: { axes: { T: 14 } }, calibration: { T } });
    expect(status).toBe(422);
  });
});

interface ZarrAttributes {
  multiscales: { datasets: { coordinateTransformations: { scale: number[] }[] }[] }[];
}

describe('axes that are said to be swapped', () => {
  it('are, with all channels, and lose their steps', async () => {
    const interpret = { axes: { T: 3, Z: 2 }, order: ['Z', 'T'] };
    const { header, channels, sessionId, source } = await openOk(server.url, { path: FRAMES, interpret });
    expect(header.sizes).toEqual({ C: 2, T: 3, Z: 2, Y: 3, X: 5 });
    expect(header.physicalUnitsLabels.slice(1, 3)).toEqual(['Frames', 'Planes']);
    expect(source.numChannels).toBe(2);
    // Time 2 is what the file calls section 2, and section 1 is its time 1.
    expect(await firstSample(`${channels[1]!.dataUrl}?T=2&Z=1`)).toBe(1140);
    const response = await fetch(`${server.url}/api/v2/sessions/${sessionId}/planes`);
    expect(((await response.json()) as PlaneTable).total).toBe(12);
  });

  it('keep their names and colors when only the order of the others changes', async () => {
    const file = await openOk(server.url, { path: FRAMES });
    const same = await openOk(server.url, { path: FRAMES, interpret: { order: ['T', 'Z'] } });
    expect({ ...same.header }).toEqual({ ...file.header });
    expect(same.channels.map(({ name }) => name)).toEqual(file.channels.map(({ name }) => name));
  });
});

describe('the client', () => {
  it('says what the planes are, and reads the table of planes', async () => {
    const client = createClient({ baseUrl: server.url });
    const stack = await client.open({ path: STACK, interpret: { axes: { T: 7, C: 2 } } });
    expect(stack.info.header.sizes).toMatchObject({ T: 7, C: 2 });
    const { T, C } = await stack.planes();
    expect([[...T].slice(0, 4), [...C].slice(0, 4)]).toEqual([
      [0, 0, 1, 1],
      [0, 1, 0, 1],
    ]);
    expect(await stack.coordinates()).toEqual({});
    const again = await stack.select({ selection: { T: 2 } });
    expect(again.info.interpret).toEqual({ axes: { T: 7, C: 2 } });
  });

  it('reads measured values', async () => {
    const path = join(folder, 'timed.stk');
    const planes = [0, 1, 61].map((second) => ({
      samples: new Uint16Array(12),
      info: { created: [2_461_056, 37_800_000 + second * 1000] as [number, number] },
    }));
    writeFileSync(path, writeStk({ width: 4, height: 3, planes }));
    const stack = await createClient({ baseUrl: server.url }).open({ path });
    expect(await stack.coordinates()).toEqual({ T: Float64Array.of(0, 1, 61) });
    expect((await stack.planes()).time).toEqual(Float64Array.of(0, 1, 61));
  });
});

describe('what does not fit', () => {
  it.each([
    [{ axes: { T: 13 } }, 'does not fit the 14 planes'],
    [{ axes: { C: 2 } }, 'The product must be the same'],
  ])('is refused: %j', async (interpret, message) => {
    const [status, body] = await postOpen<{ error: string; message: string }>(server.url, { path: STACK, interpret });
    expect([status, body.error]).toEqual([422, 'request_validation_failed']);
    expect(body.message).toContain(message);
  });

  it.each([{}, { axes: {} }, { axes: { T: 0 } }, { order: ['T', 'T'] }, { order: ['X'] }])(
    'that no file can have is refused: %j',
    async (interpret) => {
      const [status] = await postOpen(server.url, { path: STACK, interpret });
      expect(status).toBe(422);
    },
  );
});
