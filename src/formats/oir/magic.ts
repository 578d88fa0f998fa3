import type { Probe, Sniff } from '../../acquisition.js';
import { isZip } from '../../io/zip.js';
import { hasMagic } from './parse.js';

export function sniff(probe: Probe): Sniff {
  if (hasMagic(probe.head)) return 'sure';
  // What is in an archive of another name tells its directory.
  return isZip(probe.head) && /\.m?poir$/i.test(probe.name) ? 'maybe' : false;
}

/** Continuations mostly have no extension of their own: `rec_00001` belongs to `rec.oir`. */
export function home(path: string): string | undefined {
  return /[^/\\]_\d{5}$/.test(path) ? path.replace(/_\d{5}$/, '.oir') : undefined;
}
