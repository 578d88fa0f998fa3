import { AcqError } from '../../base/errors.js';
import type { MetadataList } from '../metadata-list.js';

/** Runs `add`, which lists one part of a file. A part that is corrupted gets an entry that says so. */
export async function addReadable(list: MetadataList, name: string, add: () => void | Promise<void>): Promise<void> {
  try {
    await add();
  } catch (error) {
    if (!(error instanceof AcqError)) throw error;
    list.add(name, '', `Cannot be read: ${error.message}`);
  }
}
