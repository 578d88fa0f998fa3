import { LIMITS } from '../../../base/limits.js';
import type { Notes } from '../../../base/notes.js';
import { plural } from '../../../base/wording.js';
import type { PlaneKey } from './stk-axes.js';
import type { RawPositions } from './uic-positions.js';

/** Positions that are compared with each plane. A stage that moves more often follows something in time. */
const MAX_POSITIONS = 1_000;
/** Micrometers between neighboring positions: at least a quarter of the image, so that a stage that settles is not two. */
const FIELD_SHARE = 1 / 4;
const MIN_DISTANCE = 2;
const UNKNOWN_FIELD = 40;

/** Returns the stage position of each plane as a key, with the names of the positions by their first plane. */
export function positionKey(raw: RawPositions, field: number | undefined, notes: Notes): PlaneKey | undefined {
  const { labels, x, y } = raw;
  const names = new Set(labels);
  if (labels && names.size > 1) {
    return names.size <= LIMITS.scenes ? { kind: 'S', values: labels, what: 'stage label' } : undefined;
  }
  const places = x && y && placesOf(x, y, Math.max(MIN_DISTANCE, (field ?? UNKNOWN_FIELD) * FIELD_SHARE));
  if (!places) return undefined;
  notes.add(`The stage was at ${plural(new Set(places).size, 'position')}, which are shown as scenes.`);
  return { kind: 'S', values: places, what: 'stage position' };
}

/** Numbers the places where a stage was; `undefined` for a single one, or if some are closer than `distance`. */
function placesOf(x: Float64Array, y: Float64Array, distance: number): number[] | undefined {
  const centers: number[] = [];
  const places: number[] = [];
  const apart = (a: number, b: number) => Math.hypot(x[a]! - x[b]!, y[a]! - y[b]!);
  for (let plane = 0; plane < x.length; plane++) {
    if (!Number.isFinite(x[plane]! + y[plane]!)) return undefined;
    let place = centers.findIndex((center) => apart(plane, center) < distance / 2);
    if (place < 0) place = centers.push(plane) - 1;
    if (centers.length > MAX_POSITIONS) return undefined;
    places.push(place);
  }
  const tooClose = centers.some((a, i) => centers.slice(i + 1).some((b) => apart(a, b) < distance));
  return centers.length < 2 || tooClose ? undefined : places;
}
