import { latin1 } from '../../base/bytes.js';
import type { Probe, Sniff } from '../../model/acquisition.js';

/** The samples have no signature, only their extension. */
export function sniff({ kind, name, size }: Probe): Sniff {
  return kind === 'file' && size > 0 && /\.sbx$/i.test(name) ? 'maybe' : false;
}

/** Returns the samples beside the settings. */
export function home(path: string): string | undefined {
  return /[^\\/]\.mat$/i.test(path) ? `${path.slice(0, -4)}.sbx` : undefined;
}

export function openInstead({ kind, name, head }: Probe): string | undefined {
  if (kind !== 'file' || !/\.mat$/i.test(name) || latin1(head.subarray(0, 6)) !== 'MATLAB') return undefined;
  return `is a MATLAB file. Of these, only the settings of Scanbox are read, with "${name.slice(0, -4)}.sbx" in the same folder.`;
}
