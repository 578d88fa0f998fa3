import { isOle } from '../../io/ole-magic.js';
import type { Probe, Sniff } from '../../model/acquisition.js';

/** The container is that of OIB and of Office documents: its directory decides (`claims`). */
export function sniff({ kind, head }: Probe): Sniff {
  return kind === 'file' && isOle(head) ? 'maybe' : false;
}
