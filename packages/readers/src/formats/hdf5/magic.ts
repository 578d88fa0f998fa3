import { isHdf5 } from '../../hdf5/container.js';
import type { Probe, Sniff } from '../../model/acquisition.js';

export const EXTENSIONS = ['.h5', '.hdf5'];

/** Only the name says that a file is to be opened as arrays: HDF5 files contain anything. */
export function hasName(name: string): boolean {
  return EXTENSIONS.some((extension) => name.toLowerCase().endsWith(extension));
}

export function sniff(probe: Probe): Sniff {
  return probe.kind === 'file' && isHdf5(probe.head) && hasName(probe.name) ? 'maybe' : false;
}
