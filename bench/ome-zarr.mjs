// OME-Zarr: chunks plain, Blosc and Zstd, and in a shard. Each beside a bare read and decode of the same chunks: by the
// library that writes them (c-blosc, zstd), without any metadata, placement or check.
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { compress } from '@bokuweb/zstd-wasm';
import Blosc from 'numcodecs/blosc';

const SIDE = 2048;
const TILE = 256;
const LINES = 30_000;
const COLUMNS = 512;
const RUN = 1000;

/** A 12-bit signal with noise. */
function signal(rows, columns, from) {
  const out = new Uint16Array(rows * columns);
  let seed = (from * 2654435761) >>> 0;
  for (let i = 0; i < out.length; i++) {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    const [y, x] = [from + Math.floor(i / columns), i % columns];
    out[i] = 400 + ((x * 7 + y * 3) % 211) * 12 + (seed >>> 26);
  }
  return new Uint8Array(out.buffer);
}

const BLOSC = { id: 'blosc', cname: 'lz4', clevel: 5, shuffle: 1, blocksize: 0 };
const blosc = Blosc.fromConfig(BLOSC);
const BYTES = { name: 'bytes', configuration: { endian: 'little' } };
const KINDS = {
  plain: { chain: [BYTES], encode: (bytes) => bytes },
  blosc: {
    chain: [
      BYTES,
      { name: 'blosc', configuration: { cname: 'lz4', clevel: 5, shuffle: 'shuffle', typesize: 2, blocksize: 0 } },
    ],
    encode: (bytes) => blosc.encode(bytes),
  },
  zstd: {
    chain: [BYTES, { name: 'zstd', configuration: { level: 3, checksum: false } }],
    encode: (bytes) => compress(bytes, 3),
  },
};

/**
 * @param {string} folder
 * @param {{ kind: string, rows: number, columns: number, tile: number[], sharded?: boolean }} store
 */
async function writeStore(folder, { kind, rows, columns, tile, sharded }) {
  if (existsSync(folder)) return;
  const { chain, encode } = KINDS[kind];
  const grid = [Math.ceil(rows / tile[0]), Math.ceil(columns / tile[1])];
  const outer = sharded ? [grid[0] * tile[0], grid[1] * tile[1]] : tile;
  const codecs = sharded
    ? [{ name: 'sharding_indexed', configuration: { chunk_shape: tile, codecs: chain, index_codecs: [BYTES] } }]
    : chain;
  const parts = [];
  for (let r = 0; r < grid[0]; r++) {
    for (let c = 0; c < grid[1]; c++) {
      const bytes = Uint8Array.from(await encode(signal(tile[0], tile[1], r * grid[1] + c)));
      if (sharded) parts.push(bytes);
      else put(join(folder, '0', 'c', String(r), String(c)), bytes);
    }
  }
  if (sharded) {
    const index = new BigUint64Array(parts.length * 2);
    let at = 0;
    parts.forEach(({ length }, i) => {
      index.set([BigInt(at), BigInt(length)], i * 2);
      at += length;
    });
    put(join(folder, '0', 'c', '0', '0'), Buffer.concat([...parts, new Uint8Array(index.buffer)]));
  }
  const axes = ['y', 'x'].map((name) => ({ name, type: 'space', unit: 'micrometer' }));
  const multiscales = [
    { axes, datasets: [{ path: '0', coordinateTransformations: [{ type: 'scale', scale: [1, 1] }] }] },
  ];
  json(join(folder, '0', 'zarr.json'), {
    zarr_format: 3,
    node_type: 'array',
    shape: [rows, columns],
    data_type: 'uint16',
    chunk_grid: { name: 'regular', configuration: { chunk_shape: outer } },
    chunk_key_encoding: { name: 'default' },
    fill_value: 0,
    codecs,
  });
  json(join(folder, 'zarr.json'), {
    zarr_format: 3,
    node_type: 'group',
    attributes: { ome: { version: '0.5', multiscales } },
  });
}

function put(path, bytes) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
}

const json = (path, value) => put(path, JSON.stringify(value));

/**
 * Returns the file of every chunk and, in a shard, its position there.
 * @param {string} folder
 * @param {{ kind: string, sharded?: boolean }} store
 * @returns {{ path: string, offset?: number, size?: number }[]}
 */
function chunksOf(folder, { sharded }) {
  const root = join(folder, '0', 'c');
  if (!sharded) {
    return readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => ({ path: join(entry.parentPath, entry.name) }));
  }
  const path = join(root, '0', '0');
  const bytes = readFileSync(path);
  const count = (SIDE / TILE) ** 2;
  return Array.from({ length: count }, (_, i) => {
    const at = bytes.length - count * 16 + i * 16;
    return { path, offset: Number(bytes.readBigUInt64LE(at)), size: Number(bytes.readBigUInt64LE(at + 8)) };
  });
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** Medians of two kinds of work that take turns. */
async function pair(rounds, ours, theirs) {
  const times = [[], []];
  for (let i = 0; i < rounds; i++) {
    for (const [k, work] of [ours, theirs].entries()) {
      const start = performance.now();
      await work();
      times[k].push(performance.now() - start);
    }
  }
  return times.map(median);
}

/** Makes the stores once. */
export async function prepareOmeZarr(folder) {
  const tiles = { rows: SIDE, columns: SIDE, tile: [TILE, TILE] };
  const rows = [
    { name: `plain, ${TILE}² chunks`, kind: 'plain', ...tiles },
    { name: `Blosc LZ4, ${TILE}² chunks`, kind: 'blosc', ...tiles },
    { name: `Zstd 3, ${TILE}² chunks`, kind: 'zstd', ...tiles },
    { name: `one shard, Blosc LZ4, ${TILE}² chunks`, kind: 'blosc', sharded: true, ...tiles },
    {
      name: `line scan ${LINES}×${COLUMNS}, Blosc LZ4`,
      kind: 'blosc',
      rows: LINES,
      columns: COLUMNS,
      tile: [RUN, COLUMNS],
    },
  ];
  const stores = rows.map((row, i) => ({ ...row, path: join(folder, `${i}-${row.kind}.ome.zarr`) }));
  for (const { path, ...row } of stores) await writeStore(path, row);
  return stores;
}

/** Prints the rows. `dist` must be built. */
export async function benchOmeZarr(folder, say) {
  const { openAcquisition } = await import('../packages/server/dist/open.js');
  const { Float32Target } = await import('../packages/readers/dist/model/samples/plane-target.js');
  const { BYTE_CODECS } = await import('../packages/readers/dist/codecs/index.js');
  const zstd = await BYTE_CODECS.zstd();
  const { wasmDecoder } = await import('../packages/readers/dist/codecs/zstd.js');
  await wasmDecoder();
  const decoders = {
    plain: (bytes) => bytes,
    blosc: (bytes) => blosc.decode(bytes),
    zstd: (bytes, size) => zstd(bytes, { expected: size, limit: size }),
  };
  say('## OME-Zarr, in process');
  say();
  say(`| ${SIDE}² uint16 | open | plane | bare read + decode + set | ratio |`);
  say('|---|--:|--:|--:|--:|');
  for (const { path, ...row } of await prepareOmeZarr(folder)) {
    const chunks = chunksOf(path, row);
    const size = row.tile[0] * row.tile[1] * 2;
    const start = performance.now();
    const opened = await openAcquisition(path);
    const open = performance.now() - start;
    opened.close();
    const ours = async () => {
      // Opened each time: descriptors of chunks stay open with the acquisition.
      const again = await openAcquisition(path);
      const target = new Float32Target(row.rows, row.columns);
      await again.acquisition.readPlane({ scene: 0, channel: 0, t: 0, z: 0 }, target);
      again.close();
    };
    const bare = async () => {
      const out = new Float32Array(row.rows * row.columns);
      let at = 0;
      for (const chunk of chunks) {
        const bytes = await decoders[row.kind](readChunk(chunk), size);
        const samples = new Uint16Array(bytes.slice().buffer, 0, size / 2);
        out.set(samples, at);
        at += samples.length;
      }
    };
    const [own, theirs] = await pair(9, ours, bare);
    say(
      `| ${row.name} | ${open.toFixed(1)} ms | ${own.toFixed(1)} ms | ${theirs.toFixed(1)} ms | ${(own / theirs).toFixed(2)} |`,
    );
  }
  say();
}

/** @param {{ path: string, offset?: number, size?: number }} chunk */
function readChunk({ path, offset, size }) {
  if (offset === undefined) return readFileSync(path);
  const bytes = new Uint8Array(size);
  const fd = openSync(path, 'r');
  readSync(fd, bytes, 0, size, offset);
  closeSync(fd);
  return bytes;
}
