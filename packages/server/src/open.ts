import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, relative, resolve, sep } from 'node:path';
import { checkByteOrder } from '@acquisition-store/readers/base/byte-order.js';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { usePlatform } from '@acquisition-store/readers/base/platform.js';
import { FORMATS, supportedExtensions } from '@acquisition-store/readers/formats/index.js';
import { Folder } from '@acquisition-store/readers/io/folder.js';
import { HEAD_BYTES } from '@acquisition-store/readers/model/input-beside.js';
import {
  type InputOptions,
  isWhole,
  type OpenedInput,
  openInput,
  PROBE_ENTRIES,
  sizeOf,
} from '@acquisition-store/readers/open/open-input.js';
import { type Located, locate } from './paths/locate.js';
import { Look } from './paths/look.js';
import { type Fingerprint, openError, readNames, replacedWhileOpened } from './platform-node/file-source.js';
import { FilesOnDisk } from './platform-node/files.js';
import { NODE } from './platform-node/index.js';

usePlatform(NODE);

/** An acquisition with its descriptors; `close` releases them all. */
export interface OpenedAcquisition extends OpenedInput {
  /** Real absolute path. */
  path: string;
  /** Every file that was opened so far. */
  fingerprints(): Fingerprint[];
  /** What has happened to them since, one clause for each file that has changed; see `FilesOnDisk.changes`. */
  changes(): string[];
  /** Names, in the folder of the acquisition, of its files; undefined when they are not listed one by one. */
  names(): Iterable<string> | undefined;
  /** Bytes of all files that belong to the acquisition; undefined when there are too many to look at. */
  size(): number | undefined;
  /** True when all of its files were opened already: no plane is in another one. */
  isWhole(): boolean;
  close(): void;
}

/**
 * Opens the acquisition that `path` stands for: resolves the path, then reads metadata, no pixels.
 * @param path of a file or folder of the acquisition; a relative one starts at the working directory
 * @throws AcqError `path_not_found`, `path_not_readable`, `path_not_allowed`, `unsupported_format`, `decode_failed`,
 * `companion_missing`
 */
export async function openAcquisition(path: string, options: InputOptions = {}): Promise<OpenedAcquisition> {
  const allowedExtensions = options.allowedExtensions ?? supportedExtensions();
  return openAt(locateAnywhere(path, allowedExtensions), { ...options, allowedExtensions });
}

/**
 * Resolves a path, which no roots confine, to the acquisition that it stands for.
 * @throws AcqError of `locate`
 */
export function locateAnywhere(path: string, allowedExtensions = supportedExtensions()): Located {
  checkByteOrder();
  const policy = { roots: [], allowedExtensions, platform: process.platform };
  return locate(path && resolve(path), policy, new Look(), true);
}

/**
 * Opens an acquisition that `locate` has found: finds the format by content (the extension breaks ties) and reads
 * metadata, no pixels. Neither resolves the path nor judges its name.
 * @param located without `ino`, a file that took the place of the one that was found is opened: the caller compares fingerprints
 * @throws AcqError like `openAcquisition`; `path_not_allowed` when the path was replaced after it was located
 */
export async function openAt({ path, part, ino }: Located, options: InputOptions = {}): Promise<OpenedAcquisition> {
  const { input: whole, files } = probePath(path, ino);
  const inside = part === undefined ? undefined : relative(whole.folder.path, part).replaceAll(sep, '/');
  const input = inside === undefined ? whole : { ...whole, part: inside };
  try {
    const { acquisition, format } = await openInput(input, options);
    if (files.exhaustion) throw files.exhaustion;
    return {
      acquisition,
      format,
      path,
      fingerprints: () => files.fingerprints(),
      changes: () => files.changes(),
      names: () => {
        const names = acquisition.files?.();
        return typeof names === 'string' ? undefined : names;
      },
      size: () => sizeOf(acquisition, input),
      isWhole: () => isWhole(acquisition, input),
      close: () => files.close(),
    };
  } catch (error) {
    files.close();
    throw files.exhaustion ?? error;
  }
}

/**
 * True when a reader recognizes the folder as an acquisition; it may still be corrupted.
 * @throws AcqError `path_not_found`, `path_not_readable`
 */
export function isAcquisitionFolder(path: string): boolean {
  const { probe } = probeFolder(realFolder(path)).input;
  return FORMATS.some((format) => format.sniff(probe) !== false);
}

function realFolder(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    throw openError(path, error);
  }
}

function entriesOf(path: string): string[] {
  try {
    return readNames(path, path);
  } catch (error) {
    throw error instanceof AcqError ? error : openError(path, error);
  }
}

/** @param ino of the file or folder that was located; unchecked without it */
function probePath(path: string, ino: string | undefined) {
  const stats = statPath(path);
  if (!stats.isDirectory()) return probeFile(path, ino);
  checkIdentity(path, ino, String(stats.ino));
  return probeFolder(path);
}

function probeFolder(path: string) {
  const entries = entriesOf(path).slice(0, PROBE_ENTRIES);
  const name = basename(path);
  const files = new FilesOnDisk(path, `${name}/`);
  const probe = { name, kind: 'directory' as const, head: new Uint8Array(), entries, size: 0 };
  return { input: { folder: new Folder(files), probe }, files };
}

function probeFile(path: string, ino: string | undefined) {
  const files = new FilesOnDisk(dirname(path));
  try {
    const source = files.openOwn(path);
    checkIdentity(path, ino, source.fingerprint.ino);
    const head = source.readHead(HEAD_BYTES);
    const probe = { name: basename(path), kind: 'file' as const, head, entries: [], size: source.size };
    return { input: { folder: new Folder(files), source, probe }, files };
  } catch (error) {
    files.close();
    throw error;
  }
}

/** A link, or another file, may take the place of a path between the moment it is judged and the moment it is opened. */
function checkIdentity(path: string, expected: string | undefined, actual: string): void {
  if (expected === undefined || expected === actual) return;
  throw replacedWhileOpened(path);
}

function statPath(path: string) {
  try {
    return statSync(path, { bigint: true });
  } catch (error) {
    throw openError(path, error);
  }
}
