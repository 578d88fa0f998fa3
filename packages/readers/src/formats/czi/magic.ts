import type { Probe, Sniff } from '../../model/acquisition.js';

export const MAGIC = 'ZISRAWFILE';

/** True for files that start with the id of the file header segment. */
export function sniff(probe: Probe): Sniff {
  return probe.kind === 'file' && String.fromCharCode(...probe.head.subarray(0, MAGIC.length)) === MAGIC
    ? 'sure'
    : false;
}
