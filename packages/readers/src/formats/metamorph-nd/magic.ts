import { latin1 } from '../../base/bytes.js';
import type { Probe, Sniff } from '../../model/acquisition.js';

/** Names have a channel, a position and a time. */
const MAX_STEMS = 3;
/** The first key of a set, and that of a plate: quoted, perhaps after a byte order mark. */
const SET = /^(ï»¿)?\s*"NDInfoFile"/;
const PLATE = /^(ï»¿)?\s*"HTSInfoFile"/;

export function sniff({ kind, head }: Probe): Sniff {
  return kind === 'file' && startsWith(head, SET) ? 'sure' : false;
}

/** Plates have another dialect of the same lines. */
export function openInstead({ kind, name, head }: Probe): string | undefined {
  if (kind !== 'file' || !(/\.htd$/i.test(name) || startsWith(head, PLATE))) return undefined;
  return 'describes a plate of MetaXpress (HTD), which is not supported. Open one of its images.';
}

/** Names of sets that a stack or an image could be a file of. The name of the set may itself end as those of its files do. */
export function mastersOf(name: string): string[] {
  if (!/\.(stk|tiff?)$/i.test(name)) return [];
  return [...name.matchAll(/_[wst]\d/gi)].slice(-MAX_STEMS).map(({ index }) => `${name.slice(0, index)}.nd`);
}

function startsWith(head: Uint8Array, key: RegExp): boolean {
  return key.test(latin1(head.subarray(0, 64)));
}
