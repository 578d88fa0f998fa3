import type { XmlElement } from '../../io/xml.js';
import { PLANE_FIELDS, type PlaneField, parseNumber, planeText } from './ome-plane-value.js';
import type { PlaneRows } from './plane-rows.js';
import { inUnit, isUncalibrated, type UnitMeaning, unitMeaning } from './units.js';

/** Units of one document; more are those of a damaged one. */
const MAX_UNITS = 16;

/** Values of one field with their units, one for each plane. */
class Column {
  /** `NaN` where there is none. */
  readonly values: number[] = [];
  private readonly unitOf: number[] = [];
  private readonly units: string[] = [];
  private readonly field: PlaneField;
  /** The first text that is not a number. */
  invalid: string | undefined;

  constructor(field: PlaneField) {
    this.field = field;
  }

  textOf(plane: XmlElement): string | undefined {
    return planeText(plane, this.field);
  }

  push(text: string | undefined, plane: XmlElement): void {
    const value = parseNumber(text);
    // Writers that do not know a time or a position write NaN.
    if (text !== undefined && !Number.isFinite(value) && !/^\s*([-+]?nan)?\s*$/i.test(text)) this.invalid ??= text;
    const { name, fallback } = PLANE_FIELDS[this.field];
    const unit = Number.isFinite(value) ? this.indexOf(plane.attributes[`${name}Unit`] ?? fallback) : -1;
    this.values.push(unit < 0 ? Number.NaN : value);
    this.unitOf.push(unit);
  }

  /** The units of all values, each once. */
  list(): readonly string[] {
    return this.units;
  }

  /** Returns the values in a unit; `NaN` where they are not of that kind. @param missing the unit of values without one */
  convert(unit: UnitMeaning['unit'], missing: string): number[] {
    const meanings = this.units.map((text) => unitMeaning(isUncalibrated(text) ? missing : text));
    return this.values.map((value, row) => {
      const meaning = meanings[this.unitOf[row]!];
      return meaning?.unit === unit ? inUnit(value, meaning) : Number.NaN;
    });
  }

  private indexOf(unit: string): number {
    const known = this.units.indexOf(unit);
    if (known >= 0) return known;
    return this.units.length < MAX_UNITS ? this.units.push(unit) - 1 : -1;
  }
}

/** The times and depths in the `Plane` elements of one image, in columns: there may be a million of them. */
export class OmePlanes {
  readonly time = new Column('time');
  readonly depth = new Column('z');
  private readonly t: number[] = [];
  private readonly z: number[] = [];
  private readonly c: number[] = [];

  add(plane: XmlElement): void {
    const [time, depth] = [this.time.textOf(plane), this.depth.textOf(plane)];
    if (time === undefined && depth === undefined) return;
    const [t, z, c] = [indexOf(plane, 'TheT'), indexOf(plane, 'TheZ'), indexOf(plane, 'TheC')];
    if (t === undefined || z === undefined || c === undefined) return;
    this.t.push(t);
    this.z.push(z);
    this.c.push(c);
    this.time.push(time, plane);
    this.depth.push(depth, plane);
  }

  /**
   * Returns the planes in seconds and micrometers. Rows of planes before the first one have a negative index.
   * @param first numbers of the first plane
   * @param lengthUnit unit of the positions without one; empty when they are of no use
   */
  rows(first: { T: number; Z: number; C: number }, lengthUnit: string): PlaneRows {
    const from = (column: readonly number[], by: number) => column.map((index) => (index < 0 ? 0 : index - by));
    return {
      t: from(this.t, first.T),
      z: from(this.z, first.Z),
      c: from(this.c, first.C),
      time: this.time.convert('seconds', 's'),
      depth: this.depth.convert('micrometer', lengthUnit),
    };
  }
}

/** Returns −1 for a plane without this index, which is the first one; `undefined` for a text that is not an index. */
function indexOf({ attributes }: XmlElement, name: string): number | undefined {
  const text = attributes[name];
  if (text === undefined) return -1;
  return /^\s*\d{1,9}\s*$/.test(text) ? Number(text) : undefined;
}
