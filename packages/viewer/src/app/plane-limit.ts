/** How large a plane may be that the page holds as a whole. */
import { readStored } from './stored.ts';

const DEFAULT_MIB = 256;

/** Returns the bytes above which a plane stays on the server. `acqstore.planeLimit` in the storage of the page sets MiB. */
export function planeLimit(): number {
  const stored = readStored('planeLimit');
  return (typeof stored === 'number' && stored >= 0 ? stored : DEFAULT_MIB) * 2 ** 20;
}
