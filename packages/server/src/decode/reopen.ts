/** Opens the files of a recording again, without a look at each of thousands of them. */
import { realpathSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import type { OpenedAcquisition } from '../open.js';
import { checkUnchanged, type Fingerprint } from '../platform-node/file-source.js';

/**
 * Opens a recording that was opened before. Files that were joined by their names are compared when one of their planes is read, so that
 * only their names are compared here; all other files are compared now.
 * @param expected all files that were opened so far
 * @throws AcqError `source_changed`, and the errors of an open
 */
export async function reopenAll(
  open: () => Promise<OpenedAcquisition>,
  expected: readonly Fingerprint[],
): Promise<OpenedAcquisition> {
  let opened: OpenedAcquisition | undefined;
  try {
    opened = await open();
    if (opened.acquisition.isJoined) checkNames(opened, expected);
    else checkUnchanged(expected);
    return opened;
  } catch (error) {
    opened?.close();
    // A change is what the client has to know.
    checkUnchanged(expected);
    throw error;
  }
}

/** One file more, or one less, moves the planes of others. @throws AcqError `source_changed` */
function checkNames({ names, path }: OpenedAcquisition, expected: readonly Fingerprint[]): void {
  const before = new Set(expected.flatMap((file) => (file.isAbsent ? [] : [file.path])));
  for (const name of names() ?? []) {
    const file = join(dirname(path), name);
    if (!before.delete(file) && !before.delete(realPathOf(file))) {
      throw new AcqError('source_changed', `${basename(file)} was added`);
    }
  }
  const isPart = (file: string) => extname(file).toLowerCase() === extname(path).toLowerCase();
  const gone = [...before].find(isPart);
  if (gone !== undefined) throw new AcqError('source_changed', `${basename(gone)} was deleted or moved`);
  // A text file beside a part is not listed.
  checkUnchanged(expected.filter((file) => before.has(file.path)));
}

/** A part may be a link to another file of its folder. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
