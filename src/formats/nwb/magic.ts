import type { Probe, Sniff } from '../../acquisition.js';
import { isHdf5 } from '../../hdf5/container.js';

/** NWB files are also named as what they are, HDF5; other HDF5 files are refused with what is in them. */
export const EXTENSIONS = ['.nwb', '.h5', '.hdf5'];

export function sniff(probe: Probe): Sniff {
  if (probe.kind !== 'file' || !isHdf5(probe.head)) return false;
  return EXTENSIONS.some((extension) => probe.name.toLowerCase().endsWith(extension)) ? 'sure' : 'maybe';
}
