import type { Format, Probe, Sniff } from '../../acquisition.js';
import { isHdf5 } from '../../hdf5/container.js';

function sniff(probe: Probe): Sniff {
  if (probe.kind !== 'file' || !isHdf5(probe.head)) return false;
  return probe.name.toLowerCase().endsWith('.ims') ? 'sure' : 'maybe';
}

export const imsFormat: Format = {
  id: 'ims',
  label: 'Imaris IMS',
  extensions: ['.ims'],
  container: 'hdf5',
  sniff,
  load: async () => (await import('./index.js')).imsReader,
};
