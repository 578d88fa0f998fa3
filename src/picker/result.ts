import { basename, dirname, isAbsolute, normalize } from 'node:path';
import { AcqError } from '../errors.js';
import type { FindPath } from './types.js';

/** Metadata files of Zarr v2 and v3: whoever chooses one means the store around it. */
const STORE_FILES = ['.zattrs', '.zgroup', 'zarr.json'];

/**
 * The acquisition that the user means with what the dialog returned, looked at on disk: zenity 4 returns paths of
 * files that do not exist when typing meets auto-completion.
 * @returns an absolute path
 * @throws AcqError `path_not_found`, `path_not_readable`, `storage_unavailable`
 */
export async function resolveChoice(chosen: string, find: FindPath, signal: AbortSignal): Promise<string> {
  if (!isAbsolute(chosen) || chosen.includes('\0'))
    throw new AcqError('path_not_found', `The file dialog returned a path that is not absolute: ${chosen}`);
  const path = normalize(chosen);
  try {
    const found = await find(path, signal);
    return found === 'file' && STORE_FILES.includes(basename(path)) ? dirname(path) : path;
  } catch (error) {
    if (!(error instanceof AcqError) || error.code !== 'path_not_found') throw error;
    const message = `${basename(path)}: there is no file at ${path}. Choose one from the list in the dialog.`;
    throw new AcqError('path_not_found', message, { cause: error });
  }
}
