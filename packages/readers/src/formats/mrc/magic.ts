import { latin1 } from '../../base/bytes.js';
import type { Probe, Sniff } from '../../model/acquisition.js';
import { findByteOrder, HEADER_BYTES } from './parse.js';

/** Files from before 2000 have no signature: for those, the header must make sense and the extension must be one of MRC. */
export function sniff({ kind, name, head }: Probe): Sniff {
  if (kind !== 'file' || head.length < HEADER_BYTES || findByteOrder(head) === undefined) return false;
  if (latin1(head.subarray(208, 211)) === 'MAP') return 'sure';
  return /\.(mrc|map|rec)$/i.test(name) ? 'maybe' : false;
}
