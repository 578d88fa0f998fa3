import type { Format, Probe, Sniff } from '../../acquisition.js';
import { hasMagic } from './parse.js';

export const oirFormat: Format = {
  id: 'oir',
  label: 'Olympus OIR',
  extensions: ['.oir', '.poir', '.mpoir'],
  sniff,
  // Continuations mostly have no extension of their own: rec_00001 belongs to rec.oir.
  home: (path) => (/[^/\\]_\d{5}$/.test(path) ? path.replace(/_\d{5}$/, '.oir') : undefined),
  load: async () => (await import('./index.js')).reader,
};

function sniff(probe: Probe): Sniff {
  if (hasMagic(probe.head)) return 'sure';
  // Archives of OIR files say by their name only what they are.
  const zip = probe.head[0] === 0x50 && probe.head[1] === 0x4b;
  return zip && /\.m?poir$/i.test(probe.name) ? 'maybe' : false;
}
