import { describe, expect, it } from 'vitest';
import { openBytes, openFolder } from '../support/memory.js';
import { native, smallImage, stack } from '../support/ome-zarr.js';
import { blosc, CRC32C, GZIP, groupFiles, imageFiles, type StoreFiles, ZSTD, zipStore } from '../writers/ome-zarr.js';
import { cutLengths, honest, hostileCases, mutate, randomNumbers, Witness } from './mutate.js';

const SHARDED = { chunks: [1, 3, 2, 8, 10], inner: { chunks: [1, 1, 1, 4, 5] } };
const SMALL = { shape: [2, 2, 1, 5, 6], chunks: [1, 1, 1, 4, 5] };

async function plate(): Promise<StoreFiles> {
  const files = groupFiles(2, '', { plate: { wells: [{ path: 'A/1' }, { path: 'B/2' }] } });
  for (const well of ['A/1', 'B/2']) {
    for (const [key, bytes] of groupFiles(2, well, { well: { images: [{ path: '0' }] } })) files.set(key, bytes);
    for (const [key, bytes] of await imageFiles(smallImage({ path: `${well}/0` }))) files.set(key, bytes);
  }
  return files;
}

const openFiles = (files: StoreFiles) => openFolder('memory.ome.zarr', files);
const openZip = (bytes: Uint8Array) => openBytes('memory.ome.zarr.zip', bytes);

/** `fill`: what stands for a chunk that is not stored. */
const STORES: { name: string; fill: number; files: StoreFiles }[] = [
  { name: 'Zarr 2', fill: 7, files: await imageFiles(smallImage({ codecs: [GZIP] })) },
  { name: 'Zarr 3, Blosc', fill: 0, files: await imageFiles(stack({ ...SMALL, codecs: [blosc()] })) },
  {
    name: 'transposed',
    fill: 0,
    files: await imageFiles(stack({ ...SMALL, order: [4, 1, 3, 0, 2], codecs: [CRC32C] })),
  },
  { name: 'shards', fill: 0, files: await imageFiles(stack({ ...SHARDED, codecs: [ZSTD] })) },
  {
    name: 'shards without checksums',
    fill: 0,
    files: await imageFiles(stack({ ...SHARDED, inner: { ...SHARDED.inner, unchecked: true, atStart: true } })),
  },
  { name: 'a plate', fill: 7, files: await plate() },
  { name: 'a line scan of acqstore with its reference', fill: 7, files: await native() },
];

describe('damaged OME-Zarr', () => {
  const cases = hostileCases(10_000);
  const perStore = Math.ceil((cases * 0.4) / STORES.length);

  it.each(STORES)(`$name, one file of it, ${perStore} cases`, { timeout: 7_200_000 }, async ({ files }) => {
    const names = [...files.keys()];
    const outcomes = { refused: 0, opened: 0 };
    for (let i = 0; i < perStore; i++) {
      const victim = names[i % Math.min(names.length, 8)] as string;
      const damaged = new Map(files).set(victim, mutate(files.get(victim) as Uint8Array, i));
      outcomes[await honest(i, () => openFiles(damaged))]++;
    }
    expect(outcomes.opened).toBeGreaterThan(perStore / 10);
  });

  it.each(STORES)(`$name, numbers and words, ${perStore} cases`, { timeout: 7_200_000 }, async ({ files }) => {
    const documents = [...files.keys()].filter((key) => /json$|\.z(attrs|array)$/.test(key));
    const outcomes = { refused: 0, opened: 0 };
    for (let i = 0; i < perStore; i++) {
      const victim = documents[i % documents.length] as string;
      const text = otherValues(Buffer.from(files.get(victim) as Uint8Array).toString(), i);
      const damaged = new Map(files).set(victim, Uint8Array.from(Buffer.from(text)));
      outcomes[await honest(i, () => openFiles(damaged))]++;
    }
    expect(outcomes.opened).toBeGreaterThan(perStore / 20);
    expect(outcomes.refused).toBeGreaterThan(perStore / 50);
  });

  const perZip = Math.ceil(cases * 0.1);
  it.each([
    ['stored', 7, zipStore(STORES[0]?.files as StoreFiles)],
    ['deflated', 0, zipStore(STORES[1]?.files as StoreFiles, { deflate: true, zip64: true })],
  ])(`zip archive, %s, ${perZip} cases`, { timeout: 7_200_000 }, async (_, fill, bytes) => {
    const outcomes = { refused: 0, opened: 0 };
    for (let i = 0; i < perZip; i++) outcomes[await honest(i, () => openZip(mutate(bytes, i)))]++;
    expect(outcomes.refused).toBeGreaterThan(perZip / 10);
    const witness = await Witness.of(bytes, openZip, { pieces: true, fill });
    await witness.expectTrueCuts(cutLengths(bytes, 128));
    // A chunk whose name is damaged is one that was never written.
    await witness.expectTrueChanges(perZip, 0.12);
  });

  it.each(STORES)('$name, true planes when a file of it is cut or changed', async ({ files, fill }) => {
    const stride = Math.ceil(files.size / 8);
    for (const [victim, bytes] of [...files].filter((_, i) => i % stride === 0)) {
      const open = (other: Uint8Array) => openFiles(new Map(files).set(victim, other as Uint8Array<ArrayBuffer>));
      const witness = await Witness.of(bytes, open, { pieces: true, fill });
      await witness.expectTrueCuts(cutLengths(bytes, 16));
      await witness.expectTrueChanges(Math.ceil(perStore / 16), 0.1);
    }
  });
});

const EDGES = ['0', '1', '2', '3', '5', '16', '-1', '0.5', '65536', '2147483648', '9007199254740993', '1e300', 'null'];
const WORDS = [
  '"0"',
  '""',
  '[]',
  '{}',
  '[[]]',
  'true',
  '"../0"',
  '"/"',
  '"NaN"',
  '"x"',
  '"transpose"',
  '"bytes"',
  '"c"',
];

/** One to three values of a JSON document replaced by others. */
function otherValues(text: string, seed: number): string {
  const random = randomNumbers(seed);
  let changed = text;
  for (let n = 1 + Math.floor(random() * 3); n > 0; n--) {
    const found = [...changed.matchAll(/(?<=[:[,])(-?\d[\d.eE+-]*|"[^"]*"(?!:))/g)];
    const match = found[Math.floor(random() * found.length)];
    if (!match) break;
    const list = random() < 0.6 ? EDGES : WORDS;
    const value = list[Math.floor(random() * list.length)] as string;
    changed = changed.slice(0, match.index) + value + changed.slice(match.index + match[0].length);
  }
  return changed;
}

describe('metadata that cost more than they say', () => {
  const document = (text: string): StoreFiles => new Map([['.zattrs', Uint8Array.from(Buffer.from(text))]]);

  it('nested a hundred thousand deep are an error', async () => {
    const deep = `{"multiscales":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    expect(await honest(0, () => openFiles(document(deep)))).toBe('refused');
  });

  it('with a hundred thousand wells that are not there list what is missing once each', async () => {
    const wells = Array.from({ length: 100_000 }, (_, i) => ({ path: `A/${i}` }));
    expect(await honest(0, () => openFiles(document(JSON.stringify({ plate: { wells } }))))).toBe('refused');
  });

  it('that lead to themselves end', async () => {
    const files = document(JSON.stringify({ plate: { wells: [{ path: '.' }] }, well: { images: [{ path: '.' }] } }));
    expect(await honest(0, () => openFiles(files))).toBe('refused');
  });

  it.each([
    ['codecs', { codecs: Array.from({ length: 1000 }, () => GZIP.v3) }, /lists 1,000 codecs/],
    ['levels', { datasets: Array.from({ length: 1000 }, () => ({ path: '0' })) }, /lists 1,000 levels/],
    ['images', { multiscales: Array.from({ length: 5000 }, () => ({})) }, /lists 5,000 images/],
  ])('with thousands of %s are refused', async (_, over: Record<string, unknown>, message) => {
    const files = await imageFiles(stack({ over: 'codecs' in over ? over : {} }));
    const { ome } = JSON.parse(Buffer.from(files.get('zarr.json') as Uint8Array).toString()).attributes;
    if ('datasets' in over) Object.assign(ome.multiscales[0], over);
    if ('multiscales' in over) Object.assign(ome, over);
    for (const [key, bytes] of groupFiles(3, '', ome)) files.set(key, bytes);
    await expect(openFiles(files)).rejects.toThrow(message);
  });

  it('that claim to be larger than any are not read', async () => {
    const files = await imageFiles(smallImage());
    files.set('.zattrs', new Uint8Array(64 * 2 ** 20 + 1));
    await expect(openFiles(files)).rejects.toThrow(/67,108,865 bytes of metadata/);
  });
});
