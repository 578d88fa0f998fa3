import { latin1 } from '../../base/bytes.js';
import type { Probe, Sniff } from '../../model/acquisition.js';

export function sniff({ kind, head }: Probe): Sniff {
  return kind === 'file' && startsWithKey(head, 'NDInfoFile') ? 'sure' : false;
}

/** Plates have another dialect of the same lines. */
export function openInstead({ kind, name, head }: Probe): string | undefined {
  if (kind !== 'file' || !(startsWithKey(head, 'HTSInfoFile') || /\.htd$/i.test(name))) return undefined;
  return 'describes a plate of MetaXpress (HTD), which is not supported. Open one of its images.';
}

function startsWithKey(head: Uint8Array, key: string): boolean {
  return new RegExp(`^(ï»¿)?\\s*"${key}"`).test(latin1(head.subarray(0, 64)));
}
