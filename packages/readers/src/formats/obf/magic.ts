import { latin1 } from '../../base/bytes.js';
import type { Probe, Sniff } from '../../model/acquisition.js';

export const FILE_MAGIC = 'OMAS_BF\n\xff\xff';

export function sniff({ kind, head }: Probe): Sniff {
  return kind === 'file' && latin1(head.subarray(0, FILE_MAGIC.length)) === FILE_MAGIC ? 'sure' : false;
}

/** Before OBF, Imspector wrote another format under the same extension. */
export function openInstead({ kind, name, size }: Probe): string | undefined {
  if (kind !== 'file' || size === 0 || !/\.msr$/i.test(name)) return undefined;
  return 'is not an MSR file of today, but perhaps one from before OBF. Open it in Imspector, and save it as OBF.';
}
