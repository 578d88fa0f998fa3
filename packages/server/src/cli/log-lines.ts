/** Where the lines of the log go: to the screen, and into a file that is rotated, without secrets. */
import { closeSync, fstatSync, mkdirSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UNSAFE_LINES, visibleJson, visibleValue } from './visible.js';

/**
 * Returns what writes lines of JSON: readable on a terminal, and as JSON into a rotating file of a folder. `path` is that file;
 * when it cannot be written, `problem` says why.
 */
export async function openLines(folder: string, token: string) {
  const terminal = process.stderr.isTTY;
  const screen = terminal ? await prettyScreen() : process.stderr;
  const { file, problem } = tryToOpen(join(folder, 'acqstore.log'));
  const write = (line: string) => {
    const scrubbed = scrub(line, token);
    const cleaned = UNSAFE_LINES.test(scrubbed) ? visibleJson(scrubbed) : scrubbed;
    // Lines for the terminal are made from parsed strings, where escapes are control characters again.
    screen.write(terminal ? visibleLine(cleaned) : cleaned);
    file?.write(cleaned);
  };
  return { write, path: file?.path, problem, close: () => file?.close() };
}

async function prettyScreen() {
  const { build } = await import('pino-pretty');
  return build({
    sync: true,
    singleLine: true,
    destination: 2,
    ignore: 'pid,hostname,instance,reqId',
    translateTime: 'SYS:HH:MM:ss',
  });
}

function tryToOpen(path: string) {
  try {
    return { file: openRotating(path), problem: undefined };
  } catch (error) {
    return { file: undefined, problem: (error as Error).message };
  }
}

/** A digit of an id, which an address may also write with a percent sign. */
const DIGIT = '(?:[0-9a-f]|%3[0-9]|%6[1-6])';
/** What ids follow: in addresses, in fields of the log, and in paths of the private folder of uploads. */
const ID = new RegExp(
  `((?:sessions?|uploads)/|"(?:session|upload)Id":"|uploads[/\\\\]+[0-9a-f]{8}-\\d+-[0-9a-f]{8}-[0-9a-f]{16}[/\\\\]+)` +
    `(${DIGIT}{8})${DIGIT}{24}`,
  'g',
);

/**
 * Removes secrets from a line: the token, and most of each id of a session or an upload, which is the permission to read or
 * fill it. The first 8 digits remain, to tell them apart.
 */
export function scrub(line: string, token: string): string {
  const text = token === '' ? line : line.replaceAll(token, '[token]');
  return text.replace(ID, '$1$2…');
}

function visibleLine(line: string): string {
  return `${JSON.stringify(visibleValue(JSON.parse(line)))}\n`;
}

/**
 * Opens a text file (0600), in a folder that is made when it is missing (0700). It is rotated when it is full: `name`, `name.1` …
 * `name.4`; the oldest is dropped. Writes are synchronous, so that the last line before the process ends is on disk; a line takes a
 * few microseconds.
 * @throws the system's error when that is not possible
 */
export function openRotating(path: string, maxBytes = 2_000_000, files = 5) {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const open = () => openSync(path, 'a', 0o600);
  let fd = open();
  let bytes = fstatSync(fd).size;
  const rotate = () => {
    const current = statSync(path, { throwIfNoEntry: false });
    // Another server of this user may already have rotated the file; then only open the new one.
    const isCurrent = current?.ino === fstatSync(fd).ino;
    closeSync(fd);
    for (let i = files - 1; isCurrent && i >= 1; i--) rename(i === 1 ? path : `${path}.${i - 1}`, `${path}.${i}`);
    fd = open();
    bytes = fstatSync(fd).size;
  };
  return {
    path,
    write(text: string): void {
      const data = Buffer.from(text);
      if (bytes > 0 && bytes + data.length > maxBytes) rotate();
      try {
        bytes += writeSync(fd, data);
      } catch {
        // A full disk must not stop the server; the terminal still shows the line.
      }
    },
    close: () => closeSync(fd),
  };
}

/** Renames a file. Windows refuses while another process has it open; then the file grows until the next attempt. */
function rename(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch {}
}
