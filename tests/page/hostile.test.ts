/** Corrupted files of every format in the page: each is read as Node reads it, or refused. None hangs or takes all memory. */
import { createHash } from 'node:crypto';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AcqError, ERROR_STATUS } from '../../packages/readers/src/base/errors.js';
import { FORMATS } from '../../packages/readers/src/formats/index.js';
import { NativeTarget } from '../../packages/readers/src/model/samples/plane-target.js';
import { openAcquisition } from '../../packages/server/src/open.js';
import { IS_LONG, mutate } from '../hostile/mutate.js';
import { chromiumPath, launchBrowser } from '../support/browser.js';
import { REPOSITORY } from '../support/cli.js';
import { buildPage, filesBelow, PageHost } from '../support/page-host.js';
import { pageMemory } from '../support/page-memory.js';
import { tempFolder } from '../support/temp.js';

const WARM_UP = join(REPOSITORY, 'packages', 'server', 'warm-up');
const CASES = Number(process.env['HOSTILE_CASES'] ?? (IS_LONG ? 200 : 3));
/** A megabyte is what the code of readers takes; a leak of one plane for each file would be more. */
const MAX_GROWTH = 100e6;
/** Of the page and three workers. */
const MAX_TOTAL = 1.2e9;
/** Workers that read at the same time. */
const AT_ONCE = 3;
/** A corrupted count may announce a million planes, and a corrupted size a huge one. */
const MAX_PLANES = 24;
const MAX_SAMPLES = 2 ** 26;
/** Never `internal_error`, which is a fault of a reader. */
const CODES = Object.keys(ERROR_STATUS).filter((code) => code !== 'internal_error');

interface Kind {
  format: string;
  /** What is opened, and the files that belong to it. */
  name: string;
  files: readonly string[];
}

const below = (folder: string) => filesBelow(join(WARM_UP, folder)).map((file) => relative(WARM_UP, file));

const ALL_KINDS: readonly Kind[] = [
  ...['deflate.ome.tif', 'lzw.tif', 'scanimage.tif'].map((name) => ({ format: 'tiff', name, files: [name] })),
  { format: 'tiff', name: 'kymograph.tif', files: ['kymograph.tif', 'kymograph.txt'] },
  { format: 'czi', name: 'zstd.czi', files: ['zstd.czi'] },
  ...['ims', 'lif', 'lsm', 'mesc', 'mrc', 'nd2', 'nwb', 'obf', 'oir', 'zvi'].map((format) => ({
    format,
    name: `scan.${format}`,
    files: [`scan.${format}`],
  })),
  { format: 'deltavision', name: 'scan.dv', files: ['scan.dv'] },
  {
    format: 'metamorph-nd',
    name: 'set.nd',
    files: ['set.nd', ...[1, 2].flatMap((t) => [`set_w1DAPI_t${t}.stk`, `set_w2GFP_t${t}.stk`])],
  },
  { format: 'hdf5', name: 'scan.h5', files: ['scan.h5'] },
  { format: 'oif', name: 'scan.oib', files: ['scan.oib'] },
  { format: 'ome-xml', name: 'scan.ome', files: ['scan.ome'] },
  { format: 'ndtiff', name: 'scan_NDTiffStack.tif', files: ['scan_NDTiffStack.tif', 'NDTiff.index'] },
  { format: 'scanimage-als', name: 'line.meta.txt', files: ['line.meta.txt', 'line.pmt.dat'] },
  { format: 'scanbox', name: 'scan.sbx', files: ['scan.sbx', 'scan.mat'] },
  { format: 'thorimage', name: 'Experiment.xml', files: ['Experiment.xml', 'Image_001_001.raw'] },
  { format: 'bruker', name: 'prairie', files: below('prairie') },
  { format: 'ome-zarr', name: 'small.ome.zarr', files: below('small.ome.zarr') },
  { format: 'ome-zarr', name: 'stack.ome.zarr.zip', files: ['stack.ome.zarr.zip'] },
];

/** One of each format in `npm test`. */
const KINDS = ALL_KINDS.filter(
  ({ format }, i) => IS_LONG || i === ALL_KINDS.findIndex((other) => other.format === format),
);

const root = tempFolder();
const host = new PageHost(join(root, 'page'));

/** Copies an acquisition and corrupts one of its files. Returns the folder of the copy. */
function corrupt({ name, files }: Kind, seed: number): string {
  const folder = join(root, `${name}-${seed}`);
  for (const file of files) cpSync(join(WARM_UP, file), join(folder, file));
  const victim = join(folder, files[seed % files.length]!);
  writeFileSync(victim, mutate(readFileSync(victim), seed));
  return folder;
}

/** Digests of the planes that Node reads, and the codes with which it refuses the file or others of them. */
async function outcomesInNode(path: string): Promise<Set<string>> {
  const outcomes = new Set<string>();
  try {
    const { acquisition, close } = await openAcquisition(path);
    for (const [scene, { sampleType, sizes, channels }] of acquisition.info.scenes.entries()) {
      const places = placesOf(sizes);
      try {
        acquisition.checkScene?.(scene);
      } catch (error) {
        outcomes.add(codeOf(error));
        continue;
      }
      if (sizes.X * sizes.Y > MAX_SAMPLES) outcomes.add('plane_too_large').add('capacity_exceeded');
      else {
        for (const channel of channels.keys()) {
          for (const place of places) {
            const target = new NativeTarget(sampleType, sizes.Y, sizes.X);
            const read = acquisition.readPlane({ scene, channel, ...place }, target).then(() => digestOf(target.data));
            outcomes.add(await read.catch(codeOf));
          }
        }
      }
    }
    close();
  } catch (error) {
    outcomes.add(codeOf(error));
  }
  return outcomes;
}

function placesOf({ T, Z }: { T: number; Z: number }): { t: number; z: number }[] {
  const count = Math.min(MAX_PLANES, T * Z);
  return Array.from({ length: count }, (_, i) => ({ t: Math.floor(i / Z), z: i % Z }));
}

function digestOf({ buffer, byteOffset, byteLength }: NativeTarget['data']): string {
  return createHash('sha256')
    .update(new Uint8Array(buffer, byteOffset, byteLength))
    .digest('hex');
}

function codeOf(error: unknown): string {
  if (error instanceof AcqError) return error.code;
  throw error;
}

interface Outcome {
  /** Digest of the first plane, or the code of the error. */
  plane: string;
  /** What the metadata, the coordinates and the statistics ended with. */
  others: string[];
}

/** Reads each copy in a worker of its own, a few at the same time. Runs in the page. */
const READ_ALL = `async (copies) => {
  const { openFiles } = await import('/readers.js');
  const hex = (hash) => [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const signal = () => ({ signal: AbortSignal.timeout(20_000) });
  const attempt = (work) => work.then(() => 'fine', (error) => error.code ?? String(error));
  const readOne = async ({ name, files }) => {
    const given = await Promise.all(
      files.map(async ({ path, address }) => ({ path, data: await (await fetch(address)).blob() })));
    let acquisition;
    try {
      acquisition = await openFiles(given, { name, ...signal() });
      const { index } = acquisition.info.channels[0];
      const others = [attempt(acquisition.metadata(signal())), attempt(acquisition.coordinates(signal())),
        attempt(acquisition.statistics(index, { bins: 8 }, signal()))];
      const plane = await acquisition.nativePlane(index, signal())
        .then(async (samples) => hex(await crypto.subtle.digest('SHA-256', samples)), (error) => error.code ?? String(error));
      return { plane, others: await Promise.all(others) };
    } catch (error) {
      return { plane: error.code ?? String(error), others: [] };
    } finally {
      await acquisition?.close();
    }
  };
  const outcomes = [];
  let next = 0;
  await Promise.all(Array.from({ length: ${AT_ONCE} }, async () => {
    while (next < copies.length) { const i = next++; outcomes[i] = await readOne(copies[i]); }
  }));
  return outcomes;
}`;

describe.runIf(chromiumPath() !== undefined)('corrupted files in a page', () => {
  let browser: Browser;
  let page: Page;
  let opened = 0;
  let [first, largest] = [0, 0];
  beforeAll(async () => {
    await buildPage(host.folder);
    browser = await launchBrowser();
    page = await browser.newPage();
    await page.goto(`${await host.start()}/blank`);
  }, 120_000);

  async function readAll(copies: readonly object[]): Promise<Outcome[]> {
    const timer = setInterval(async () => {
      largest = Math.max(largest, await pageMemory(browser).catch(() => 0));
    }, 100);
    try {
      return await page.evaluate<Outcome[]>(`(${READ_ALL})(${JSON.stringify(copies)})`);
    } finally {
      clearInterval(timer);
    }
  }

  afterAll(async () => {
    await browser?.close();
    host.stop();
  });

  it('are of every format', () => {
    expect(new Set(KINDS.map(({ format }) => format))).toEqual(new Set(FORMATS.map(({ id }) => id)));
  });

  it.each(KINDS)(
    'of $format ($name) are read as Node reads them, or refused',
    async (kind) => {
      const folders = Array.from({ length: CASES }, (_, seed) => corrupt(kind, seed));
      const copies = folders.map((folder) => ({
        name: kind.name,
        files: kind.files.map((path) => ({ path, address: host.add(join(folder, path)) })),
      }));
      const outcomes = await readAll(copies);
      first ||= await pageMemory(browser);
      expect(outcomes).toHaveLength(CASES);
      const differing: string[] = [];
      for (const [seed, { plane, others }] of outcomes.entries()) {
        const expected = await outcomesInNode(join(folders[seed]!, kind.name));
        if (!expected.has(plane)) differing.push(`seed ${seed}: ${plane} instead of ${[...expected]}`);
        if (!/^[\da-f]{64}$/.test(plane)) expect(CODES, `seed ${seed}`).toContain(plane);
        for (const other of others) expect(['fine', ...CODES], `seed ${seed}`).toContain(other);
      }
      // A stream that is both truncated and corrupted: see `tests/unit/platform-page.test.ts`.
      expect(differing.slice(Math.floor(CASES / 50))).toEqual([]);
      opened += outcomes.filter(({ others }) => others.length > 0).length;
    },
    IS_LONG ? 600_000 : 60_000,
  );

  it('are opened as often as not', () => {
    expect(opened).toBeGreaterThan((KINDS.length * CASES) / 4);
    expect(opened).toBeLessThan(KINDS.length * CASES);
  });

  it.skipIf(process.platform !== 'linux')('leave no worker behind, and take a bounded memory', async () => {
    await expect.poll(() => page.workers().length).toBe(0);
    await expect.poll(async () => (await pageMemory(browser)) - first).toBeLessThan(MAX_GROWTH);
    expect(largest).toBeGreaterThan(first);
    expect(largest).toBeLessThan(MAX_TOTAL);
  });
});
