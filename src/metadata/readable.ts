import { AcqError } from '../errors.js';
import type { MetadataList } from '../metadata-list.js';

/** Runs `add`, which lists one part of a file. A part that is corrupted gets an entry that says so. */
export function addReadable(list: MetadataList, name: string, add: () => void): void {
  try {
    add();
  } catch (error) {
    if (!(error instanceof AcqError)) throw error;
    list.add(name, '', `Cannot be read: ${error.message}`);
  }
}
