/** How often the engine of a page reads a file for the chunks of reduced levels. */
import { afterAll, expect, it } from 'vitest';
import { openAcquisition } from '../../../packages/server/src/open.js';
import { PlaneStore } from '../../../packages/viewer/src/engine/plane-store.ts';
import {
  type OpenSession,
  type PlaneSource,
  SessionPlanes,
} from '../../../packages/viewer/src/engine/session-planes.ts';
import { zarrValueOf } from '../../../packages/viewer/src/engine/zarr-values.ts';
import { JobQueue } from '../../../packages/viewer/src/model/job-queue.ts';
import { tempFolder, writeTemp } from '../../support/temp.js';
import { writeTiff } from '../../writers/tiff.js';

const [WIDTH, HEIGHT] = [1_500, 2_100];
const PLANE_BYTES = WIDTH * HEIGHT * 2;
/** Two of the first reduced level, one of the second. */
const CHUNKS = ['0/1/c/0/0/0/0/0', '0/1/c/0/0/0/1/0', '0/2/c/0/0/0/0/0'];

const samples = new Uint16Array(WIDTH * HEIGHT).map((_, i) => i % 60_000);
const pages = [{ width: WIDTH, height: HEIGHT, samples }];
const opened = await openAcquisition(writeTemp(tempFolder(), 'wide.tif', writeTiff({ pages })));
afterAll(() => opened.close());

/** A session of a page that has room for so many bytes, and counts the planes that it reads. */
function open(room: number): { session: OpenSession; store: PlaneStore; reads: () => number } {
  let count = 0;
  const acquisition = {
    info: opened.acquisition.info,
    readPlane: (...args: Parameters<PlaneSource['acquisition']['readPlane']>) => {
      count++;
      return opened.acquisition.readPlane(...args);
    },
  };
  const store = new PlaneStore(room);
  const source = {
    acquisition,
    plan: { scene: 0 },
    key: 'wide',
    store,
    reads: new JobQueue(),
  } as unknown as PlaneSource;
  const header = { dims: [], physicalUnits: [], physicalUnitsLabels: [], sizes: {}, fileSize: '1 KB' };
  const info = { source: { name: 'wide.tif' }, header, warnings: [] };
  const session = { info, source, images: new SessionPlanes(source) } as unknown as OpenSession;
  return { session, store, reads: () => count };
}

const chunkOf = (session: OpenSession, key: string) => zarrValueOf(session, new AbortController().signal, key, '0.5');

it.each([
  [
    'one after another',
    async (values: (() => Promise<Uint8Array | null>)[]) => {
      const all: (Uint8Array | null)[] = [];
      for (const value of values) all.push(await value());
      return all;
    },
  ],
  ['at a time', (values: (() => Promise<Uint8Array | null>)[]) => Promise.all(values.map((value) => value()))],
])('reads a plane without room once for the chunks of its reduced levels, asked for %s', async (_, ask) => {
  const small = open(PLANE_BYTES / 2);
  const found = await ask(CHUNKS.map((key) => () => chunkOf(small.session, key)));
  expect(small.reads()).toBe(1);
  const large = open(PLANE_BYTES * 2);
  for (const [i, key] of CHUNKS.entries()) {
    const expected = Buffer.from((await chunkOf(large.session, key))!);
    expect(expected.equals(found[i]!), key).toBe(true);
  }
  expect(large.reads()).toBe(1);
});

it('takes a plane in memory for its reduced levels, and keeps the plane for its own chunks', async () => {
  const { session, reads } = open(PLANE_BYTES * 2);
  for (const key of ['0/0/c/0/0/0/0/0', ...CHUNKS, '0/0/c/0/0/0/1/1']) await chunkOf(session, key);
  expect(reads()).toBe(1);
});

it('keeps no levels that are larger than the room', async () => {
  const { session, reads } = open(PLANE_BYTES / 8);
  for (const key of CHUNKS) await chunkOf(session, key);
  expect(reads()).toBe(CHUNKS.length);
});
