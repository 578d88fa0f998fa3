import { isOle } from '../../io/ole-magic.js';
import { decodeText } from '../../io/text.js';
import type { Probe, Sniff } from '../../model/acquisition.js';

/** A section that every main file of a FluoView set has near its start. */
const MAIN_FILE = /^\[(Acquisition Parameters Common|Axis \d Parameters Common|Axis Parameter Common|File Info)\]/m;
const PLANES_FOLDER = /^(.*\.oif)\.files$/i;

export function sniff(probe: Probe): Sniff {
  if (probe.kind !== 'file') return false;
  // Its directory decides (`claims`).
  if (isOle(probe.head)) return 'maybe';
  const start = probe.head.subarray(0, 3);
  const text = start[0] === 0x5b || (start[0] === 0xff && start[1] === 0xfe && start[2] === 0x5b);
  if (!text) return false;
  return MAIN_FILE.test(decodeText(probe.head)) ? 'sure' : false;
}

/** Returns the `.oif` beside the folder `<name>.oif.files` of a file. */
export function home(path: string): string | undefined {
  const match = /^(.*\.oif)\.files[\\/][^\\/]+$/i.exec(path);
  return match?.[1];
}

export function openInstead({ kind, name }: Probe): string | undefined {
  const main = kind === 'directory' ? PLANES_FOLDER.exec(name)?.[1] : undefined;
  return main && `contains the planes of "${main}". Put that file beside this folder and open it.`;
}

/** Returns the `.oif` beside the folder `<name>.oif.files`. */
export function homeOfFolder(path: string): string | undefined {
  return PLANES_FOLDER.exec(path)?.[1];
}
