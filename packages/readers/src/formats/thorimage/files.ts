/** Finds the files of a recording in its folder. */

import { companionMissing, decodeFailed } from '../../base/errors.js';
import { grouped } from '../../base/wording.js';
import type { ByteSource } from '../../io/byte-source.js';
import type { OpenInput } from '../../model/acquisition.js';
import { RAW_NAME, REGION_NAME, SETTINGS, TIFF_NAME } from './magic.js';

export interface RawFile {
  name: string;
  site: number;
  tile: number;
}

/** Raw files that are opened: one for each site and tile. */
const MAX_RAW_FILES = 1_000;

/** True for a file that only the settings beside it describe. */
export function isMemberName(name: string): boolean {
  return RAW_NAME.test(name) || REGION_NAME.test(name) || TIFF_NAME.test(name);
}

/**
 * Opens the settings of a recording, whichever of its files was named.
 * @throws AcqError `companion_missing`
 */
export function openSettings({ probe, source, folder }: OpenInput): ByteSource {
  if (source && !isMemberName(probe.name)) return source;
  const settings = folder.openAnyCase(SETTINGS);
  if (settings) return settings;
  throw companionMissing(`"${SETTINGS}", which describes the recording,`, folder.path, 'Copy the whole folder.');
}

/** Returns the raw files of a folder, by site and tile. @throws AcqError `decode_failed` */
export function findRawFiles(names: readonly string[]): RawFile[] {
  const files = names.flatMap((name) => {
    const [, site, tile] = RAW_NAME.exec(name) ?? [];
    return site === undefined ? [] : [{ name, site: Number(site), tile: Number(tile) }];
  });
  if (files.length > MAX_RAW_FILES) {
    throw decodeFailed(`the folder has ${grouped(files.length)} raw files; the limit is ${grouped(MAX_RAW_FILES)}.`);
  }
  return files.sort((a, b) => a.site - b.site || a.tile - b.tile);
}
