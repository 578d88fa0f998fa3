/** Where the newest plane of an acquisition is, or the newest line of a line scan, and whether it is on screen. */
import type { OpenResponse } from '@acquisition-store/client/contract/open.js';
import { goToLastLine, showsLastLine } from '../image/lines.ts';
import type { AcquisitionDocument } from '../model/document.ts';
import { fileDims, type Place, SINGULARS, type StackDim } from '../stack/place.ts';
import type { Stack } from '../stack/stack.ts';

/** Names of what is added. */
export const NEWEST = { ...SINGULARS, line: 'line' } as const;

interface Growth {
  /** What is added while the acquisition is recorded. */
  readonly of: StackDim | 'line';
  /** How many of them there are. */
  readonly size: number;
}

/** Returns what is added to an acquisition: time points, otherwise sections; lines of a line scan without either. */
export function growthOf({ info, source }: Pick<AcquisitionDocument, 'info' | 'source'>): Growth {
  const { header } = info.value;
  const [dim] = fileDims(info.value);
  if (dim !== undefined) return { of: dim, size: header.sizes[dim] ?? 1 };
  return source.value.lineScan ? { of: 'line', size: source.value.shape[0] } : { of: 'T', size: 1 };
}

/**
 * True when the newest plane or line is on screen, or a projection of all planes.
 * @param shown index that was shown as the newest
 */
export function isAtNewest(document: AcquisitionDocument, wanted: Place, shown = Number.POSITIVE_INFINITY): boolean {
  const { of, size } = growthOf(document);
  if (of === 'line') return showsLastLine(document.source.value);
  return document.info.value.projection?.[of] !== undefined || wanted[of] >= Math.min(size - 1, shown);
}

/**
 * Returns the place in a file that has more planes than before: the newest if the newest was there before, otherwise the
 * same place.
 * @param shown index that was shown as the newest
 */
export function placeIn(
  next: OpenResponse,
  before: OpenResponse,
  place: Place,
  shown = Number.POSITIVE_INFINITY,
): Place {
  const last = (info: OpenResponse, dim: StackDim) => (info.header.sizes[dim] ?? 1) - 1;
  const [dim] = fileDims(next);
  const T = Math.min(place.T, last(next, 'T'));
  const Z = Math.min(place.Z, last(next, 'Z'));
  return dim !== undefined && place[dim] >= Math.min(last(before, dim), shown)
    ? { T, Z, [dim]: last(next, dim) }
    : { T, Z };
}

/** True while nothing is opened again, because what is on screen takes many planes of one session. */
export function isPaused({ source }: AcquisitionDocument, { player }: Stack): boolean {
  return player.playing.value !== null || source.value.orthogonal.value.shown;
}

export function goToNewest(document: AcquisitionDocument, stack: Stack): void {
  const { of, size } = growthOf(document);
  if (of === 'line') goToLastLine(document.source.value);
  else if (document.info.peek().projection?.[of] === undefined) stack.go(of, size - 1);
}
