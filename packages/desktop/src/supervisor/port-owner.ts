/** Which program listens at a port, as far as the system tells. Nothing here ends a process. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import type { PortOwner } from './protocol.js';

type FoundOwner = Omit<PortOwner, 'isOurs'>;

const LISTENING = '0A';
const TOOL_MS = 3_000;
const TRIED_PORTS = 50;

/** Returns the process that listens at a port of this computer; empty when the system does not reveal it. */
export async function findPortOwner(port: number): Promise<FoundOwner> {
  if (process.platform === 'linux') return findByProc(port);
  if (process.platform === 'darwin') return findByLsof(port);
  return {};
}

/** Returns the first port from `from` on that is free now. */
export async function findFreePort(from: number): Promise<number> {
  for (let port = from; port < Math.min(from + TRIED_PORTS, 65_536); port++) if (await isFree(port)) return port;
  return 0;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** Linux: the table of sockets has the inode of the listener, and its process has a descriptor with that inode. */
function findByProc(port: number): FoundOwner {
  const inodes = new Set(['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) => listenerInodes(readText(table), port)));
  if (inodes.size === 0) return {};
  for (const name of listFolder('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    // Processes of other users cannot be read, and are skipped.
    const descriptors = listFolder(`/proc/${name}/fd`);
    if (descriptors.some((fd) => inodes.has(readLink(`/proc/${name}/fd/${fd}`)))) {
      const program = readText(`/proc/${name}/comm`).trim();
      return { pid: Number(name), ...(program === '' ? {} : { program }) };
    }
  }
  return {};
}

/** Returns the names of the sockets that listen at a port, by the text of `/proc/net/tcp`. */
export function listenerInodes(table: string, port: number): string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return table
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => local?.endsWith(suffix) && state === LISTENING)
    .map((fields) => `socket:[${fields[9]}]`);
}

function findByLsof(port: number): Promise<FoundOwner> {
  return new Promise((resolve) => {
    const args = ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc'];
    execFile('lsof', args, { timeout: TOOL_MS }, (_error, stdout) => resolve(parseLsof(stdout)));
  });
}

/** Reads the output of `lsof -Fpc`: a line `p1234` and a line `cname`. */
export function parseLsof(text: string): FoundOwner {
  const [, pid] = /^p(\d+)$/m.exec(text) ?? [];
  const [, program] = /^c(.+)$/m.exec(text) ?? [];
  return { ...(pid === undefined ? {} : { pid: Number(pid) }), ...(program === undefined ? {} : { program }) };
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function listFolder(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
