/** What an IFD lost when an entry of it was damaged. */
import { TAG } from './tags.js';

/** Tags with a default, which a reader would take in place of a lost one, and the description of a flavor. */
export const IMAGE_DESCRIPTION = 270;
const TELLING = [
  TAG.bitsPerSample,
  TAG.compression,
  IMAGE_DESCRIPTION,
  TAG.samplesPerPixel,
  TAG.rowsPerStrip,
  TAG.planarConfiguration,
  TAG.predictor,
  TAG.sampleFormat,
];

/** An entry as far as it matters here. */
export interface EntryHead {
  code: number;
  /** Its field type is one of TIFF's. */
  typed: boolean;
}

/**
 * Tags that damaged entries of an IFD may have been. Codes ascend (TIFF 6.0), so one that breaks the order has taken
 * the place of a code between its neighbors. Files with unsorted entries leave no such gap, or hold the tag elsewhere.
 */
export function lostTags(entries: readonly EntryHead[]): ReadonlySet<number> {
  const present = new Set(entries.filter(({ typed }) => typed).map(({ code }) => code));
  const lost = new Set<number>();
  const codeAt = (i: number) => entries[i]?.code ?? (i < 0 ? 0 : Number.POSITIVE_INFINITY);
  const addBetween = (low: number, high: number) => {
    for (const code of TELLING) if (code > low && code < high && !present.has(code)) lost.add(code);
  };
  for (const [i, { code, typed }] of entries.entries()) {
    if (!typed) addBetween(code - 1, code + 1);
    if (code > codeAt(i - 1)) continue;
    // Either this entry is wrong or the one before it.
    addBetween(codeAt(i - 1), codeAt(i + 1));
    addBetween(codeAt(i - 2), code);
  }
  return lost;
}
