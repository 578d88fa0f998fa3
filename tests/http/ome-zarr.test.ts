import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { OpenResponse } from '../../packages/client/src/contract/open.js';
import type { ServerOptions } from '../../packages/server/src/options.js';
import type { RunningServer } from '../../packages/server/src/server/listen.js';
import { writeFiller } from '../support/filler.js';
import { smallImage, stack } from '../support/ome-zarr.js';
import { postOpen } from '../support/open.js';
import { createServer } from '../support/server.js';
import { tempFolder } from '../support/temp.js';
import { axis, blosc, imageFiles, type StoreFiles, writeStore, zipStore } from '../writers/ome-zarr.js';

const root = tempFolder();
/** Bytes of memory that the small planes of these tests do not fill. */
const BUDGET = 16_384;
let server: RunningServer | undefined;
afterEach(() => server?.close());

const SMALL = await imageFiles(smallImage());
const STACK = await imageFiles(stack({ codecs: [blosc()], chunks: [1, 1, 1, 9, 11] }));

const start = async (options: Partial<ServerOptions> = {}) => {
  server = await createServer({ port: 0, stateDir: root, decodeWorkers: 1, ...options });
  return server.url;
};

const fresh = (files: StoreFiles, name = 'image.ome.zarr') =>
  writeStore(join(mkdtempSync(join(root, 'z-')), name), files);

type Answer = OpenResponse & { error?: string; message?: string };

function bytesIn(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

async function open(url: string, path: string, more: object = {}): Promise<[number, Answer]> {
  return postOpen(url, { path, ...more });
}

async function plane(url: string, answer: Answer, index = 0): Promise<[number, number[] | string | undefined]> {
  const response = await fetch(url + answer.channels[index]?.dataUrl);
  if (response.status !== 200) return [response.status, ((await response.json()) as Answer).error];
  return [200, [...new Float32Array(await response.arrayBuffer())]];
}

describe('an OME-Zarr folder, through the server', () => {
  it.each(['', '.zattrs', '.zgroup', '0/.zarray', '0/0/1/0'])('opens by "%s"', async (inside) => {
    const at = fresh(SMALL);
    const url = await start();
    const [status, answer] = await open(url, join(at, inside));
    expect(status).toBe(200);
    expect(answer.source).toMatchObject({
      path: at,
      name: 'image.ome.zarr',
      format: 'ome.zarr',
      sourceDtype: 'uint16',
    });
    const fileSize = `${bytesIn(at)} B`;
    expect(answer.header).toMatchObject({ dims: ['C', 'Y', 'X'], shape: [1, 3, 4], fileSize });
    expect(answer.plane.axes.map(({ step, unit }) => [step, unit])).toEqual([
      [0.5, 'micrometer'],
      [0.25, 'micrometer'],
    ]);
    expect(answer.channels[0]).toMatchObject({ name: 'GFP', window: { start: 0, end: 255 } });
    expect(await plane(url, answer)).toEqual([200, [0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 7]]);
  });

  it('of bioformats2raw opens by its OME-XML', async () => {
    const series = await imageFiles({ ...smallImage(), path: '0' });
    const xml = '<OME><Image Name="cell"><Pixels PhysicalSizeX="2" PhysicalSizeXUnit="µm"/></Image></OME>';
    const at = fresh(new Map([...series, ['OME/METADATA.ome.xml', new TextEncoder().encode(xml)]]));
    const [status, answer] = await open(await start(), join(at, 'OME', 'METADATA.ome.xml'));
    expect([status, answer.message, answer.source?.path]).toEqual([200, undefined, at]);
    expect(await plane(server?.url ?? '', answer)).toEqual([200, [0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 7]]);
  });

  it.each(['', 'zarr.json'])('of any name opens by "%s"', async (inside) => {
    const at = fresh(STACK, 'recording 3');
    const [status, answer] = await open(await start(), join(at, inside), { selection: { T: 1, Z: 1 } });
    expect([status, answer.source.path, answer.source.format]).toEqual([200, at, 'ome.zarr']);
    expect(answer.header.sizes).toEqual({ C: 3, T: 2, Z: 2, Y: 9, X: 11 });
    expect(answer.header.physicalUnits).toEqual([1, 0.5, 0.25, 0.5, 0.25]);
  });

  it('has the steps of its coordinate system (0.6), or a warning that explains why not', async () => {
    const axes = [axis('y', 'millisecond'), axis('x', 'nanometer')];
    const image = (transformation: object) => ({
      version: '0.6.dev4',
      multiscales: [
        {
          coordinateSystems: [
            { name: 'other', axes: [{ name: 'i' }, { name: 'j' }] },
            { name: 'physical', axes },
          ],
          datasets: [
            {
              path: '0',
              coordinateTransformations: [{ ...transformation, input: { path: '0' }, output: { name: 'physical' } }],
            },
          ],
        },
      ],
    });
    const steps = {
      type: 'sequence',
      transformations: [
        { type: 'scale', scale: [2, 250] },
        { type: 'translation', translation: [1, 1] },
      ],
    };
    const at = fresh(await imageFiles(stack({ shape: [9, 11], chunks: [9, 11], ome: image(steps) })));
    const url = await start();
    const [status, answer] = await open(url, at);
    expect([status, answer.warnings]).toEqual([200, []]);
    expect(answer.plane.axes.map(({ step, unit }) => [step, unit])).toEqual([
      [0.002, 'seconds'],
      [0.25, 'micrometer'],
    ]);
    const turned = {
      type: 'rotation',
      rotation: [
        [0, -1],
        [1, 0],
      ],
    };
    const other = fresh(await imageFiles(stack({ shape: [9, 11], chunks: [9, 11], ome: image(turned) })));
    const [, without] = await open(url, other);
    expect(without.plane.axes.map(({ step, unit }) => [step, unit])).toEqual([
      [1, 'Pixels'],
      [1, 'Pixels'],
    ]);
    expect(without.warnings).toEqual([
      'The rotation transformation mixes the axes y, x; the steps along y, x are missing.',
    ]);
  });

  it('serves a zip archive', async () => {
    const path = join(mkdtempSync(join(root, 'z-')), 'image.ozx');
    writeFileSync(path, zipStore(STACK));
    const url = await start();
    const [status, answer] = await open(url, path, { selection: { T: 1 }, channelIndices: [2] });
    expect([status, answer.source.format]).toEqual([200, 'ozx']);
    const [, values] = await plane(url, answer);
    expect(values?.[12]).toBe(Number(stack().value([1, 2, 0, 1, 1])));
  });

  it('stays inside the roots for every part of it', async () => {
    const at = fresh(SMALL);
    const inside = join(at, '0');
    const url = await start({ roots: [inside] });
    for (const part of ['', '.zattrs', '0/.zarray', '0/0/1/0']) {
      const [status, answer] = await open(url, join(at, part));
      expect([status, answer.error]).toEqual([403, 'path_not_allowed']);
    }
  });

  it('is refused when the operator does not allow the format', async () => {
    const at = fresh(SMALL);
    const url = await start({ allowExtensions: ['.tif'] });
    for (const part of ['', '.zattrs']) {
      const [status, answer] = await open(url, join(at, part));
      expect([status, answer.error]).toEqual([415, 'unsupported_format']);
    }
  });

  it('never follows a link out of its folder', async () => {
    const at = fresh(SMALL);
    const secret = join(root, 'secret');
    writeFileSync(secret, new Uint8Array(12).fill(65));
    rmSync(join(at, '0/0/1/0'));
    symlinkSync(secret, join(at, '0/0/1/0'));
    const [status, answer] = await open(await start(), at);
    expect([status, answer.error]).toEqual([403, 'path_not_allowed']);
    expect(answer.message).toContain('0/0/1/0');
  });

  it('reports a corrupted chunk and an invalid array with their keys', async () => {
    const at = fresh(STACK);
    const url = await start();
    writeFileSync(join(at, '0/c/0/1/0/0/0'), new Uint8Array(30));
    const [status, answer] = await open(url, at, { channelIndices: [1] });
    expect([status, answer.error]).toEqual([500, 'decode_failed']);
    expect(answer.message).toContain('chunk 0/c/0/1/0/0/0: Blosc data');
    expect((await open(url, at, { channelIndices: [0] }))[0]).toBe(200);
    const [refused, why] = await open(url, join(at, '0'));
    expect([refused, why.error]).toEqual([415, 'unsupported_format']);
    expect(why.message).toContain('open that folder');
  });

  it.each([
    ['the document of the image', 'zarr.json', (path: string) => utimesSync(path, 1, 1)],
    ['the document of the array', '0/zarr.json', (path: string) => utimesSync(path, 1, 1)],
    ['a chunk of the plane', '0/c/0/1/0/0/0', (path: string) => utimesSync(path, 1, 1)],
    ['a chunk of the plane that is gone', '0/c/0/1/0/0/0', (path: string) => rmSync(path)],
    [
      'a chunk of the plane that was missing',
      '0/c/0/1/0/0/1',
      (path: string) => writeFileSync(path, new Uint8Array(9 * 11 * 2)),
    ],
  ])('is not read again after a change: %s', async (_, name, change) => {
    const wide = await imageFiles(
      stack({ shape: [2, 3, 2, 9, 22], chunks: [1, 1, 1, 9, 11], missing: (index) => index[4] === 1 }),
    );
    const at = fresh(wide);
    const filler = writeFiller(root, BUDGET);
    const url = await start({ memoryBudgetBytes: BUDGET });
    const [, first] = await open(url, at, { channelIndices: [1] });
    await open(url, filler);
    expect((await plane(url, first))[0]).toBe(200);
    await open(url, filler);
    change(join(at, name));
    expect(await plane(url, first)).toEqual([409, 'source_changed']);
  });

  it('ignores changes of chunks that are not read', async () => {
    const at = fresh(STACK);
    const url = await start({ memoryBudgetBytes: BUDGET });
    const [, first] = await open(url, at, { channelIndices: [1] });
    await open(url, writeFiller(root, BUDGET));
    utimesSync(join(at, '0/c/1/2/1/0/0'), 1, 1);
    expect((await plane(url, first))[0]).toBe(200);
  });

  it('decodes a large plane in bands on several workers', async () => {
    const rows = 2600;
    const spec = stack({
      shape: [rows, 512],
      chunks: [100, 512],
      value: ([y, x]) => ((y as number) * 31 + (x as number)) % 65_536,
      axes: [{ name: 'y', unit: 'millisecond' }, axis('x', 'micrometer')],
      scale: [2.5, 0.1],
      codecs: [blosc('zstd', 2)],
    });
    const at = fresh(await imageFiles(spec));
    const url = await start({ decodeWorkers: 2 });
    const [, answer] = await open(url, at);
    expect(answer.plane.axes[0]).toMatchObject({ name: 'Y', size: rows, step: 0.0025, unit: 'seconds' });
    const [, values] = await plane(url, answer);
    expect(values).toHaveLength(rows * 512);
    for (const i of [0, 511, 512 * 1299 + 5, 512 * 1300, rows * 512 - 1]) {
      expect(values?.[i]).toBe((Math.floor(i / 512) * 31 + (i % 512)) % 65_536);
    }
  });

  it('ignores files that only look like chunks', async () => {
    const at = join(mkdtempSync(join(root, 'z-')), 'notes.zarr');
    mkdirSync(at);
    writeFileSync(join(at, '0'), 'x');
    const [status, answer] = await open(await start(), join(at, '0'));
    expect([status, answer.error]).toEqual([415, 'unsupported_format']);
  });
});
