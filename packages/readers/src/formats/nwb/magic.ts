import { isHdf5 } from '../../hdf5/container.js';
import type { Probe, Sniff } from '../../model/acquisition.js';

/** NWB files may have the extensions of HDF5. Other HDF5 files are refused with a list of their contents. */
export const EXTENSIONS = ['.nwb', '.h5', '.hdf5'];

export function sniff(probe: Probe): Sniff {
  if (probe.kind !== 'file' || !isHdf5(probe.head)) return false;
  return EXTENSIONS.some((extension) => probe.name.toLowerCase().endsWith(extension)) ? 'sure' : 'maybe';
}
