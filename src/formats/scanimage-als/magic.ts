import type { Probe, Sniff } from '../../acquisition.js';

/** The samples are bare numbers and tell nothing; the header starts with ScanImage's lines. */
export function sniff(probe: Probe): Sniff {
  if (probe.kind !== 'file') return false;
  const name = probe.name.toLowerCase();
  if (name.endsWith('.pmt.dat')) return probe.size > 0 ? 'maybe' : false;
  if (!name.endsWith('.meta.txt')) return false;
  return /^SI\.[A-Za-z]/m.test(Buffer.from(probe.head).toString('latin1')) ? 'sure' : false;
}
