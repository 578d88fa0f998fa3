import { basename, dirname, isAbsolute, normalize } from 'node:path';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import type { FindPath } from './types.js';

/** Metadata files of Zarr v2 and v3. Choosing one means the store that contains it. */
const STORE_FILES = ['.zattrs', '.zgroup', 'zarr.json'];

/**
 * Returns the absolute path of the acquisition that the user chose. Checks that it exists: with auto-completion, zenity
 * 4 may return paths of files that do not exist.
 * @throws AcqError `path_not_found`, `path_not_readable`, `storage_unavailable`
 */
export async function resolveChoice(chosen: string, find: FindPath, signal: AbortSignal): Promise<string> {
  if (!isAbsolute(chosen) || chosen.includes('\0'))
    throw new AcqError('path_not_found', `The file dialog returned a path that is not absolute: ${chosen}`);
  const path = normalize(chosen);
  try {
    const kind = await find(path, signal);
    return kind === 'file' && STORE_FILES.includes(basename(path)) ? dirname(path) : path;
  } catch (error) {
    if (!(error instanceof AcqError) || error.code !== 'path_not_found') throw error;
    const message = `there is no file at ${path}. Choose a file from the list in the dialog.`;
    throw new AcqError('path_not_found', message, { subject: basename(path), cause: error });
  }
}
