/** `openFiles`: reads microscope files in any page, without a server. The entry of `readers.js`. */
import type { CallOptions } from '@acquisition-store/client';
import type { ViewChoice } from '@acquisition-store/client/answers/describe.js';
import type { PageAcquisition } from './page-acquisition.ts';
import { openInPage } from './page-engine.ts';

export { AcqClientError as AcqError } from '@acquisition-store/client';
export type { PageAcquisition as Acquisition, StoreOptions, ZarrStore } from './page-acquisition.ts';

/** A file by itself, or with the path that it has in its folder. */
export type Given = File | { readonly path: string; readonly data: Blob };

export interface OpenFilesOptions extends Omit<ViewChoice, 'chooseChannels'>, CallOptions {
  /** File or folder to open, when several were given; the first one otherwise. */
  name?: string;
}

/**
 * Opens an acquisition. A worker of its own reads its metadata now, and planes when they are asked for.
 * @param files all files of the acquisition: those that are chosen in a page, or the files of a dropped folder
 * @throws AcqError with a `code`, a `message` for the user and a `hint`
 */
export function openFiles(files: Iterable<Given>, options: OpenFilesOptions = {}): Promise<PageAcquisition> {
  const { name, signal, ...choice } = options;
  const given = [...files].map((file) =>
    file instanceof File ? { path: file.webkitRelativePath || file.name, data: file } : file,
  );
  return openInPage({ name: name ?? '', files: given }, choice, { signal });
}
