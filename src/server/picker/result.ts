import { stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, normalize } from 'node:path';
import { AcqError } from '../../errors.js';
import { exhaustionError } from '../../io/exhaustion.js';

/** Metadata files of Zarr v2 and v3: whoever chooses one means the store around it. */
const STORE_FILES = ['.zattrs', '.zgroup', 'zarr.json'];

/**
 * The acquisition that the user means with what the dialog returned, looked at on disk: zenity 4 returns paths of
 * files that do not exist when typing meets auto-completion.
 * @returns an absolute path
 * @throws AcqError `path_not_found`, `path_not_readable`
 */
export async function resolveChoice(chosen: string): Promise<string> {
  if (!isAbsolute(chosen)) throw new AcqError('path_not_found', `${chosen}: the dialog returned no absolute path`);
  const path = normalize(chosen);
  try {
    const found = await stat(path);
    return found.isFile() && STORE_FILES.includes(basename(path)) ? dirname(path) : path;
  } catch (error) {
    throw statError(path, error);
  }
}

function statError(path: string, cause: unknown): AcqError {
  const exhausted = exhaustionError(`${path} cannot be opened`, cause);
  if (exhausted) return exhausted;
  const code = (cause as NodeJS.ErrnoException).code;
  if (code === 'EACCES' || code === 'EPERM') {
    const message = `${path}: this file may not be read by the server's user; change its permissions`;
    return new AcqError('path_not_readable', message, { cause });
  }
  return new AcqError('path_not_found', `${path}: no such file; choose one from the list of the dialog`, { cause });
}
