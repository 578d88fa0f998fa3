import { latin1 } from '../../base/bytes.js';
import type { Probe, Sniff } from '../../model/acquisition.js';

/**
 * Recognizes the header by ScanImage's `SI.… = …` lines. The samples have no signature, only their extension, so they are
 * never more than a `maybe`.
 */
export function sniff(probe: Probe): Sniff {
  if (probe.kind !== 'file') return false;
  const name = probe.name.toLowerCase();
  if (name.endsWith('.pmt.dat')) return probe.size > 0 ? 'maybe' : false;
  if (!name.endsWith('.meta.txt')) return false;
  return /^SI\.[A-Za-z]/m.test(latin1(probe.head)) ? 'sure' : false;
}
