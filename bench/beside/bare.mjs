// A bare server in Node, as little as the requests of the bench can be answered with: what any server in JavaScript needs at
// least. It checks nothing, and keeps the samples as they are in the file, to convert them to float32 while it sends them.
// On its only thread, it reads plain TIFFs of uint16 itself, and other files through our readers, which must be built and are
// loaded before it listens.
//   node bare.mjs PORT
import { randomUUID } from 'node:crypto';
import { closeSync, lstatSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { FORMATS } from '../../packages/readers/dist/formats/index.js';
import { NativeTarget } from '../../packages/readers/dist/model/samples/plane-target.js';
import { openAcquisition } from '../../packages/server/dist/open.js';

/** Samples converted at a time: found by trying, as in the real server. */
const PIECE = 65_536;
const LIST = 'folders?path=';
const TAGS = { width: 256, height: 257, bits: 258, compression: 259, offsets: 273, counts: 279 };

/** @typedef {{ shape: number[], samples: Uint16Array }} Plane a sample may have any type of number */

/** Planes of each session. @type {Map<string, Uint16Array[]>} */
const sessions = new Map();

const server = createServer(async (request, response) => {
  const [, , , kind, session = '', , channel = ''] = (request.url ?? '').split('/');
  if (kind === 'health') answer(response, 200, { ok: true });
  else if (kind === 'open') {
    let text = '';
    for await (const part of request) text += part;
    await open(response, JSON.parse(text).path);
  } else if (kind?.startsWith(LIST)) {
    answer(response, 200, { ok: true, entries: listFolder(decodeURIComponent(kind.slice(LIST.length))) });
  } else if (request.method === 'DELETE') answer(response, 200, { ok: true, deleted: sessions.delete(session) });
  else sendPlane(response, sessions.get(session)?.[Number(channel)]);
});
// Connections outlast the pauses of the bench.
server.keepAliveTimeout = 75_000;
await Promise.all(FORMATS.map((format) => format.load()));
server.listen(Number(process.argv[2]), '127.0.0.1');

/** @param {import('node:http').ServerResponse} response @param {number} status @param {object} value */
function answer(response, status, value) {
  const text = JSON.stringify(value);
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
    .end(text);
}

/** Lists the files of a folder in natural order. @param {string} folder */
function listFolder(folder) {
  const names = readdirSync(folder).sort(new Intl.Collator('en', { numeric: true }).compare);
  return names.map((name) => {
    const path = `${folder}/${name}`;
    const { size, mtimeMs } = lstatSync(path);
    return { name, path, kind: 'file', size, modified: Math.floor(mtimeMs), openable: true };
  });
}

/** @param {import('node:http').ServerResponse} response @param {string} path */
async function open(response, path) {
  /** @type {Plane[]} */
  let planes;
  try {
    planes = readPlainTiff(path) ?? (await readPlanes(path));
  } catch (error) {
    answer(response, 422, { ok: false, error: 'decode_failed', message: String(error) });
    return;
  }
  const sessionId = randomUUID();
  sessions.set(
    sessionId,
    planes.map(({ samples }) => samples),
  );
  answer(response, 200, {
    ok: true,
    sessionId,
    plane: { shape: planes[0]?.shape },
    channels: planes.map(({ samples }, index) => ({
      index,
      byteLength: samples.length * 4,
      dataUrl: `/api/v2/sessions/${sessionId}/channels/${index}/data`,
    })),
  });
}

/** Reads the first plane of each channel. @param {string} path @returns {Promise<Plane[]>} */
async function readPlanes(path) {
  const { acquisition, close } = await openAcquisition(path);
  const [{ channels, sampleType, sizes }] = acquisition.info.scenes;
  const planes = [];
  for (const channel of channels.keys()) {
    const target = new NativeTarget(sampleType, sizes.Y, sizes.X);
    await acquisition.readPlane({ scene: 0, channel, t: 0, z: 0 }, target);
    planes.push({ shape: [sizes.Y, sizes.X], samples: target.data });
  }
  close();
  return planes;
}

/** Reads a plane for each page. @param {string} path @returns {Plane[] | undefined} undefined for other files */
function readPlainTiff(path) {
  if (statSync(path).isDirectory()) return undefined;
  const file = openSync(path, 'r');
  try {
    const head = readAt(file, 0, 8);
    if (head.toString('latin1', 0, 2) !== 'II' || head.readUInt16LE(2) !== 42) return undefined;
    const planes = [];
    for (let at = head.readUInt32LE(4); at !== 0; ) {
      const count = readAt(file, at, 2).readUInt16LE(0);
      const entries = readAt(file, at + 2, count * 12 + 4);
      const [width = [], height = [], bits = [], compression = [1], offsets = [], counts = []] = Object.values(
        TAGS,
      ).map((tag) => valuesOf(file, entries, count, tag));
      if (bits[0] !== 16 || compression[0] !== 1) return undefined;
      planes.push({ shape: [height[0] ?? 0, width[0] ?? 0], samples: readStrips(file, offsets, counts) });
      at = entries.readUInt32LE(count * 12);
    }
    return planes;
  } finally {
    closeSync(file);
  }
}

/** @param {number} file @param {Buffer} entries of a directory @param {number} count of entries @param {number} tag */
function valuesOf(file, entries, count, tag) {
  for (let at = 0; at < count * 12; at += 12) {
    if (entries.readUInt16LE(at) !== tag) continue;
    const size = entries.readUInt16LE(at + 2) === 3 ? 2 : 4;
    const length = entries.readUInt32LE(at + 4) * size;
    const bytes =
      length <= 4 ? entries.subarray(at + 8, at + 8 + length) : readAt(file, entries.readUInt32LE(at + 8), length);
    return Array.from({ length: length / size }, (_, i) => bytes.readUIntLE(i * size, size));
  }
  return undefined;
}

/** Strips that follow one another are read at once. @param {number} file @param {number[]} offsets @param {number[]} counts */
function readStrips(file, offsets, counts) {
  const bytes = Buffer.allocUnsafeSlow(counts.reduce((sum, length) => sum + length, 0));
  let to = 0;
  for (let i = 0; i < offsets.length; ) {
    const from = offsets[i] ?? 0;
    let end = from;
    while (i < offsets.length && offsets[i] === end) end += counts[i++] ?? 0;
    readSync(file, bytes, to, end - from, from);
    to += end - from;
  }
  return new Uint16Array(bytes.buffer);
}

/** @param {number} file @param {number} offset @param {number} length */
function readAt(file, offset, length) {
  const bytes = Buffer.allocUnsafe(length);
  readSync(file, bytes, 0, length, offset);
  return bytes;
}

/** @param {import('node:http').ServerResponse} response @param {Uint16Array | undefined} samples */
function sendPlane(response, samples) {
  if (!samples) {
    answer(response, 404, { ok: false, error: 'session_not_found' });
    return;
  }
  response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': samples.length * 4 });
  let at = 0;
  const send = () => {
    while (at < samples.length) {
      const piece = new Float32Array(samples.subarray(at, at + PIECE));
      at += piece.length;
      if (!response.write(new Uint8Array(piece.buffer))) {
        response.once('drain', send);
        return;
      }
    }
    response.end();
  };
  send();
}
