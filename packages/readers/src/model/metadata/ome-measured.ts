/** Times and depths of OME-XML as evidence for the axes: `DeltaT` and `PositionZ` of the planes. */
import type { Notes } from '../../base/notes.js';
import { shorten } from '../../base/wording.js';
import type { MeasuredValues } from './axes.js';
import type { RawPixels } from './ome-document.js';
import { depthsOfRows, positionsOfRows, type RowSizes, timesOfRows } from './plane-rows.js';
import { isUncalibrated, unitMeaning } from './units.js';

/** Share by which distances of positions without a unit may differ from the Z step for their unit to be that of the step. */
const AGREES = 0.01;
const POSITIONS = 'positions (PositionZ)';

type Pixels = Pick<RawPixels, 'planes' | 'first' | 'isDated'>;

/** Returns the times along T, and says what is wrong with them. */
export function omeTimes(
  { planes, first, isDated }: Pixels,
  sizes: RowSizes,
  notes: Notes,
): MeasuredValues | undefined {
  if (sizes.T < 2) return undefined;
  noteUnits(planes.time.list(), 'seconds', 'OME DeltaT', notes);
  noteInvalid(planes.time.invalid, 'OME DeltaT', notes);
  const times = timesOfRows(planes.rows(first, ''), sizes, 'time stamps (DeltaT)', notes);
  return times && { ...times, isFromStart: isDated };
}

/**
 * Returns the depths along Z, and says what is wrong with them.
 * @param set distance of the sections that was set, in µm
 */
export function omeDepths(
  pixels: Pixels,
  sizes: RowSizes,
  set: number | undefined,
  notes: Notes,
): MeasuredValues | undefined {
  if (sizes.Z < 2) return undefined;
  const { planes, first } = pixels;
  noteUnits(planes.depth.list(), 'micrometer', 'OME PositionZ', notes);
  noteInvalid(planes.depth.invalid, 'OME PositionZ', notes);
  const distance = distanceWithoutUnit(pixels, sizes);
  const unit = unitOfPositions(distance, set);
  if (distance > 0 && unit === '') {
    notes.add(
      `The ${POSITIONS} have no unit and are ${Number(distance.toPrecision(4))} apart, so they were ignored for the Z step.`,
    );
  }
  return depthsOfRows(planes.rows(first, unit), sizes, { what: POSITIONS, set }, notes);
}

/** Returns `µm` for positions without a unit, or in "reference frame", that agree with the Z step, else an empty text. */
export function positionUnit(pixels: Pixels, sizes: RowSizes, set: number | undefined): 'µm' | '' {
  return sizes.Z < 2 ? '' : unitOfPositions(distanceWithoutUnit(pixels, sizes), set);
}

function unitOfPositions(distance: number, set: number | undefined): 'µm' | '' {
  return set !== undefined && distance > 0 && Math.abs(distance - set) <= AGREES * set ? 'µm' : '';
}

/** Returns the distance of the sections by positions without a unit; 0 when there are none. */
function distanceWithoutUnit({ planes, first }: Pixels, sizes: RowSizes): number {
  if (!planes.depth.list().some(isUncalibrated)) return 0;
  const at = positionsOfRows(planes.rows(first, 'µm'), sizes);
  return at ? Math.abs(at[sizes.Z - 1]! - at[0]!) / (sizes.Z - 1) : 0;
}

/** Says which unit was not understood, so that nobody wonders where the values are. */
export function noteUnits(
  units: readonly string[],
  expected: 'seconds' | 'micrometer',
  what: string,
  notes: Notes,
): void {
  const unknown = units.find((unit) => !isUncalibrated(unit) && unitMeaning(unit)?.unit !== expected);
  if (unknown === undefined) return;
  const kind = expected === 'seconds' ? 'time' : 'length';
  notes.add(`${what}: the unit "${shorten(unknown)}" is not a known unit of ${kind}; its values were ignored.`);
}

function noteInvalid(text: string | undefined, what: string, notes: Notes): void {
  if (text !== undefined) notes.add(`${what}: "${shorten(text)}" is not a number; such values were ignored.`);
}
