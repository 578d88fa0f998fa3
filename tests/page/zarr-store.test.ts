/** `acquisition.store()` in a page, read by zarrita there, and compared with the planes and with a server. */
import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sceneImage } from '../../packages/readers/src/derive/zarr/images.js';
import { zarrDocuments } from '../../packages/readers/src/derive/zarr/tree.js';
import { ZARR_VERSIONS } from '../../packages/readers/src/derive/zarr/versions.js';
import { createServer } from '../../packages/server/dist/index.js';
import { openAcquisition } from '../../packages/server/src/open.js';
import { chromiumPath } from '../support/browser.js';
import { REPOSITORY } from '../support/cli.js';
import { chromium } from '../support/engines/chromium.js';
import type { Engine } from '../support/engines/types.js';
import { buildPage, PageHost } from '../support/page-host.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { writeTiff } from '../writers/tiff.js';

const root = tempFolder();
const host = new PageHost(join(root, 'page'));
const warmUp = (name: string) => join(REPOSITORY, 'packages', 'server', 'warm-up', name);

/** Two channels of a plane that has reduced levels, and chunks at its edges. */
function wideFile(): string {
  const [width, height] = [1500, 2100];
  const pages = [1, 2].map((factor) => ({
    ...{ width, height, rowsPerStrip: 100, compression: 8 },
    samples: new Uint16Array(width * height).map((_, i) => (i * factor) % 60_000),
    tags: factor === 1 ? [{ code: 270, type: 2, text: 'ImageJ=1.54f\nimages=2\nchannels=2\n' }] : [],
  }));
  return writeTemp(root, 'wide.tif', writeTiff({ pages }));
}

const FILES = () => ({
  'a CZI': warmUp('plain.czi'),
  'an OIR with a reference image': warmUp('scan.oir'),
  'a wide TIFF': wideFile(),
});

const hex =
  'const hex = async (data) => [...new Uint8Array(await crypto.subtle.digest("SHA-256", data))].map((byte) => byte.toString(16).padStart(2, "0")).join("");';

describe.runIf(chromiumPath() !== undefined)('the store of an acquisition in a page', () => {
  let engine: Engine;
  let server: Awaited<ReturnType<typeof createServer>>;
  beforeAll(async () => {
    await buildPage(host.folder);
    // As in an application that uses both.
    await build({
      configFile: false,
      logLevel: 'error',
      build: {
        lib: { entry: fileURLToPath(import.meta.resolve('zarrita')), formats: ['es'], fileName: 'zarrita' },
        outDir: host.folder,
        emptyOutDir: false,
      },
    });
    engine = await chromium.start();
    await engine.page.goto(`${await host.start()}/blank`);
    server = await createServer({ port: 0, decodeWorkers: 1, stateDir: join(root, 'state') });
  }, 120_000);
  afterAll(async () => {
    await engine?.close();
    await server?.close();
    host.stop();
  });

  const open = (path: string) => `
    const { openFiles, AcqError } = await import('/readers.js');
    const zarr = await import('/zarrita.js');
    const given = await (await fetch(${JSON.stringify(host.add(path))})).blob();
    const acquisition = await openFiles([{ path: ${JSON.stringify(basename(path))}, data: given }]);
    ${hex}`;

  it.each(Object.entries(FILES()))('has for zarrita the planes of %s', async (_, path) => {
    const opened = await openAcquisition(path);
    const { sizes, channels } = opened.acquisition.info.scenes[0]!;
    opened.close();
    for (const version of ZARR_VERSIONS) {
      const { shape, pairs, corner } = await engine.page.evaluate<{
        shape: number[];
        pairs: [string, string][];
        corner: [number, number];
      }>(`(async () => {
        ${open(path)}
        const location = zarr.root(acquisition.store({ version: '${version}' })).resolve('/0/0');
        const array = await zarr.open(location, { kind: 'array' });
        const [T, C, Z, Y, X] = array.shape;
        const places = [[0, 0, 0], [T - 1, C - 1, Z - 1]];
        const pairs = [];
        for (const [t, c, z] of places) {
          const { data } = await zarr.get(array, [t, c, z, null, null]);
          const place = { ...(T > 1 ? { t } : {}), ...(Z > 1 ? { z } : {}) };
          pairs.push([await hex(data), await hex(await acquisition.nativePlane(c, place))]);
        }
        const { data } = await zarr.get(array, [0, 0, 0, zarr.slice(Y - 1, Y), zarr.slice(X - 1, X)]);
        const last = (await acquisition.window(0, { rows: [Y - 1, Y], columns: [X - 1, X] })).samples;
        await acquisition.close();
        return { shape: array.shape, pairs, corner: [Number(data[0]), last[0]] };
      })()`);
      expect(shape).toEqual([sizes.T, channels.length, sizes.Z, sizes.Y, sizes.X]);
      for (const [stored, plane] of pairs) expect(stored).toBe(plane);
      expect(corner[0]).toBe(corner[1]);
    }
  });

  it.each(Object.entries(FILES()))('has the values of a server for %s', async (_, path) => {
    const opened = await openAcquisition(path);
    const { info } = opened.acquisition;
    const image = sceneImage(info, 0)!;
    opened.close();
    const response = await fetch(`${server.url}/api/v2/open`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ path }),
    });
    const { sessionId } = (await response.json()) as { sessionId: string };
    for (const version of ZARR_VERSIONS) {
      const documents = [...zarrDocuments(info, version, { name: '', fileSize: '' }).keys()];
      const chunks = image.levels.map((_, level) => `0/${level}/${version === '0.5' ? 'c/' : ''}0/0/0/0/0`);
      const keys = [...documents, ...chunks];
      const values = await engine.page.evaluate<(string | null)[]>(`(async () => {
        ${open(path)}
        const store = acquisition.store({ version: '${version}' });
        const values = [];
        for (const key of ${JSON.stringify(keys)}) {
          const value = await store.get('/' + key);
          const isText = /(json|xml|\\.z\\w+)$/.test(key);
          values.push(value === undefined ? null : isText ? new TextDecoder().decode(value) : await hex(value));
        }
        await acquisition.close();
        return values;
      })()`);
      for (const [i, key] of keys.entries()) {
        const served = await fetch(`${server.url}/api/v2/sessions/${sessionId}/${version}.ome.zarr/${key}`);
        expect(served.status, key).toBe(200);
        const bytes = new Uint8Array(await served.arrayBuffer());
        const isText = i < documents.length;
        const expected = isText ? new TextDecoder().decode(bytes) : createHash('sha256').update(bytes).digest('hex');
        // Only a server knows when a file was changed.
        expect(withoutRevision(values[i]), key).toBe(withoutRevision(expected));
      }
    }
  });

  it('reads chunks of a plane that is too large to be kept for them', async () => {
    const side = 6_000;
    const samples = new Uint16Array(side * side).map((_, i) => i % 65_521);
    const path = writeTemp(root, 'large.tif', writeTiff({ pages: [{ width: side, height: side, samples }] }));
    const outcomes = await engine.page.evaluate<[string, string][]>(`(async () => {
      ${open(path)}
      const array = await zarr.open(zarr.root(acquisition.store()).resolve('/0/0'), { kind: 'array' });
      const outcomes = [];
      for (const [row, column] of [[0, 0], [1, 2], [5, 5]]) {
        const { data } = await array.getChunk([0, 0, 0, row, column]);
        const rows = [1024 * row, Math.min(${side}, 1024 * (row + 1))];
        const columns = [1024 * column, Math.min(${side}, 1024 * (column + 1))];
        const { samples } = await acquisition.nativeWindow(0, { rows, columns });
        const width = columns[1] - columns[0];
        const inside = new Uint16Array(samples.length);
        for (let i = 0; i < rows[1] - rows[0]; i++) inside.set(data.subarray(1024 * i, 1024 * i + width), width * i);
        outcomes.push([await hex(inside), await hex(samples)]);
      }
      await acquisition.close();
      return outcomes;
    })()`);
    expect(new Set(outcomes.map(([stored]) => stored)).size).toBe(3);
    for (const [stored, window] of outcomes) expect(stored).toBe(window);
  });

  it('has nothing for other keys, and an error for a plane that cannot be read', async () => {
    const encode = () => new Uint8Array(20).fill(255);
    const pages = [{ width: 64, height: 64, samples: new Uint16Array(4096), compression: 8, encode }];
    const path = writeTemp(root, 'corrupted.tif', writeTiff({ pages }));
    const outcomes = await engine.page.evaluate<unknown[]>(`(async () => {
      ${open(path)}
      const store = acquisition.store();
      const outcomes = [];
      for (const key of ['/', '/0/9/zarr.json', '/0/0/c/0/0/0/5/0', '/1/zarr.json', '/../secret', '/0/0/c/0/0/0/0/0'])
        outcomes.push(await store.get(key).then((value) => value ?? 'none', (error) => [error instanceof AcqError, error.code]));
      await acquisition.close();
      return outcomes;
    })()`);
    expect(outcomes).toEqual([...new Array(5).fill('none'), [true, 'decode_failed']]);
  });
});

function withoutRevision(text: string | null | undefined): string | null | undefined {
  return text?.replace(/"revision":"[^"]*",?/g, '').replace(/,}/g, '}');
}
