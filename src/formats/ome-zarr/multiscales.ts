/** `multiscales` of OME-NGFF 0.1 to 0.6: raw entries, and which axis of the array is which. */
import { decodeFailed, unsupported } from '../../errors.js';
import { type JsonObject, listOf, objectOf, textOf } from './json.js';
import { clip } from './node.js';

export interface RawAxis {
  /** Lower case. */
  name: string;
  /** `space`, `time`, `channel`, another word, or empty. */
  type: string;
  unit: string | undefined;
}

export interface RawLevel {
  path: string;
  /** From the array to the axes of the image, or to a coordinate system; as the file has them. */
  transformations: readonly unknown[];
}

/** A coordinate system of 0.6. */
export interface RawSystem {
  name: string;
  /** As the file has them. */
  axes: unknown;
}

export interface RawMultiscale {
  name: string;
  version: string;
  /** `undefined` before 0.3, when the order was fixed, and in 0.6, which has `systems`. */
  axes: RawAxis[] | undefined;
  systems: RawSystem[];
  /** Full resolution first; never empty. */
  levels: RawLevel[];
  /** Of the image: after those of a level; in 0.6 between coordinate systems. */
  transformations: readonly unknown[];
}

/** Every level halves the image: no image has more. */
const MOST_LEVELS = 64;
/** numpy had 32 for long; microscopes have five. */
const MAX_AXES = 32;
const MAX_SYSTEMS = 1_000;

/** Names of the axes before 0.3; arrays of fewer have the last ones. */
const FIXED_AXES = ['t', 'c', 'z', 'y', 'x'];
const TYPES: Readonly<Record<string, string>> = { t: 'time', c: 'channel', z: 'space', y: 'space', x: 'space' };

/** @throws AcqError `decode_failed`, `unsupported_format` */
export function parseMultiscale(label: string, value: unknown, ome: JsonObject): RawMultiscale {
  const entry = objectOf(value);
  if (!entry) throw decodeFailed(`${label}: has an entry of multiscales that is no object`);
  const datasets = listOf(entry['datasets']);
  if (datasets.length > MOST_LEVELS) throw decodeFailed(`${label}: lists ${datasets.length} levels of one image`);
  const levels = datasets.map((dataset): RawLevel => {
    const path = textOf(objectOf(dataset)?.['path']);
    if (path === undefined) throw decodeFailed(`${label}: lists a dataset of multiscales without a path`);
    return { path, transformations: listOf(objectOf(dataset)?.['coordinateTransformations']) };
  });
  if (levels.length === 0) throw decodeFailed(`${label}: its multiscales list no datasets: there is no image`);
  return {
    name: textOf(entry['name']) ?? '',
    version: textOf(entry['version']) ?? textOf(ome['version']) ?? '',
    axes: parseAxes(label, entry['axes']),
    systems: systemsOf(label, entry['coordinateSystems']),
    levels,
    transformations: listOf(entry['coordinateTransformations']),
  };
}

/** Axes for an array of `rank` dimensions. @throws AcqError `decode_failed` */
export function axesFor(label: string, axes: RawAxis[] | undefined, rank: number): RawAxis[] {
  if (axes && axes.length !== rank) {
    throw decodeFailed(`${label}: its metadata name ${axes.length} axes, the array has ${rank} dimensions`);
  }
  if (axes) return axes;
  if (rank > FIXED_AXES.length) throw decodeFailed(`${label}: has ${rank} dimensions, and does not name them`);
  return FIXED_AXES.slice(-rank).map(axisCalled);
}

function systemsOf(label: string, value: unknown): RawSystem[] {
  const systems = listOf(value).map(objectOf);
  if (systems.length > MAX_SYSTEMS) throw decodeFailed(`${label}: lists ${systems.length} coordinate systems`);
  return systems.map((system) => ({ name: textOf(system?.['name']) ?? '', axes: system?.['axes'] }));
}

/** Objects since version 0.4, names in 0.3; `undefined` without any. @throws AcqError `decode_failed` */
export function parseAxes(label: string, value: unknown): RawAxis[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (listOf(value).length > MAX_AXES) throw decodeFailed(`${label}: names ${listOf(value).length} axes`);
  const axes = listOf(value).map((axis): RawAxis => {
    if (typeof axis === 'string') return axisCalled(axis);
    const object = objectOf(axis);
    const name = textOf(object?.['name']);
    if (!object || name === undefined) throw decodeFailed(`${label}: has the axis ${clip(axis)}, which has no name`);
    const known = axisCalled(name);
    return { name: known.name, type: textOf(object['type']) ?? known.type, unit: textOf(object['unit']) || undefined };
  });
  if (axes.length === 0) throw decodeFailed(`${label}: names no axes`);
  const twice = axes.find(({ name }, i) => axes.findIndex((other) => other.name === name) !== i);
  if (twice) throw decodeFailed(`${label}: has two axes called ${clip(twice.name)}`);
  return axes;
}

function axisCalled(text: string): RawAxis {
  const name = text.toLowerCase();
  return { name, type: Object.hasOwn(TYPES, name) ? (TYPES[name] as string) : '', unit: undefined };
}

/** Which axis of the array is which of ours. */
export interface AxisRoles {
  x: number;
  /** Axis of the rows; `undefined` for a plane of one row. */
  rows: number | undefined;
  rowKind: 'Y' | 'T' | 'Z';
  t: number | undefined;
  z: number | undefined;
  c: number | undefined;
  /** Axes of no known meaning; their first entry is served. */
  others: number[];
  /** Frames of one row were put one below the other. */
  folded: boolean;
}

/**
 * Axes by name (t, c, z, y, x, in any order), then by type. Without a Y, lines follow each other in time (or in depth).
 * @throws AcqError `unsupported_format` without an axis that runs along a line
 */
export function rolesOf(label: string, axes: readonly RawAxis[], shape: readonly number[]): AxisRoles {
  const named = (name: string) => axes.findIndex((axis) => axis.name === name);
  const found = new Map<string, number>();
  for (const name of FIXED_AXES) if (named(name) >= 0) found.set(name, named(name));
  const taken = () => new Set(found.values());
  const fill = (role: string, type: string) => {
    if (found.has(role)) return;
    const free = axes.flatMap((axis, i) => (axis.type === type && !taken().has(i) ? [i] : []));
    const last = free.at(-1);
    if (last !== undefined) found.set(role, last);
  };
  fill('t', 'time');
  fill('c', 'channel');
  for (const role of ['x', 'y', 'z']) fill(role, 'space');
  // Coordinates of the array itself, of which 0.6 says no more.
  for (const role of ['x', 'y', 'z']) fill(role, 'array');
  if (!found.has('x') && found.has('y')) {
    found.set('x', found.get('y') as number);
    found.delete('y');
  }
  const x = found.get('x');
  if (x === undefined) {
    throw unsupported(`${label}: has no axis in space (${axes.map(({ name }) => name).join(', ')}), so it is no image`);
  }
  const [y, t, z, c] = ['y', 't', 'z', 'c'].map((name) => found.get(name));
  const size = (axis: number | undefined) => (axis === undefined ? 1 : (shape[axis] as number));
  const others = axes.flatMap((_, i) => (taken().has(i) ? [] : [i]));
  const byTime = size(y) === 1 && size(t) > 1;
  const byDepth = y === undefined && !byTime && size(z) > 1;
  const rowKind = byTime ? 'T' : byDepth ? 'Z' : 'Y';
  return {
    x,
    rows: byTime ? t : byDepth ? z : y,
    rowKind,
    t: byTime ? undefined : t,
    z: byDepth ? undefined : z,
    c,
    others: others.filter((axis) => (shape[axis] as number) > 1),
    folded: byTime && y !== undefined,
  };
}
