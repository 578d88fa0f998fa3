import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { Health, Index } from '@acquisition-store/client/contract/common.js';
import { ErrorEnvelope } from '@acquisition-store/client/contract/error.js';
import Value from 'typebox/value';
import { isAlive } from '../processes.js';
import { DESCRIPTION } from '../server/about.js';
import { readInstance } from './instance.js';

/** The program at an address that could not be bound. */
export type AddressOwner =
  /** A server of this product. */
  { kind: 'same'; url: string; version: string; pid: number | undefined } | { kind: 'other'; description: string };

const ANSWER_MS = 2_000;
const MAX_ANSWER_BYTES = 65_536;

/** Returns the base address for local clients of a server that binds `host`. */
export function localUrl(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/**
 * Finds out which program uses an address, by the health and the index of the API and by the instance file. Call it
 * only after the address could not be bound, because systems differ in how a closed port refuses.
 */
export async function findAddressOwner(host: string, port: number, stateDir: string): Promise<AddressOwner> {
  const url = localUrl(host, port);
  const health = await ask(`${url}/api/v2/health`);
  if (health === 'silent') return { kind: 'other', description: describeOther(health) };
  const note = readInstance(stateDir, port);
  const pid = note && isAlive(note.pid) ? note.pid : undefined;
  const index = await ask(`${url}/api/v2`);
  if (Value.Check(Health, health.json) && typeof index === 'object' && Value.Check(Index, index.json)) {
    if (index.json.description === DESCRIPTION) return { kind: 'same', url, version: index.json.serverVersion, pid };
    return { kind: 'other', description: `another server of this API ("${index.json.description}")` };
  }
  // A server that requires a token does not identify itself, but its instance file and error envelope match.
  if (note && pid && Value.Check(ErrorEnvelope, health.json) && health.json.error === 'unauthorized') {
    return { kind: 'same', url, version: note.version, pid };
  }
  return { kind: 'other', description: describeOther(health) };
}

interface HttpAnswer {
  status: number;
  server: string;
  json: unknown;
}

/** Requests an address. `silent`: no HTTP answer in time, for any reason. */
async function ask(url: string): Promise<HttpAnswer | 'silent'> {
  const deadline = new AbortController();
  // The timer of AbortSignal.timeout does not keep the process alive, so the command would end without output.
  const timer = setTimeout(() => deadline.abort(), ANSWER_MS);
  try {
    const [response] = (await once(get(url, { agent: false, signal: deadline.signal }), 'response', deadline)) as [
      IncomingMessage,
    ];
    const server = String(response.headers['server'] ?? '');
    return { status: response.statusCode ?? 0, server, json: parseJson(await readSome(response)) };
  } catch {
    return 'silent';
  } finally {
    clearTimeout(timer);
    deadline.abort();
  }
}

/** Reads the start of a body and drops the rest. */
async function readSome(response: IncomingMessage): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response as AsyncIterable<Uint8Array>) {
    parts.push(part);
    length += part.length;
    if (length > MAX_ANSWER_BYTES) break;
  }
  return Buffer.concat(parts).toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function describeOther(answer: HttpAnswer | 'silent'): string {
  if (answer === 'silent') return 'another program, which does not answer over HTTP';
  return `another program, which answers HTTP ${answer.status}${answer.server && ` as "${answer.server}"`}`;
}
