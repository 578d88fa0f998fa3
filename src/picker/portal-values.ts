import { fileURLToPath } from 'node:url';
import { AcqError } from '../errors.js';
import { type DBusValue, isVariant, variant } from './dbus/signature.js';
import { ALL_FILES, anyCaseGlobs, type DialogOutcome, type DialogRequest, FILTER_NAME, unavailable } from './dialog.js';
import { notUtf8 } from './output.js';

/** `directory` is known from this version of the interface; before, it would be ignored and files be offered. */
export const FOLDER_VERSION = 3;

/** The options of `OpenFile`. `current_folder` is known from version 4 of the interface, and ignored before. */
export function openFileOptions({ kind, extensions, folder }: DialogRequest, token: string): DBusValue {
  const common: [string, DBusValue][] = [
    ['handle_token', variant('s', token)],
    ['modal', variant('b', false)],
    ['current_folder', variant('ay', [...Buffer.from(`${folder}\0`, 'utf8')])],
  ];
  if (kind === 'folder') return [...common, ['directory', variant('b', true)]];
  const glob = (pattern: string): DBusValue => [0, pattern];
  const all: DBusValue = [ALL_FILES, [glob('*')]];
  const own: DBusValue = [FILTER_NAME, anyCaseGlobs(extensions).map(glob)];
  const filters = extensions.length > 0 ? [own, all] : [all];
  return [
    ...common,
    ['filters', variant('a(sa(us))', filters)],
    ['current_filter', variant('(sa(us))', filters[0] as DBusValue)],
  ];
}

/**
 * What `Response(response, results)` means: 0 a choice, 1 the Cancel button, 2 the window was closed. Code 2 also
 * says that the program that draws the dialog could not be started; then none of those programs is there.
 * @throws AcqError `path_not_found` when the choice is no local file
 */
export function portalOutcome(body: readonly DBusValue[], backendRunning: boolean): DialogOutcome {
  const [code, results] = body;
  if (code === 0) return { status: 'chosen', path: chosenPath(results) };
  if (code === 2 && !backendRunning) return unavailable('the portal has no program that draws its dialogs');
  return { status: 'cancelled' };
}

function chosenPath(results: DBusValue | undefined): string {
  const entries = Array.isArray(results) ? results : [];
  const uris = entries.find((entry) => Array.isArray(entry) && entry[0] === 'uris');
  const list = Array.isArray(uris) && isVariant(uris[1]) ? uris[1].value : [];
  const uri = Array.isArray(list) ? list[0] : undefined;
  if (typeof uri !== 'string') throw new Error('the portal answered without a file');
  return localPath(uri);
}

/** @throws AcqError `path_not_found` */
export function localPath(uri: string): string {
  if (!uri.startsWith('file:///')) {
    throw new AcqError('path_not_found', `${uri}: is not a file of this machine; copy it, or mount its folder, first`);
  }
  try {
    return fileURLToPath(uri);
  } catch {
    throw notUtf8(uri);
  }
}
