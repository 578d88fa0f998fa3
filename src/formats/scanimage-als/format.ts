import type { Format, Probe, Sniff } from '../../acquisition.js';

/** Arbitrary line scans of ScanImage: samples in `.pmt.dat`, header in `.meta.txt`. Opened by either of them. */
export const scanimageAlsFormat: Format = {
  id: 'scanimage-als',
  label: 'ScanImage arbitrary line scan',
  extensions: ['.pmt.dat', '.meta.txt'],
  sniff,
  load: async () => (await import('./index.js')).reader,
};

/** The samples are bare numbers and tell nothing; the header starts with ScanImage's lines. */
function sniff(probe: Probe): Sniff {
  if (probe.kind !== 'file') return false;
  const name = probe.name.toLowerCase();
  if (name.endsWith('.pmt.dat')) return probe.size > 0 ? 'maybe' : false;
  if (!name.endsWith('.meta.txt')) return false;
  return /^SI\.[A-Za-z]/m.test(Buffer.from(probe.head).toString('latin1')) ? 'sure' : false;
}
