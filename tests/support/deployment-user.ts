/** A person or program that uses a deployment, over connections that are kept. */
import { writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { writeTiff } from '../writers/tiff.js';
import { HOST, TOKEN } from './deployment.js';

const [WIDTH, HEIGHT] = [64, 48];

/** Samples of scan `index`: no two scans are the same. */
const valuesOf = (index: number) =>
  Uint16Array.from({ length: WIDTH * HEIGHT }, (_, at) => (at * 7 + index * 131) % 65_521);

/** The bytes of the plane of scan `index`. */
export function samplesOf(index: number): Buffer {
  return Buffer.from(Float32Array.from(valuesOf(index)).buffer);
}

function scan(index: number): Uint8Array {
  return writeTiff({ pages: [{ width: WIDTH, height: HEIGHT, samples: valuesOf(index) }] });
}

/** Writes scans and returns their paths. */
export function writeScans(folder: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const path = join(folder, `scan-${index}.tif`);
    writeFileSync(path, scan(index));
    return path;
  });
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
}

export interface Opened {
  sessionId: string;
}

/** An answer with another status than expected. */
export class Refused extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, text: string) {
    super(`${status} ${code}: ${text}`);
    this.status = status;
    this.code = code;
  }
}

export class User {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 4, rejectUnauthorized: false });
  readonly #url: string;
  constructor(url: string) {
    this.#url = url;
  }

  ask(
    method: string,
    path: string,
    { body, headers = {} }: { body?: string | Uint8Array; headers?: Record<string, string> } = {},
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const options = {
        method,
        agent: this.#agent,
        headers: { host: HOST, authorization: `Bearer ${TOKEN}`, ...headers },
      };
      const sent = request(this.#url + path, options, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('error', reject);
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(parts) }),
        );
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }

  /** @throws Refused */
  async json<T>(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<T> {
    const sent = body
      ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } }
      : {};
    const { status, bytes } = await this.ask(method, `/api/v2${path}`, sent);
    const text = bytes.toString();
    if (status !== 200) throw new Refused(status, /"error":"(\w+)"/.exec(text)?.[1] ?? 'no code', text);
    return JSON.parse(text) as T;
  }

  open(path: string, headers?: Record<string, string>): Promise<Opened> {
    return this.json('POST', '/open', { path }, headers);
  }

  plane(sessionId: string): Promise<Answer> {
    return this.ask('GET', `/api/v2/sessions/${sessionId}/channels/0/data`);
  }

  /** Sends scan `index` and opens it. */
  async upload(name: string, index: number): Promise<Opened> {
    const body = scan(index);
    const { uploadId } = await this.json<{ uploadId: string }>('POST', '/uploads', { name, size: body.length });
    const headers = { 'content-type': 'application/octet-stream' };
    const { status, bytes } = await this.ask('PUT', `/api/v2/uploads/${uploadId}/files/${name}`, { body, headers });
    if (status !== 200) throw new Refused(status, 'upload', bytes.toString());
    return this.json('POST', `/uploads/${uploadId}/open`, {});
  }

  close(): void {
    this.#agent.destroy();
  }
}
