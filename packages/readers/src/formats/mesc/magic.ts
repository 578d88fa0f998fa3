import { isHdf5 } from '../../hdf5/container.js';
import type { Probe, Sniff } from '../../model/acquisition.js';

export function sniff(probe: Probe): Sniff {
  if (probe.kind !== 'file' || !isHdf5(probe.head)) return false;
  return probe.name.toLowerCase().endsWith('.mesc') ? 'sure' : 'maybe';
}
