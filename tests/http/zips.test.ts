import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenResponse } from '../../packages/client/src/contract/open.js';
import type { RunningServer } from '../../packages/server/src/server/listen.js';
import { native, smallImage, stack } from '../support/ome-zarr.js';
import { postOpen } from '../support/open.js';
import { createServer } from '../support/server.js';
import { tempFolder } from '../support/temp.js';
import { writeOir } from '../writers/oir.js';
import { lineScan } from '../writers/oir-kinds.js';
import { imageFiles, json, type StoreFiles, zipStore } from '../writers/ome-zarr.js';
import { writeZip } from '../writers/zip.js';

const root = tempFolder();
let server: RunningServer;

beforeAll(async () => {
  server = await createServer({ port: 0, stateDir: root, decodeWorkers: 1 });
});
afterAll(() => server.close());

type Answer = OpenResponse & { error?: string; message?: string };

async function open(name: string, bytes: Uint8Array, more: object = {}): Promise<[number, Answer]> {
  const path = join(mkdtempSync(join(root, 'z-')), name);
  writeFileSync(path, bytes);
  return postOpen(server.url, { path, ...more });
}

async function plane(answer: Answer): Promise<number[]> {
  const response = await fetch(server.url + answer.channels[0]?.dataUrl);
  expect(response.status).toBe(200);
  return [...new Float32Array(await response.arrayBuffer())];
}

const SMALL = await imageFiles(smallImage());
const PIXELS = [0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 7];
const text = (value: string) => new TextEncoder().encode(value);
const renamed = (files: StoreFiles, top: string): StoreFiles =>
  new Map([...files].map(([key, bytes]) => [top + key, bytes]));
/** Documents behind more chunks than anyone looks at from the start. */
const LATE: StoreFiles = new Map([
  ...Array.from({ length: 40 }, (_, i): [string, Uint8Array] => [`0/9/${i}`, new Uint8Array(1000)]),
  ...[...SMALL].sort(([a], [b]) => Number(a.startsWith('.z')) - Number(b.startsWith('.z'))),
]);

describe('a zip archive is recognized by its entries', () => {
  it.each([
    ['image.zip', 'ome.zarr.zip'],
    ['image.ome.zarr.zip', 'ome.zarr.zip'],
    ['image.ZARR.ZIP', 'zarr.zip'],
    ['image.ozx', 'ozx'],
    ['image.zarr', 'ome.zarr.zip'],
    ['image.tif', 'ome.zarr.zip'],
    ['image.poir', 'ome.zarr.zip'],
    ['image.nwb', 'ome.zarr.zip'],
  ])('as an OME-Zarr called %s', async (name, format) => {
    for (const files of [SMALL, LATE]) {
      const [status, answer] = await open(name, zipStore(files));
      expect([status, answer.message, answer.source?.format]).toEqual([200, undefined, format]);
      expect(await plane(answer)).toEqual(PIXELS);
    }
  });

  it.each(['scan.zip', 'scan.ozx', 'scan.ome.zarr.zip', 'scan.czi'])('as OIR files in %s', async (name) => {
    const [status, answer] = await open(
      name,
      writeZip([{ name: 'a/scan.oir', bytes: writeOir(lineScan(60, 24, 16)) }]),
    );
    expect([status, answer.message, answer.source?.format]).toEqual([200, undefined, 'poir']);
  });

  it.each(['notes.zip', 'notes.ozx', 'notes.poir', 'notes.ome.zarr.zip', 'notes.lif'])(
    'and refused as something else when called %s',
    async (name) => {
      const others = ['a.tif', 'zarr.json.txt', 'b/c.txt', 'd.txt', 'e.txt'];
      const [status, answer] = await open(name, writeZip(others.map((entry) => ({ name: entry, bytes: text('x') }))));
      expect([status, answer.error]).toEqual([415, 'unsupported_format']);
      expect(answer.message).toMatch(
        name.endsWith('.poir')
          ? /contains no \.oir file/
          : /is a ZIP archive without an OME-Zarr image or an OIR file; it contains a\.tif, zarr\.json\.txt, b\/c\.txt and 2 more\. Unpack it/,
      );
    },
  );

  it('and refused when it is empty or contains another archive', async () => {
    const [status, empty] = await open('a.zip', writeZip([]));
    expect([status, empty.error]).toEqual([415, 'unsupported_format']);
    expect(empty.message).toBe('a.zip is a ZIP archive without any files');
    const [, outer] = await open('a.zip', writeZip([{ name: 'inner.ome.zarr.zip', bytes: zipStore(SMALL) }]));
    expect(outer.message).toMatch(/it contains inner\.ome\.zarr\.zip\. Unpack it and open a file in it\.$/);
  });

  it('and corrupted when it is truncated', async () => {
    for (const name of ['a.zip', 'a.ozx', 'a.tif']) {
      const [status, answer] = await open(name, zipStore(LATE).slice(0, 30_000));
      expect([status, answer.error]).toEqual([500, 'decode_failed']);
      expect(answer.message).toMatch(new RegExp(`^${name}: .*ZIP directory`));
    }
  });
});

describe('an OME-Zarr in a zip archive', () => {
  it('can be in any folder', async () => {
    const files: StoreFiles = new Map([
      ['README.txt', text('hello')],
      ['__MACOSX/data/1/image.ome.zarr/._.zattrs', new Uint8Array(8)],
      ...renamed(SMALL, 'data/1/image.ome.zarr/'),
    ]);
    const [status, answer] = await open('image.zip', zipStore(files));
    expect([status, answer.warnings]).toEqual([200, []]);
    expect(await plane(answer)).toEqual(PIXELS);
  });

  it('is a scene when there are several, with a warning', async () => {
    const other = await imageFiles(stack({ type: 'uint8', value: () => 5 }));
    const files = new Map([...renamed(other, 'b/scan_10.ome.zarr/'), ...renamed(SMALL, 'a/scan_2.ome.zarr/')]);
    const [status, answer] = await open('image.zip', zipStore(files));
    expect([status, answer.message]).toEqual([200, undefined]);
    expect(answer.source.scenes?.map(({ name }) => name)).toEqual(['a/scan_2.ome.zarr', 'b/scan_10.ome.zarr']);
    expect(answer.warnings).toContain('The file does not list its images. Showing those directly inside it.');
    expect(await plane(answer)).toEqual(PIXELS);
  });

  it('keeps the list of an acqstore collection', async () => {
    const list = { acq_images: [{ id: 'x', name: 'cell 1', ome_zarr_path: 'acq_images/acq_image_000' }] };
    const files = new Map([...(await native('acq_images/acq_image_000'))]);
    files.set('acqstore/acq_image_collection.json', json(list));
    const [status, answer] = await open('set.zip', zipStore(renamed(files, 'set.ome.zarr/')));
    expect([status, answer.message]).toEqual([200, undefined]);
    expect(answer.plane.axes[0]).toMatchObject({ step: 0.002, unit: 'seconds' });
    expect(answer.reference).not.toBeNull();
  });
});
