// The client: node:http with connections that stay open, which counts the bytes of planes and keeps none.
import { createHash } from 'node:crypto';
import { Agent, request } from 'node:http';

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/**
 * What one open took, in milliseconds from its start; or why the server refused it.
 * @typedef {{ open: number, first: number, all: number, bytes: number, shape: number[], hashes: string[] }} Visit
 * @typedef {{ refused: string }} Refusal
 */

/**
 * Opens `path`, reads its planes one after another, and deletes the session. API v1 gives at most two planes, and has no
 * way to end a session.
 * @param {{ url: string, api?: 'v1' | 'v2' }} server
 * @param {string} path
 * @param {{ hash?: boolean, planes?: number, keep?: boolean }} options `planes` are read at most; `keep` spares the session
 * @returns {Promise<Visit | Refusal>}
 */
export async function visit(server, path, { hash = false, planes = Number.POSITIVE_INFINITY, keep = false } = {}) {
  const { url: base, api = 'v2' } = server;
  const start = performance.now();
  const opened = await exchange(base, 'POST', `/api/${api}/open`, { path });
  if (opened.status !== 200) return { refused: opened.body.message ?? opened.body.error };
  const open = performance.now() - start;
  const { channels, shape, sessionId } = api === 'v1' ? fromV1(opened.body) : fromV2(opened.body);
  let first = 0;
  let bytes = 0;
  const hashes = [];
  for (const channel of channels.slice(0, planes)) {
    const read = await readPlane(base, channel.url, hash);
    first ||= performance.now() - start;
    if (read.bytes !== channel.byteLength)
      throw new Error(`${path}: ${read.bytes} of ${channel.byteLength} bytes came`);
    bytes += read.bytes;
    hashes.push(read.hash);
  }
  const all = performance.now() - start;
  if (!keep && api === 'v2') await exchange(base, 'DELETE', `/api/v2/sessions/${sessionId}`);
  return { open, first, all, bytes, shape, hashes };
}

/**
 * Opens `path` and leaves its first plane to be read by another program.
 * @param {{ url: string, api?: 'v1' | 'v2' }} server
 * @param {string} path
 * @returns {Promise<{ url: string, byteLength: number, end: () => Promise<unknown> }>} `end` deletes the session
 */
export async function openedPlane({ url, api = 'v2' }, path) {
  const { body } = await exchange(url, 'POST', `/api/${api}/open`, { path });
  const { channels, sessionId } = api === 'v1' ? fromV1(body) : fromV2(body);
  const end = async () => api === 'v2' && exchange(url, 'DELETE', `/api/v2/sessions/${sessionId}`);
  return { url: url + channels[0].url, byteLength: channels[0].byteLength, end };
}

/**
 * Lists a folder.
 * @param {{ url: string }} server @param {string} path
 * @returns {Promise<{ ms: number, entries: object[] }>}
 */
export async function listFolder({ url }, path) {
  const start = performance.now();
  const { body } = await exchange(url, 'GET', `/api/v2/folders?path=${encodeURIComponent(path)}`);
  return { ms: performance.now() - start, entries: body.entries };
}

/** @param {any} body of an answer to an open */
function fromV2({ channels, plane, sessionId }) {
  return {
    channels: channels.map(({ dataUrl, byteLength }) => ({ url: dataUrl, byteLength })),
    shape: plane.shape,
    sessionId,
  };
}

/** @param {any} body */
function fromV1({ channels: { calcium, vessels }, sessionId }) {
  const shape = [calcium.height, calcium.width];
  return { channels: vessels === undefined ? [calcium] : [calcium, vessels], shape, sessionId };
}

/** One request with a JSON answer. */
function exchange(base, method, path, body = undefined) {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers = text === undefined ? {} : { 'content-type': 'application/json' };
    const req = request(base + path, { method, headers, agent }, (response) => {
      const parts = [];
      response.on('data', (part) => parts.push(part));
      response.on('end', () =>
        resolve({ status: response.statusCode, body: JSON.parse(Buffer.concat(parts).toString()) }),
      );
    });
    req.on('error', reject);
    req.end(text);
  });
}

/** Reads one plane: its length, and its SHA-256 when asked for. @returns {Promise<{ bytes: number, hash: string }>} */
function readPlane(base, path, hashed = false) {
  return new Promise((resolve, reject) => {
    const req = request(base + path, { agent }, (response) => {
      const hash = hashed ? createHash('sha256') : undefined;
      let bytes = 0;
      response.on('data', (part) => {
        bytes += part.length;
        hash?.update(part);
      });
      response.on('error', reject);
      response.on('end', () => {
        if (response.statusCode === 200) resolve({ bytes, hash: hash?.digest('hex') ?? '' });
        else reject(new Error(`${path}: ${response.statusCode}`));
      });
    });
    req.on('error', reject);
    req.end();
  });
}

/** Ends the connections that wait for a next request. */
export function closeConnections() {
  agent.destroy();
}
