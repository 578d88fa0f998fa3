import { type PageSpec, writeTiff } from './tiff.js';

/** Index entry: channel, slice, frame, position. */
export type PlaneIndex = [number, number, number, number];

/** An MMStack: summary behind the TIFF header, one IFD per plane, the index at the end. */
export function writeMicroManager(spec: {
  summary: object;
  pages: PageSpec[];
  /** One per page; without, no index is written. */
  index?: PlaneIndex[];
}): Uint8Array {
  const summary = new TextEncoder().encode(JSON.stringify(spec.summary));
  const tiff = writeTiff({ pages: spec.pages, headerGap: 32 + summary.length });
  const entries = spec.index ?? [];
  const bytes = new Uint8Array(tiff.length + (spec.index ? 8 + entries.length * 20 : 0));
  bytes.set(tiff);
  bytes.set(summary, 40);
  const view = new DataView(bytes.buffer);
  const put = (at: number, ...values: number[]) => {
    for (const [i, value] of values.entries()) view.setUint32(at + i * 4, value, true);
  };
  put(8, 54_773_648, spec.index ? tiff.length : 0, 483_765_892, 0, 99_384_722, 0, 2_355_492, summary.length);
  if (spec.index) {
    put(tiff.length, 3_453_623, entries.length);
    let ifd = view.getUint32(4, true);
    for (const [i, entry] of entries.entries()) {
      put(tiff.length + 8 + i * 20, ...entry, ifd);
      ifd = view.getUint32(ifd + 2 + view.getUint16(ifd, true) * 12, true);
    }
  }
  return bytes;
}
