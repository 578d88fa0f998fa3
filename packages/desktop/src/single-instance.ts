/** Lets one window run per user: a later start hands its file over to the first, and ends. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { linkSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** What a later start asks of the first: to come to the front, and to open a file. */
export interface Handover {
  /** Absolute path. */
  file?: string;
}

/** This start is the first. `release` lets another one be it. */
export interface FirstInstance {
  release(): Promise<void>;
}

/** Where the first instance listens, and what it wants to hear; only its user can read it. */
interface Address {
  socket: string;
  token: string;
}

const ADDRESS_FILE = 'window.json';
/** A socket of Unix has a path of at most 107 bytes, on macOS 103. */
const MAX_SOCKET_BYTES = 100;
/** The first instance answers at once, unless its computer sleeps. */
const ANSWER_MS = 5_000;
const MAX_MESSAGE = 64 * 1024;
const DONE = 'ok\n';
/** Starts that come at the same time see each other in the second round at the latest. */
const ROUNDS = 5;

/**
 * Becomes the first instance, or hands over to the one that is.
 * @param folder that only this user can look into
 * @param onHandover called in the first instance for each later start
 * @returns nothing when another instance has taken over
 */
export async function claimInstance(
  folder: string,
  handover: Handover,
  onHandover: (handover: Handover) => void,
): Promise<FirstInstance | undefined> {
  const path = join(folder, ADDRESS_FILE);
  const own = newAddress(folder);
  const server = await listen(own, onHandover);
  for (let round = 0; round < ROUNDS; round++) {
    if (publish(path, own)) return { release: () => release(path, own, server) };
    const first = readAddress(path);
    if (first?.address && (await send(first.address, handover))) {
      await close(server);
      return undefined;
    }
    if (first) discard(path, first, folder);
  }
  await close(server);
  throw new Error(`${path}: the window that this file is about does not answer. Remove the file, and start again.`);
}

function newAddress(folder: string): Address {
  const name = `window-${randomBytes(6).toString('hex')}`;
  const token = randomBytes(32).toString('hex');
  if (process.platform === 'win32') return { socket: `\\\\.\\pipe\\acquisition-store-${name}`, token };
  const socket = join(folder, `${name}.sock`);
  if (Buffer.byteLength(socket) <= MAX_SOCKET_BYTES) return { socket, token };
  return { socket: join(mkdtempSync(join(tmpdir(), 'acqstore-')), 'window.sock'), token };
}

async function listen({ socket, token }: Address, onHandover: (handover: Handover) => void): Promise<Server> {
  const server = createServer((connection) => {
    connection.on('error', () => {});
    connection.setTimeout(ANSWER_MS, () => connection.destroy());
    void readMessage(connection).then((text) => {
      const message = parseMessage(text, token);
      if (!message) return connection.destroy();
      onHandover(message);
      return connection.end(DONE);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(socket, resolve);
  });
  return server.unref();
}

/** Resolves with the first line; with nothing when there is none. */
function readMessage(connection: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    connection.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      const end = text.indexOf('\n');
      if (end >= 0) resolve(text.slice(0, end));
      else if (text.length > MAX_MESSAGE) resolve('');
    });
    connection.on('close', () => resolve(''));
  });
}

function parseMessage(text: string, token: string): Handover | undefined {
  try {
    const message = JSON.parse(text) as { token?: unknown; file?: unknown };
    if (!timingSafeEqual(digest(String(message.token)), digest(token))) return undefined;
    return typeof message.file === 'string' ? { file: message.file } : {};
  } catch {
    return undefined;
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Makes an address known, whole and at once. Returns false when there is another one. */
function publish(path: string, address: Address): boolean {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  writeFileSync(draft, JSON.stringify(address), { mode: 0o600, flag: 'wx' });
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft);
  }
}

interface FoundInstance {
  /** Content of the address file. */
  text: string;
  /** Missing when the file is not ours. */
  address: Address | undefined;
}

function readAddress(path: string): FoundInstance | undefined {
  try {
    const text = readFileSync(path, 'utf8');
    const { socket, token } = JSON.parse(text) as Partial<Address>;
    return { text, address: { socket: String(socket), token: String(token) } };
  } catch (error) {
    // A file that is not ours is discarded like that of a window that has ended.
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : { text: '', address: undefined };
  }
}

/** Removes the address of a window that has ended, but not one that was made known in the meantime. */
function discard(path: string, { text, address }: FoundInstance, folder: string): void {
  const aside = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    renameSync(path, aside);
    if (text !== '' && readFileSync(aside, 'utf8') !== text) linkSync(aside, path);
  } catch {
    // Another start was faster.
  } finally {
    rmSync(aside, { force: true });
    if (address && dirname(address.socket) === folder) rmSync(address.socket, { force: true });
  }
}

/** Hands over. Resolves to false when nobody answers. */
function send({ socket, token }: Address, handover: Handover): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket);
    let answer = '';
    connection.setTimeout(ANSWER_MS, () => connection.destroy());
    connection.setEncoding('utf8').on('data', (part: string) => {
      answer += part;
    });
    connection.on('connect', () => connection.write(`${JSON.stringify({ ...handover, token })}\n`));
    connection.on('error', () => {});
    connection.on('close', () => resolve(answer === DONE));
  });
}

async function release(path: string, own: Address, server: Server): Promise<void> {
  if (readAddress(path)?.address?.token === own.token) rmSync(path, { force: true });
  await close(server);
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
