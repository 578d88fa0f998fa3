import type { Format, Probe, Sniff } from '../../acquisition.js';

const MAGIC = 'ZISRAWFILE';

function sniff(probe: Probe): Sniff {
  return probe.kind === 'file' && String.fromCharCode(...probe.head.subarray(0, MAGIC.length)) === MAGIC
    ? 'sure'
    : false;
}

export const cziFormat: Format = {
  id: 'czi',
  label: 'Zeiss CZI',
  extensions: ['.czi'],
  sniff,
  load: async () => (await import('./index.js')).cziReader,
};
