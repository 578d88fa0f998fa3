import { TAG } from './tags.js';

/** Tags whose absence changes what is read: those with a default, and the description. */
const SIGNIFICANT_TAGS = [
  TAG.bitsPerSample,
  TAG.compression,
  TAG.imageDescription,
  TAG.samplesPerPixel,
  TAG.rowsPerStrip,
  TAG.planarConfiguration,
  TAG.predictor,
  TAG.sampleFormat,
];

/** Code and validity of an IFD entry. */
export interface EntryHead {
  code: number;
  /** True if its field type is defined in TIFF. */
  typed: boolean;
}

/**
 * Finds the tags that corrupted entries of an IFD may have been. Codes ascend (TIFF 6.0), so a code that breaks the order
 * replaced one between its neighbors. Files with unsorted entries have no such gap, or have the tag elsewhere.
 */
export function findLostTags(entries: readonly EntryHead[]): ReadonlySet<number> {
  const present = new Set(entries.filter(({ typed }) => typed).map(({ code }) => code));
  const lost = new Set<number>();
  const codeAt = (i: number) => entries[i]?.code ?? (i < 0 ? 0 : Number.POSITIVE_INFINITY);
  const addBetween = (low: number, high: number) => {
    for (const code of SIGNIFICANT_TAGS) if (code > low && code < high && !present.has(code)) lost.add(code);
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
