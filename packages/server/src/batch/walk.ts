/** Finds the recordings of a tree of folders, one after the other. */
import type { Dirent } from 'node:fs';
import { opendir, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { unsupported } from '@acquisition-store/readers/base/errors.js';
import { grouped } from '@acquisition-store/readers/base/wording.js';
import { FORMATS, supportedExtensions } from '@acquisition-store/readers/formats/index.js';
import type { Probe } from '@acquisition-store/readers/model/acquisition.js';
import { PROBE_ENTRIES } from '@acquisition-store/readers/open/open-input.js';
import { sortByName } from '../paths/natural-order.js';
import { describePathMistake } from '../paths/path-mistakes.js';
import { isHiddenName, type NamedEntry, withoutCompanions } from '../paths/recording-names.js';
import { openError } from '../platform-node/file-source.js';

/** A file, or a folder that is an acquisition; with `error` a folder that cannot be searched, or not all of it. */
export interface FoundRecording {
  /** Absolute. */
  path: string;
  /** Absolute path of the folder that was searched; equal to `path` for what was named. */
  folder: string;
  error?: unknown;
  /** Set for such a folder. */
  isUnsearched?: boolean;
}

/** Entries that are read of one folder. */
const MAX_ENTRIES = 200_000;
/** Folders inside each other. */
const MAX_DEPTH = 64;

/**
 * Yields what is at a path: the path itself if it is a file or an acquisition, else what is in the folder and in all folders
 * below it. The files of a folder come before its folders, each in natural order. Hidden entries are left out, and links to
 * folders are not followed.
 */
export async function* walkRecordings(path: string): AsyncGenerator<FoundRecording> {
  const found = { path, folder: path };
  const isFolder = await stat(path).then(
    (stats) => stats.isDirectory(),
    (error: unknown) => error,
  );
  if (isFolder !== true && isFolder !== false && looksLikeFolder(path))
    yield { ...found, error: openError(path, isFolder) };
  // What cannot be accessed fails when it is opened, with a better message.
  else if (isFolder !== true) yield found;
  else yield* walkFolder(found, 0);
}

/** Opening a path that names no file says that it has no extension, not that it is missing. */
function looksLikeFolder(path: string): boolean {
  return extname(path) === '' && describePathMistake(path, process.platform) === undefined;
}

async function* walkFolder(found: FoundRecording, depth: number): AsyncGenerator<FoundRecording> {
  const { path } = found;
  const failed = (error: unknown): FoundRecording => ({ ...found, error, isUnsearched: true });
  let entries: Dirent[];
  try {
    entries = await readEntries(path, MAX_ENTRIES + 1);
  } catch (error) {
    yield failed(openError(path, error));
    return;
  }
  if (isAcquisition(basename(path), entries)) {
    yield found;
    return;
  }
  if (depth >= MAX_DEPTH) {
    yield failed(unsupported(`lies more than ${grouped(MAX_DEPTH)} folders deep and was not searched`).about(path));
    return;
  }
  const visible = entries.slice(0, MAX_ENTRIES).filter(({ name }) => !isHiddenName(name));
  const named = (await Promise.all(sortByName(visible).map((entry) => toNamed(path, entry)))).filter(
    (one) => one !== undefined,
  );
  const kept = withoutCompanions(path, named, supportedExtensions());
  const inside = (kind: NamedEntry['kind']): FoundRecording[] =>
    kept.filter((entry) => entry.kind === kind).map(({ name }) => ({ path: join(path, name), folder: path }));
  yield* inside('file');
  if (entries.length > MAX_ENTRIES) {
    const text = `has more than ${grouped(MAX_ENTRIES)} entries; the others were not searched`;
    yield failed(unsupported(text).about(path));
  }
  for (const folder of inside('folder')) yield* walkFolder(folder, depth + 1);
}

async function readEntries(path: string, max: number): Promise<Dirent[]> {
  const entries: Dirent[] = [];
  for await (const entry of await opendir(path, { bufferSize: 1024 })) {
    entries.push(entry);
    if (entries.length >= max) break;
  }
  return entries;
}

/** A link counts as the file that it leads to. */
async function toNamed(folder: string, entry: Dirent): Promise<NamedEntry | undefined> {
  const { name } = entry;
  if (entry.isDirectory()) return { name, kind: 'folder' };
  if (entry.isFile()) return { name, kind: 'file' };
  if (!entry.isSymbolicLink()) return undefined;
  const target = await stat(join(folder, name)).catch(() => undefined);
  return target?.isFile() ? { name, kind: 'file' } : undefined;
}

function isAcquisition(name: string, entries: readonly Dirent[]): boolean {
  const names = entries.slice(0, PROBE_ENTRIES).map((entry) => entry.name);
  const probe: Probe = { name, kind: 'directory', head: new Uint8Array(), entries: names, size: 0 };
  return FORMATS.some((format) => format.sniff(probe) !== false);
}
