/** Which paths may be opened, judged by their text alone. */
import { posix, win32 } from 'node:path';
import { AcqError, invalidRequest } from '@acquisition-store/readers/base/errors.js';
import { LIMITS } from '@acquisition-store/readers/base/limits.js';
import { grouped, plural } from '@acquisition-store/readers/base/wording.js';

export interface PathPolicy {
  /** Real folders that confine what is opened by path; empty when paths are not confined. */
  roots: readonly string[];
  /** Folders of the caller, inside the roots; links are followed. The roots alone confine when omitted. */
  folders?: readonly string[];
  allowedExtensions: readonly string[];
  platform: NodeJS.Platform;
  /** The path as the caller wrote it. Callers who are confined do not learn from messages what `~/` stands for. */
  written?: string;
}

/** What a person can do whose path is refused. `acqstore mcp` says instead what an assistant can do. */
export const DIALOG_HINT = 'Use the file dialog for it.';
export const SHARE_HINT =
  'Map the share to a drive, use the file dialog, or start the server with --root for that share.';

/** True for callers who may not open every file of the system. */
export function isConfinedTo({ roots, folders }: Pick<PathPolicy, 'roots' | 'folders'>): boolean {
  return roots.length > 0 || folders !== undefined;
}

/** Returns the policy for a caller who is confined to folders; the same where nobody is. */
export function confine(
  policy: PathPolicy,
  { folders, written }: { folders?: readonly string[]; written?: string },
): PathPolicy {
  return { ...policy, ...(folders ? { folders } : {}), ...(written === undefined ? {} : { written }) };
}

/** Returns a path for messages to the caller. */
export function shownPath(path: string, policy: Pick<PathPolicy, 'roots' | 'folders' | 'written'>): string {
  return isConfinedTo(policy) ? (policy.written ?? path) : path;
}

/** True when `path` is `root` or inside it, component by component. Both are real absolute paths. */
export function isInside(path: string, root: string, platform: NodeJS.Platform): boolean {
  const inner = components(path, platform);
  return components(root, platform).every((component, i) => component === inner[i]);
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
  throw invalidRequest(['body', 'path'], message, 'string_too_long');
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
    throw invalidRequest(['body', 'path'], message, 'path_not_absolute');
  }
  if (platform === 'win32') checkWindowsForm(path, roots, picked);
}

/** `\\server\share` makes Windows log on there; `\\?\`, `\\.\` and `CON` are no files; `name:stream` hides one. */
function checkWindowsForm(path: string, roots: readonly string[], picked: boolean): void {
  if (/^[\\/]{2}[?.][\\/]/.test(path))
    throw new AcqError('path_not_allowed', `${path} is a device path. Open a regular file.`, { subject: nameIn(path) });
  const isShare = /^[\\/]{2}/.test(path);
  const shared = roots.some((root) => /^[\\/]{2}/.test(root) && isInside(win32.normalize(path), root, 'win32'));
  if (isShare && !picked && !shared) {
    throw new AcqError('path_not_allowed', `${path} is on a network share. ${SHARE_HINT}`, { subject: nameIn(path) });
  }
  const rest = path.replace(/^[a-z]:/i, '');
  const device = rest.split(/[\\/]/).find((part) => /^(con|prn|aux|nul|com\d|lpt\d)\s*(\.|$)/i.test(part));
  if (rest.includes(':') || device !== undefined) {
    throw new AcqError('path_not_allowed', `${path} is not a plain file path on Windows`, { subject: nameIn(path) });
  }
}

/** Windows paths are checked on every system. */
function nameIn(path: string): string {
  return win32.basename(path) || path;
}
