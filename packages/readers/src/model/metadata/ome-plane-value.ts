import { childNamed, type XmlElement } from '../../io/xml.js';
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

/** Returns the text of a value of a `Plane`. */
export function planeText(plane: XmlElement, field: PlaneField): string | undefined {
  const { name, old } = PLANE_FIELDS[field];
  return plane.attributes[name] ?? childNamed(plane, old)?.attributes[name];
}

/** Parses a number, also with a decimal comma; `NaN` for anything else. */
export function parseNumber(text: string | undefined): number {
  return text === undefined || text.trim() === '' ? Number.NaN : Number(text.trim().replace(',', '.'));
}

/**
 * Returns a value of a `Plane` in seconds or µm; `undefined` without a unit that is one of these.
 * @param missing unit of values that have none, or are in "reference frame"
 */
export function planeValue(plane: XmlElement, field: PlaneField, missing = ''): number | undefined {
  const { name, unit, fallback } = PLANE_FIELDS[field];
  const value = parseNumber(planeText(plane, field));
  if (!Number.isFinite(value)) return undefined;
  const said = plane.attributes[`${name}Unit`] ?? fallback;
  return toUnit(unit, value, isUncalibrated(said) ? missing || fallback : said);
}
