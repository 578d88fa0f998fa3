/** Parses `multiscales` of OME-NGFF 0.1 to 0.6, and finds the role of each axis. */
import { decodeFailed, unsupported } from '../../base/errors.js';
import { type JsonObject, listOf, objectOf, textOf } from '../../base/json.js';
import { grouped } from '../../base/wording.js';
import { clip } from './node.js';

export interface RawZarrAxis {
  /** Lower case. */
  name: string;
  /** `space`, `time`, `channel`, another word, or empty. */
  type: string;
  unit: string | undefined;
}

export interface RawLevel {
  path: string;
  /** Transformations from the array to the axes of the image, or to a coordinate system; unparsed. */
  transformations: readonly unknown[];
}

/** A coordinate system of 0.6. */
export interface RawSystem {
  name: string;
  /** Unparsed. */
  axes: unknown;
}

export interface RawMultiscale {
  name: string;
  version: string;
  /** `undefined` before 0.3, when the order was fixed, and in 0.6, which has `systems`. */
  axes: RawZarrAxis[] | undefined;
  systems: RawSystem[];
  /** Full resolution first; never empty. */
  levels: RawLevel[];
  /** Transformations of the image: applied after those of a level; in 0.6 between coordinate systems. */
  transformations: readonly unknown[];
}

/** Every level halves the image. */
const MAX_LEVELS = 64;
/** Microscopes have five; numpy long allowed 32. */
const MAX_AXES = 32;
const MAX_SYSTEMS = 1_000;

/** Names of the axes before 0.3; arrays with fewer axes have the last ones. */
const FIXED_AXES = ['t', 'c', 'z', 'y', 'x'];
const TYPES: Readonly<Record<string, string>> = { t: 'time', c: 'channel', z: 'space', y: 'space', x: 'space' };

/** Parses one entry of `multiscales`. @throws AcqError `decode_failed`, `unsupported_format` */
export function parseMultiscale(value: unknown, ome: JsonObject): RawMultiscale {
  const entry = objectOf(value);
  if (!entry) throw decodeFailed('an entry of "multiscales" is not an object');
  const datasets = listOf(entry['datasets']);
  if (datasets.length > MAX_LEVELS) {
    throw decodeFailed(`lists ${grouped(datasets.length)} levels of one image; the limit is ${grouped(MAX_LEVELS)}`);
  }
  const levels = datasets.map((dataset): RawLevel => {
    const path = textOf(objectOf(dataset)?.['path']);
    if (path === undefined) throw decodeFailed('lists a dataset of "multiscales" without a path');
    return { path, transformations: listOf(objectOf(dataset)?.['coordinateTransformations']) };
  });
  if (levels.length === 0) throw decodeFailed('an entry of "multiscales" lists no datasets');
  return {
    name: textOf(entry['name']) ?? '',
    version: textOf(entry['version']) ?? textOf(ome['version']) ?? '',
    axes: parseAxes(entry['axes']),
    systems: parseSystems(entry['coordinateSystems']),
    levels,
    transformations: listOf(entry['coordinateTransformations']),
  };
}

/** Returns the axes of an array of `rank` dimensions. @throws AcqError `decode_failed` */
export function axesFor(axes: RawZarrAxis[] | undefined, rank: number): RawZarrAxis[] {
  if (axes && axes.length !== rank) {
    throw decodeFailed(`the metadata list ${grouped(axes.length)} axes, but the array has ${grouped(rank)} dimensions`);
  }
  if (axes) return axes;
  if (rank > FIXED_AXES.length) throw decodeFailed(`the array has ${grouped(rank)} dimensions without names`);
  return FIXED_AXES.slice(-rank).map(axisCalled);
}

function parseSystems(value: unknown): RawSystem[] {
  const systems = listOf(value).map(objectOf);
  if (systems.length > MAX_SYSTEMS) {
    throw decodeFailed(`lists ${grouped(systems.length)} coordinate systems; the limit is ${grouped(MAX_SYSTEMS)}`);
  }
  return systems.map((system) => ({ name: textOf(system?.['name']) ?? '', axes: system?.['axes'] }));
}

/** Parses axes: objects since version 0.4, names in 0.3; `undefined` without any. @throws AcqError `decode_failed` */
export function parseAxes(value: unknown): RawZarrAxis[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (listOf(value).length > MAX_AXES) {
    throw decodeFailed(`lists ${grouped(listOf(value).length)} axes; the limit is ${grouped(MAX_AXES)}`);
  }
  const axes = listOf(value).map((axis): RawZarrAxis => {
    if (typeof axis === 'string') return axisCalled(axis);
    const object = objectOf(axis);
    const name = textOf(object?.['name']);
    if (!object || name === undefined) throw decodeFailed(`the axis ${clip(axis)} has no name`);
    const known = axisCalled(name);
    return { name: known.name, type: textOf(object['type']) ?? known.type, unit: textOf(object['unit']) || undefined };
  });
  if (axes.length === 0) throw decodeFailed('the list of axes is empty');
  const twice = axes.find(({ name }, i) => axes.findIndex((other) => other.name === name) !== i);
  if (twice) throw decodeFailed(`has two axes called ${clip(twice.name)}`);
  return axes;
}

function axisCalled(text: string): RawZarrAxis {
  const name = text.toLowerCase();
  return { name, type: Object.hasOwn(TYPES, name) ? TYPES[name]! : '', unit: undefined };
}

/** The axis of the array for each dimension of a scene. */
export interface AxisRoles {
  x: number;
  /** Axis of the rows; `undefined` for a plane of one row. */
  rows: number | undefined;
  rowKind: 'Y' | 'T' | 'Z';
  t: number | undefined;
  z: number | undefined;
  c: number | undefined;
  /** Axes with an unknown meaning; only their first entry is served. */
  others: number[];
  /** True when frames of one row are shown as the rows of one plane. */
  folded: boolean;
}

/**
 * Assigns axes by name (t, c, z, y, x, in any order), then by type. Without a Y, the rows follow each other in time or depth.
 * @throws AcqError `unsupported_format` without an axis in space
 */
export function findRoles(axes: readonly RawZarrAxis[], shape: readonly number[]): AxisRoles {
  const named = (name: string) => axes.findIndex((axis) => axis.name === name);
  const roles = new Map<string, number>();
  for (const name of FIXED_AXES) if (named(name) >= 0) roles.set(name, named(name));
  const taken = () => new Set(roles.values());
  const fill = (role: string, type: string) => {
    if (roles.has(role)) return;
    const free = axes.flatMap((axis, i) => (axis.type === type && !taken().has(i) ? [i] : []));
    const last = free.at(-1);
    if (last !== undefined) roles.set(role, last);
  };
  fill('t', 'time');
  fill('c', 'channel');
  for (const role of ['x', 'y', 'z']) fill(role, 'space');
  // In 0.6, axes of the array itself have this type.
  for (const role of ['x', 'y', 'z']) fill(role, 'array');
  if (!roles.has('x') && roles.has('y')) {
    roles.set('x', roles.get('y')!);
    roles.delete('y');
  }
  const x = roles.get('x');
  if (x === undefined) {
    throw unsupported(`is not an image: none of the axes is in space (${axes.map(({ name }) => name).join(', ')})`);
  }
  const [y, t, z, c] = ['y', 't', 'z', 'c'].map((name) => roles.get(name));
  const size = (axis: number | undefined) => (axis === undefined ? 1 : shape[axis]!);
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
    others: others.filter((axis) => shape[axis]! > 1),
    folded: byTime && y !== undefined,
  };
}
