import { childNamed, type XmlElement } from '../io/xml.js';
import { isUncalibrated, toUnit } from './units.js';

/** Values of a plane: the attribute, the element that had it in old schemas, and the unit when there is none. */
export const PLANE_FIELDS = {
  time: { name: 'DeltaT', old: 'PlaneTiming', unit: 'seconds', fallback: 's' },
  exposure: { name: 'ExposureTime', old: 'PlaneTiming', unit: 'seconds', fallback: 's' },
  x: { name: 'PositionX', old: 'StagePosition', unit: 'micrometer', fallback: '' },
  y: { name: 'PositionY', old: 'StagePosition', unit: 'micrometer', fallback: '' },
  z: { name: 'PositionZ', old: 'StagePosition', unit: 'micrometer', fallback: '' },
} as const;
export type PlaneField = keyof typeof PLANE_FIELDS;

/**
 * Returns a value of a `Plane` in seconds or µm; `undefined` without a unit that is one of these.
 * @param missing unit of values that have none, or are in "reference frame"
 */
export function planeValue(plane: XmlElement, field: PlaneField, missing = ''): number | undefined {
  const { name, old, unit, fallback } = PLANE_FIELDS[field];
  const text = plane.attributes[name] ?? childNamed(plane, old)?.attributes[name];
  const value = text === undefined || text.trim() === '' ? Number.NaN : Number(text.trim().replace(',', '.'));
  if (!Number.isFinite(value)) return undefined;
  const said = plane.attributes[`${name}Unit`] ?? fallback;
  return toUnit(unit, value, isUncalibrated(said) ? missing || fallback : said);
}
