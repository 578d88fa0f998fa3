/** Which planes of a stack are worth having: those ahead of a movement, then those behind it. */
import type { Place, StackDim } from './place.ts';

export interface Movement {
  readonly dim: StackDim;
  readonly sign: 1 | -1;
  /** Planes along the dimension. */
  readonly size: number;
  /** True when the first plane follows the last one. */
  readonly wraps: boolean;
}

const AHEAD = 6;
const BEHIND = 2;
/** Cost of a place in another section, when the time points move, and the other way round. */
const ELSEWHERE = 1_000_000;

/** Returns the places to read next to `place`, the most useful first, at most `count`. */
export function placesAhead(place: Place, { dim, sign, size, wraps }: Movement, count: number): Place[] {
  const offsets = [
    ...Array.from({ length: AHEAD }, (_, i) => i + 1),
    ...Array.from({ length: BEHIND }, (_, i) => -i - 1),
  ];
  return offsets
    .slice(0, Math.max(0, count))
    .map((by) => (wraps ? (place[dim] + by * sign + size) % size : place[dim] + by * sign))
    .filter((index) => index >= 0 && index < size && index !== place[dim])
    .map((index) => ({ ...place, [dim]: index }));
}

/** Returns how dispensable a plane is: its distance from the wanted place, twice as much behind it as ahead. */
export function costOf(place: Place, wanted: Place, { dim, sign, size, wraps }: Movement): number {
  const other = dim === 'T' ? 'Z' : 'T';
  const along = (place[dim] - wanted[dim]) * sign;
  const behind = wraps ? Math.min(-2 * along, along + size) : -2 * along;
  return (along < 0 ? behind : along) + (place[other] === wanted[other] ? 0 : ELSEWHERE);
}
