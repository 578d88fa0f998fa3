/** Which paths may be opened. The rules are those of the security page; `open.ts` then opens the real path given here. */
import { basename, posix, resolve, win32 } from 'node:path';
import { AcqError } from '../errors.js';
import { extensionOf } from '../formats/index.js';
import { openError } from '../io/byte-source.js';
import { LIMITS } from '../io/limits.js';
import { homesOf, unreadableName } from '../open.js';
import { grouped, plural } from '../wording.js';
import { Crossing, type Look } from './look.js';

export interface PathPolicy {
  /** Real folders that confine what is opened by path; empty = not confined. */
  roots: readonly string[];
  allowedExtensions: readonly string[];
  platform: NodeJS.Platform;
}

/** What will be opened. Both are real absolute paths. */
export interface AdmittedPath {
  path: string;
  /** The file that was named, when `path` is the acquisition that this file belongs to. */
  part: string | undefined;
}

/**
 * The real absolute path behind `path`, if it may be opened. A name that cannot be read is refused before the disk is
 * asked about it, and the answer for what lies outside the roots does not tell whether it exists.
 * @param picked chosen by the user in the native dialog: roots do not confine it
 * @throws AcqError `request_validation_failed`, `path_not_allowed`, `unsupported_format`, `path_not_found`,
 * `path_not_readable`; `Crossing` for a storage that `look` may not touch
 */
export function admitPath(path: string, policy: PathPolicy, picked: boolean, look: Look): AdmittedPath {
  checkPathForm(path, policy, picked);
  const wanted = resolve(path);
  const confined = !picked && policy.roots.length > 0;
  if (confined && !isInsideRoots(look.nearestReal(wanted), policy)) throw outside(path);
  const { allowedExtensions } = policy;
  const readable =
    extensionOf(basename(wanted), allowedExtensions) !== undefined ||
    homesOf(wanted, 'file', allowedExtensions).length > 0;
  if (!readable) checkUnreadableName(path, wanted, look);
  const real = orOpenError(path, () => look.realpath(wanted));
  if (confined && !isInsideRoots(real, policy)) throw outside(path);
  const found = orOpenError(path, () => look.stat(real));
  if (!found.isFile() && !found.isDirectory()) throw neitherFileNorFolder(path);
  const home = homeOf(real, found.isFile() ? 'file' : 'folder', allowedExtensions, look);
  if (home !== undefined && confined && !isInsideRoots(home, policy)) throw outside(home);
  if (home === undefined || home === real) return { path: real, part: undefined };
  return { path: home, part: found.isFile() ? real : undefined };
}

/** The real path of the acquisition that a part belongs to: that is what will be opened. */
function homeOf(real: string, kind: 'file' | 'folder', allowed: readonly string[], look: Look): string | undefined {
  for (const home of homesOf(real, kind, allowed)) {
    const found = look.find(home);
    if (found?.stats.isFile() || found?.stats.isDirectory()) return found.real;
  }
  return undefined;
}

/** True when `path` is `root` or inside it, component by component. Both are real absolute paths. */
export function isInside(path: string, root: string, platform: NodeJS.Platform): boolean {
  const inner = components(path, platform);
  return components(root, platform).every((component, i) => component === inner[i]);
}

function isInsideRoots(path: string, { roots, platform }: PathPolicy): boolean {
  return roots.some((root) => isInside(path, root, platform));
}

/** The file systems of macOS and Windows take different spellings of a name for the same one. */
function components(path: string, platform: NodeJS.Platform): string[] {
  const parts = path.split(platform === 'win32' ? /[\\/]/ : '/').filter((part) => part !== '');
  if (platform !== 'win32' && platform !== 'darwin') return parts;
  return parts.map((part) => part.normalize('NFC').toLowerCase());
}

/** What is wrong with a path that is longer than the system takes: `is 5,000 bytes long; the limit is 4,096`. */
export function pathLengthProblem(path: string, platform: NodeJS.Platform): string | undefined {
  const windows = platform === 'win32';
  const length = windows ? path.length : Buffer.byteLength(path);
  const limit = windows ? LIMITS.pathUnitsWindows : LIMITS.pathBytes;
  if (length <= limit) return undefined;
  return `is ${plural(length, windows ? 'character' : 'byte')} long; the limit is ${grouped(limit)}`;
}

/** @throws AcqError `request_validation_failed` for a path that is longer than the system takes */
export function checkPathLength(path: string, platform: NodeJS.Platform): void {
  const problem = pathLengthProblem(path, platform);
  if (problem === undefined) return;
  const message = `\`path\` ${problem}`;
  throw new AcqError('request_validation_failed', message, {
    details: [{ location: ['body', 'path'], message, type: 'string_too_long' }],
  });
}

/**
 * Refuses, without asking the disk, what no acquisition can be called.
 * @throws AcqError `request_validation_failed`, `path_not_allowed`
 */
export function checkPathForm(
  path: string,
  { roots, platform }: Pick<PathPolicy, 'roots' | 'platform'>,
  picked: boolean,
): void {
  checkPathLength(path, platform);
  const { isAbsolute } = platform === 'win32' ? win32 : posix;
  if (path === '' || path.includes('\0') || !isAbsolute(path)) {
    const message = '`path` must be absolute and must not contain a NUL character';
    throw new AcqError('request_validation_failed', message, {
      details: [{ location: ['body', 'path'], message, type: 'path_not_absolute' }],
    });
  }
  if (platform === 'win32') checkWindowsForm(path, roots, picked);
}

/** `\\server\share` makes Windows log on there; `\\?\`, `\\.\` and `CON` are no files; `name:stream` hides one. */
function checkWindowsForm(path: string, roots: readonly string[], picked: boolean): void {
  if (/^[\\/]{2}[?.][\\/]/.test(path))
    throw new AcqError('path_not_allowed', `${nameIn(path)}: ${path} is a device path. Open a regular file.`);
  const isShare = /^[\\/]{2}/.test(path);
  const shared = roots.some((root) => /^[\\/]{2}/.test(root) && isInside(win32.normalize(path), root, 'win32'));
  if (isShare && !picked && !shared) {
    throw new AcqError(
      'path_not_allowed',
      `${nameIn(path)}: ${path} is on a network share. Map the share to a drive, use the file dialog, or start the server ` +
        'with --root for that share.',
    );
  }
  const rest = path.replace(/^[a-z]:/i, '');
  const device = rest.split(/[\\/]/).find((part) => /^(con|prn|aux|nul|com\d|lpt\d)\s*(\.|$)/i.test(part));
  if (rest.includes(':') || device !== undefined) {
    throw new AcqError('path_not_allowed', `${nameIn(path)}: ${path} is not a plain file path on Windows`);
  }
}

/** A folder may be an acquisition by any name. Whether a file of such a name exists is not told. */
function checkUnreadableName(path: string, wanted: string, look: Look): void {
  const found = look.find(wanted)?.stats;
  if (found?.isDirectory()) return;
  if (found && !found.isFile()) throw neitherFileNorFolder(path);
  throw unreadableName(path);
}

/** Windows paths are checked on every system. */
function nameIn(path: string): string {
  return win32.basename(path) || path;
}

function neitherFileNorFolder(path: string): AcqError {
  return new AcqError('path_not_allowed', `${basename(path)}: is neither a file nor a folder`);
}

function orOpenError<T>(path: string, look: () => T): T {
  try {
    return look();
  } catch (error) {
    throw error instanceof Crossing ? error : openError(path, error);
  }
}

function outside(path: string): AcqError {
  return new AcqError(
    'path_not_allowed',
    `${basename(path) || path}: ${path} is outside the folders that this server may open (--root). Use the file dialog for it.`,
  );
}
