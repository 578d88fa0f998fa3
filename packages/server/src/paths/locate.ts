import { basename, parse, resolve } from 'node:path';
import { AcqError, unsupported } from '@acquisition-store/readers/base/errors.js';
import { describeForeignName } from '@acquisition-store/readers/formats/foreign-files.js';
import { extensionOf, FORMATS, supportedExtensions } from '@acquisition-store/readers/formats/index.js';
import { openError } from '../platform-node/file-source.js';
import { Confinement } from './confinement.js';
import { Crossing, Look, type PathEntry, storageOf } from './look.js';
import { describePathMistake } from './path-mistakes.js';
import { checkPathForm, DIALOG_HINT, isConfinedTo, type PathPolicy, shownPath } from './policy.js';

/** An acquisition that may be opened. */
export interface Located {
  /** Real absolute path of its file or folder. */
  path: string;
  /** Inode of that file or folder: whoever opens the path can tell whether it was replaced meanwhile. */
  ino?: string;
  /** Real absolute path of the file that was named, when it is only part of the acquisition at `path`. */
  part?: string;
}

/** A path to be located by a thread that may touch some storages. */
export interface LocateRequest {
  path: string;
  policy: PathPolicy;
  isPicked: boolean;
  /** Storages that may be touched. The acquisition is in the last of them. */
  admitted: readonly string[];
  mountPoints: readonly string[];
}

/**
 * Resolves `path` to the acquisition that it stands for, once and for all: whoever opens the result neither resolves nor
 * judges it again. A name with an unsupported extension is refused before the disk is asked about it, and the error for
 * a path outside the roots does not reveal whether it exists.
 * @param isPicked the user chose the path in the native dialog: the roots do not confine it
 * @throws AcqError `request_validation_failed`, `path_not_allowed`, `unsupported_format`, `path_not_found`,
 * `path_not_readable`; `Crossing` for a storage that `look` may not touch
 */
export function locate(path: string, policy: PathPolicy, look: Look, isPicked = false): Located {
  const { absolute, shown, checkInside, checkEntry } = enter(path, policy, look, isPicked);
  const { allowedExtensions } = policy;
  const canBeOpened =
    extensionOf(basename(absolute), allowedExtensions) !== undefined ||
    homesOf(absolute, 'file', allowedExtensions).length > 0;
  if (!canBeOpened) checkUnreadableName(shown, absolute, look);
  const real = orOpenError(shown, () => look.realpath(absolute));
  checkInside(real);
  const entry = orOpenError(shown, () => look.entry(real));
  checkEntry(entry, real);
  if (entry.kind === 'other') throw neitherFileNorFolder(shown);
  const home = findHome(entry.real, entry.kind, allowedExtensions, look);
  if (home !== undefined) checkInside(home.real);
  if (home === undefined || home.real === entry.real) return { path: entry.real, ino: entry.ino };
  return { path: home.real, ino: home.ino, ...(entry.kind === 'file' ? { part: entry.real } : {}) };
}

/**
 * Like `locate`, on some storages.
 * @throws what that throws; `Crossing` for an acquisition in another storage than the last one
 */
export function locateWithin({ path, policy, isPicked, admitted, mountPoints }: LocateRequest): Located {
  const { platform } = policy;
  const located = locate(path, policy, new Look(platform, mountPoints, admitted), isPicked);
  const storage = storageOf(located.path, mountPoints, platform);
  if (storage !== admitted.at(-1)) throw new Crossing(storage);
  return located;
}

/**
 * Checks that a regular file is at `path`, whatever its name. The error for a path outside the roots does not reveal
 * whether it exists.
 * @throws AcqError `request_validation_failed`, `path_not_allowed`, `path_not_found`, `path_not_readable`; `Crossing` for a
 * storage that `look` may not touch
 */
export function checkFile(path: string, policy: PathPolicy, look: Look, isPicked = false): void {
  const { absolute, shown, checkInside, checkEntry } = enter(path, policy, look, isPicked);
  const real = orOpenError(shown, () => look.realpath(absolute));
  checkInside(real);
  const entry = orOpenError(shown, () => look.entry(real));
  checkEntry(entry, real);
  if (entry.kind === 'file') return;
  throw new AcqError('path_not_found', 'is not a file', { subject: nameOf(shown) });
}

/**
 * Checks the form of a path and the folder that it leads to. `shown` is the path for messages. `checkInside` does the same for what it resolves to, and
 * `checkEntry` for what was found there: a link may have led elsewhere by then.
 */
export function enter(path: string, policy: PathPolicy, look: Look, isPicked: boolean) {
  checkPathForm(path, policy, isPicked);
  const absolute = resolve(path);
  const confinement = !isPicked && isConfinedTo(policy) ? new Confinement(policy, look) : undefined;
  const shown = shownPath(path, policy);
  const checkInside = (real: string) => {
    if (confinement && !confinement.allows(real)) throw outsideRoots(shown, policy);
  };
  const checkEntry = (found: PathEntry, real: string) => {
    if (found.real !== real) checkInside(found.real);
  };
  if (confinement) checkInside(look.nearestReal(absolute));
  return { absolute, shown, checkInside, checkEntry };
}

/** True when a folder is part of an acquisition that exists, such as the `scan.oif.files` of `scan.oif`. */
export function isPartFolder(path: string): boolean {
  const look = new Look();
  return findHome(look.realpath(path), 'folder', supportedExtensions(), look) !== undefined;
}

/**
 * For a file or folder that is part of an acquisition, returns the paths that represent the whole, limited to allowed
 * extensions. Without one, a part that can be read by itself is opened by itself. Pure: nothing need exist.
 */
export function homesOf(path: string, kind: 'file' | 'folder', allowed: readonly string[]): string[] {
  return FORMATS.flatMap((format) => {
    const home = kind === 'file' ? format.home?.(path) : format.homeOfFolder?.(path);
    if (home === undefined) return [];
    const permitted = format.opensFolders
      ? format.extensions.some((extension) => allowed.includes(extension))
      : extensionOf(basename(home), allowed) !== undefined;
    return permitted ? [home] : [];
  });
}

/** Finds the acquisition that a part belongs to: the first one that exists. */
function findHome(
  real: string,
  kind: 'file' | 'folder',
  allowed: readonly string[],
  look: Look,
): PathEntry | undefined {
  for (const home of homesOf(real, kind, allowed)) {
    const found = look.find(home);
    if (found && found.kind !== 'other') return found;
  }
  return undefined;
}

/** A folder may be an acquisition whatever its name. Does not reveal whether a file with an unsupported name exists. */
function checkUnreadableName(path: string, absolute: string, look: Look): void {
  const found = look.find(absolute);
  if (found?.kind === 'folder') return;
  if (found?.kind === 'other') throw neitherFileNorFolder(path);
  throw unreadableName(path);
}

/** The error for a file whose extension is not supported, or not allowed. The formats are too many to list. */
function unreadableName(path: string): AcqError {
  const name = basename(path);
  return unsupported(describeUnreadable(path, name)).about(name);
}

function describeUnreadable(path: string, name: string): string {
  const known = extensionOf(name);
  if (known !== undefined) return `this server does not open ${known} files (--allow-ext).`;
  const mistake = describePathMistake(path, process.platform);
  if (mistake !== undefined) return `the path ${mistake}`;
  const { ext } = parse(name);
  const foreign = describeForeignName(ext.toLowerCase());
  if (foreign !== undefined) return foreign;
  const problem =
    ext === '' ? 'has no file extension' : `${ext.slice(0, 20)} is not the extension of a supported format`;
  return `${problem}. The first page of the viewer and \`acqstore formats\` list the supported formats.`;
}

/** Returns the name of a path for messages; the root of a drive has none. */
export function nameOf(path: string): string {
  return basename(path) || path;
}

function neitherFileNorFolder(path: string): AcqError {
  return new AcqError('path_not_allowed', 'is neither a file nor a folder', { subject: basename(path) });
}

/** Runs `look`, and says in words what the system refuses. */
export function orOpenError<T>(path: string, look: () => T): T {
  try {
    return look();
  } catch (error) {
    throw error instanceof Crossing || error instanceof AcqError ? error : lookError(path, error);
  }
}

/** A name may contain what is a mistake elsewhere, so it is named only when nothing is at the path. */
function lookError(path: string, error: unknown): AcqError {
  const problem = openError(path, error);
  const mistake = problem.code === 'path_not_found' ? describePathMistake(path, process.platform) : undefined;
  if (mistake === undefined) return problem;
  return new AcqError('path_not_found', `nothing is at this path. It ${mistake}`, {
    subject: basename(path),
    cause: error,
  });
}

function outsideRoots(path: string, { folders }: PathPolicy): AcqError {
  const home = path.startsWith('~') ? ' ~/ is the home folder of the account that runs the server.' : '';
  return new AcqError(
    'path_not_allowed',
    folders
      ? `${path} is outside the folders that you may open on this server.${home} Ask its operator for access.`
      : `${path} is outside the folders that this server may open (--root).${home} ${DIALOG_HINT}`,
    { subject: nameOf(path) },
  );
}
