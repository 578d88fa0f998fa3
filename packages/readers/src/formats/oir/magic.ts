import { isZip } from '../../io/zip.js';
import type { Probe, Sniff } from '../../model/acquisition.js';

export const MAGIC = 'OLYMPUSRAWFORMAT';

/** True for the first bytes of an OIR file. */
export function isOir(head: Uint8Array): boolean {
  if (head.length < MAGIC.length) return false;
  for (let i = 0; i < MAGIC.length; i++) if (head[i] !== MAGIC.charCodeAt(i)) return false;
  return true;
}

export function sniff(probe: Probe): Sniff {
  if (isOir(probe.head)) return 'sure';
  // For an archive with another name, its directory decides (`claims`).
  return isZip(probe.head) && /\.m?poir$/i.test(probe.name) ? 'maybe' : false;
}

/** Returns the main file of a continuation, most of which have no extension: `rec_00001` belongs to `rec.oir`. */
export function home(path: string): string | undefined {
  return /[^/\\]_\d{5}$/.test(path) ? path.replace(/_\d{5}$/, '.oir') : undefined;
}
