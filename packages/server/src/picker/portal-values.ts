import { fileURLToPath } from 'node:url';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { type DBusValue, isVariant, variant } from './dbus/signature.js';
import { ALL_FILES, anyCaseGlobs, type DialogOutcome, type DialogRequest, FILTER_NAME, unavailable } from './dialog.js';
import { notUtf8 } from './output.js';

/** First version of the interface with `directory`. Earlier versions ignore it and offer files. */
export const FOLDER_VERSION = 3;

/** Returns the options of `OpenFile`. Interfaces before version 4 ignore `current_folder`. */
export function openFileOptions({ kind, extensions, folder }: DialogRequest, token: string): DBusValue {
  const common: [string, DBusValue][] = [
    ['handle_token', variant('s', token)],
    ['modal', variant('b', false)],
    ['current_folder', variant('ay', [...Buffer.from(`${folder}\0`, 'utf8')])],
  ];
  if (kind === 'folder') return [...common, ['directory', variant('b', true)]];
  const glob = (pattern: string): DBusValue => [0, pattern];
  const all: DBusValue = [ALL_FILES, [glob('*')]];
  const readable: DBusValue = [FILTER_NAME, anyCaseGlobs(extensions).map(glob)];
  const filters = extensions.length > 0 ? [readable, all] : [all];
  return [
    ...common,
    ['filters', variant('a(sa(us))', filters)],
    ['current_filter', variant('(sa(us))', filters[0] as DBusValue)],
  ];
}

/**
 * Interprets `Response(response, results)`: 0 is a choice, 1 the Cancel button, 2 a closed window. Code 2 also means
 * that the backend, the program that draws the dialog, could not be started; then no backend is running.
 * @throws AcqError `path_not_found` when the choice is not a local file
 */
export function portalOutcome(body: readonly DBusValue[], backendRunning: boolean): DialogOutcome {
  const [code, results] = body;
  if (code === 0) return { status: 'chosen', path: chosenPath(results) };
  if (code === 2 && !backendRunning) return unavailable('has no backend that draws its dialogs');
  return { status: 'cancelled' };
}

function chosenPath(results: DBusValue | undefined): string {
  const entries = Array.isArray(results) ? results : [];
  const uris = entries.find((entry) => Array.isArray(entry) && entry[0] === 'uris');
  const list = Array.isArray(uris) && isVariant(uris[1]) ? uris[1].value : [];
  const uri = Array.isArray(list) ? list[0] : undefined;
  if (typeof uri !== 'string') throw new Error('answered without a file');
  return localPath(uri);
}

/** Converts a URI to a path. @throws AcqError `path_not_found` */
export function localPath(uri: string): string {
  if (!uri.startsWith('file:///')) {
    throw new AcqError('path_not_found', 'the file is not on this computer. Copy it, or mount its folder, first.', {
      subject: uri,
    });
  }
  try {
    return fileURLToPath(uri);
  } catch {
    throw notUtf8(uri);
  }
}
