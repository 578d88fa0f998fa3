import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { promisify } from 'node:util';
import Value from 'typebox/value';
import { Health, Index } from '../contract/common.js';
import { ErrorEnvelope } from '../contract/error.js';
import { DESCRIPTION } from '../server/about.js';
import { isAlive, readInstance } from './instance.js';

/** Who answers at an address. */
export type Neighbour =
  | { kind: 'nobody' }
  /** A server of this product. */
  | { kind: 'own'; url: string; version: string; pid: number | undefined }
  /** Something else, described as far as it can be known. */
  | { kind: 'alien'; description: string };

const ANSWER_MS = 2_000;
const MAX_ANSWER_BYTES = 65_536;

/** The base address under which a local client reaches a server that binds `host`. */
export function localUrl(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/**
 * Asks who answers at an address: by the health and the index of the API, with the instance file as a second witness.
 * Binding the port would not tell: some systems let two programs share one.
 */
export async function whoAnswers(host: string, port: number, stateDir: string): Promise<Neighbour> {
  const url = localUrl(host, port);
  const health = await ask(`${url}/api/v2/health`);
  if (health === 'refused') return { kind: 'nobody' };
  const note = readInstance(stateDir, port);
  const pid = note && isAlive(note.pid) ? note.pid : undefined;
  if (health !== 'silent') {
    const index = await ask(`${url}/api/v2`);
    if (Value.Check(Health, health.json) && typeof index === 'object' && Value.Check(Index, index.json)) {
      if (index.json.description === DESCRIPTION) return { kind: 'own', url, version: index.json.serverVersion, pid };
      return { kind: 'alien', description: `another server of this API ("${index.json.description}")` };
    }
    // A server that wants a token does not tell more, but its note and its envelope agree.
    if (note && pid && Value.Check(ErrorEnvelope, health.json) && health.json.error === 'unauthorized') {
      return { kind: 'own', url, version: note.version, pid };
    }
  }
  return { kind: 'alien', description: await describeAlien(port, health) };
}

interface Answer {
  status: number;
  server: string;
  json: unknown;
}

/** `refused`: nobody listens. `silent`: somebody does, but does not speak HTTP, or not in time. */
async function ask(url: string): Promise<Answer | 'refused' | 'silent'> {
  try {
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(ANSWER_MS) });
    const server = response.headers.get('server') ?? '';
    return { status: response.status, server, json: parseJson(await readSome(response)) };
  } catch (error) {
    const code = (error as { cause?: { code?: string } }).cause?.code ?? '';
    return ['ECONNREFUSED', 'EADDRNOTAVAIL', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH'].includes(code)
      ? 'refused'
      : 'silent';
  }
}

async function readSome(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
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

async function describeAlien(port: number, answer: Answer | 'silent'): Promise<string> {
  const owner = process.platform === 'linux' ? ownerFromProc(port) : await ownerFromLsof(port);
  const speech =
    answer === 'silent'
      ? 'it does not speak HTTP'
      : `it answers HTTP ${answer.status}${answer.server && ` as "${answer.server}"`}`;
  return `${owner ?? 'another program'}; ${speech}`;
}

/** Name and pid of the process that listens on a port, from /proc. Processes of other users stay unknown. */
function ownerFromProc(port: number): string | undefined {
  const inodes = new Set(['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) => listeningInodes(table, port)));
  for (const pid of list('/proc').filter((name) => /^\d+$/.test(name))) {
    const owns = list(`/proc/${pid}/fd`).some((fd) =>
      inodes.has(attempt(() => readlinkSync(`/proc/${pid}/fd/${fd}`)) ?? ''),
    );
    if (owns)
      return `${attempt(() => readFileSync(`/proc/${pid}/comm`, 'utf8').trim()) ?? 'a program'} (process ${pid})`;
  }
  return undefined;
}

/** Column 1 is the local address, 3 the state (0A = listening), 9 the inode (proc_pid_net(5)). */
function listeningInodes(table: string, port: number): string[] {
  const lines = (attempt(() => readFileSync(table, 'utf8')) ?? '').split('\n').slice(1);
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return lines
    .map((line) => line.trim().split(/\s+/))
    .filter((columns) => columns[1]?.endsWith(wanted) && columns[3] === '0A')
    .map((columns) => `socket:[${columns[9]}]`);
}

async function ownerFromLsof(port: number): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)('lsof', ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc'], {
      timeout: ANSWER_MS,
    });
    const pid = /^p(\d+)$/m.exec(stdout)?.[1];
    const name = /^c(.+)$/m.exec(stdout)?.[1];
    return pid && name ? `${name} (process ${pid})` : undefined;
  } catch {
    return undefined;
  }
}

function list(path: string): string[] {
  return attempt(() => readdirSync(path)) ?? [];
}

function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}
