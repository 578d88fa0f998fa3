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
 * Opens `path`, reads its planes one after another, and deletes the session.
 * @param {string} base
 * @param {string} path
 * @param {{ hash?: boolean, planes?: number, keep?: boolean }} options `planes` are read at most; `keep` spares the session
 * @returns {Promise<Visit | Refusal>}
 */
export async function visit(base, path, { hash = false, planes = Number.POSITIVE_INFINITY, keep = false } = {}) {
  const start = performance.now();
  const opened = await exchange(base, 'POST', '/api/v2/open', { path });
  if (opened.status !== 200) return { refused: opened.body.message ?? opened.body.error };
  const open = performance.now() - start;
  const { channels, plane, sessionId } = opened.body;
  let first = 0;
  let bytes = 0;
  const hashes = [];
  for (const channel of channels.slice(0, planes)) {
    const read = await readPlane(base, channel.dataUrl, hash);
    first ||= performance.now() - start;
    if (read.bytes !== channel.byteLength)
      throw new Error(`${path}: ${read.bytes} of ${channel.byteLength} bytes came`);
    bytes += read.bytes;
    hashes.push(read.hash);
  }
  const all = performance.now() - start;
  if (!keep) await exchange(base, 'DELETE', `/api/v2/sessions/${sessionId}`);
  return { open, first, all, bytes, shape: plane.shape, hashes };
}

/** One request with a JSON answer. */
export function exchange(base, method, path, body = undefined) {
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
