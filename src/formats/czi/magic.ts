import type { Probe, Sniff } from '../../acquisition.js';

const MAGIC = 'ZISRAWFILE';

export function sniff(probe: Probe): Sniff {
  return probe.kind === 'file' && String.fromCharCode(...probe.head.subarray(0, MAGIC.length)) === MAGIC
    ? 'sure'
    : false;
}
