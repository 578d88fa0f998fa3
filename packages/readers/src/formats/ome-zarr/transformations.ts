/**
 * Finds the effect of coordinate transformations (OME-NGFF 0.4 to 0.6, RFC-5) on the step along each axis. Pure. A step
 * is a factor of a single axis: rotations, deformations and swapped axes cannot be expressed and are listed as problems.
 */

import { type JsonObject, listOf, numberOf, objectOf, textOf } from '../../base/json.js';
import { grouped, shorten } from '../../base/wording.js';
import { clip } from './node.js';

/** Real files nest two or three levels. */
const MAX_DEPTH = 16;
const MAX_TRANSFORMATIONS = 1_000;
const MAX_PROBLEMS = 20;
/** Sines of half turns are not exactly 0. */
const ROUNDING = 1e-12;

/** Factor by axis; `undefined` where the transformation is not a factor of this axis alone. */
export type Factors = (number | undefined)[];

export interface Effect {
  factors: Factors;
  /** What the factors cannot express: `the rotation "tilt" mixes the axes y, x`. */
  problems: string[];
}

/** Names of the axes at both ends. */
export interface Ends {
  input: readonly string[];
  output: readonly string[];
}

/** Returns the effect of transformations. @param names names of the axes, one per dimension */
export function effectOf(
  transformations: readonly unknown[],
  names: readonly string[],
  ends: Ends = { input: names, output: names },
): Effect {
  const problems = new Set<string>();
  const factors = sequence(transformations, { names, ends, problems, depth: 0 }, 'the list of transformations');
  return { factors, problems: [...problems].slice(0, MAX_PROBLEMS) };
}

export function multiplied(a: Factors, b: Factors): Factors {
  return a.map((factor, axis) => {
    const other = b[axis];
    return factor === undefined || other === undefined ? undefined : factor * other;
  });
}

export function inverted(factors: Factors): Factors {
  return factors.map((factor) => (factor === undefined || factor === 0 ? undefined : 1 / factor));
}

interface Context {
  names: readonly string[];
  ends: Ends;
  problems: Set<string>;
  depth: number;
}

type ToFactors = (transformation: JsonObject, context: Context, label: string) => Factors;

/** Supported transformations by `type`. Others cannot be expressed: displacements, coordinates, projectAxis, unknown ones. */
const KINDS: Readonly<Record<string, ToFactors>> = {
  identity: (_, { names }) => names.map(() => 1),
  // A shift leaves the distance between neighbors as it is.
  translation: (_, { names }) => names.map(() => 1),
  scale,
  affine: (transformation, context, label) => matrix(transformation, 'affine', 1, context, label),
  rotation: (transformation, context, label) => matrix(transformation, 'rotation', 0, context, label),
  sequence: (transformation, context, label) => sequence(transformation['transformations'], context, label),
  mapAxis,
  byDimension,
  bijection: ({ forward }, context) => factorsOf(forward, context),
  inverseOf: ({ transformation }, context) => inverted(factorsOf(transformation, context)),
};

function factorsOf(value: unknown, { names, ends, problems, depth }: Context): Factors {
  const transformation = objectOf(value) ?? {};
  const type = textOf(transformation['type']);
  const context = { names, ends, problems, depth: depth + 1 };
  const title = textOf(transformation['name']);
  const label = `the ${shorten(type ?? 'unnamed')} transformation${title ? ` "${shorten(title)}"` : ''}`;
  if (type === undefined) return failed(context, `${label} has no type`);
  if (depth > MAX_DEPTH) return failed(context, `${label} is nested too deeply`);
  const kind = Object.hasOwn(KINDS, type) ? KINDS[type] : undefined;
  return kind ? kind(transformation, context, label) : failed(context, `${label} cannot be expressed as steps`);
}

function failed({ names, problems }: Context, problem: string): Factors {
  problems.add(problem);
  return names.map(() => undefined);
}

function sequence(value: unknown, context: Context, label: string): Factors {
  const list = listOf(value);
  if (list.length > MAX_TRANSFORMATIONS) return failed(context, `${label} has ${grouped(list.length)} entries`);
  const ones: Factors = context.names.map(() => 1);
  return list.reduce<Factors>((factors, entry) => multiplied(factors, factorsOf(entry, context)), ones);
}

function scale(transformation: JsonObject, context: Context, label: string): Factors {
  const { names, problems } = context;
  const list = transformation['scale'];
  if (!Array.isArray(list)) return failed(context, missing(transformation, label));
  if (list.length !== names.length) {
    return failed(context, `${label} has ${grouped(list.length)} numbers for ${grouped(names.length)} axes`);
  }
  const factors = list.map(numberOf);
  const unusable = names.filter((_, axis) => factors[axis] === undefined);
  if (unusable.length > 0) problems.add(`${label} is not a number along ${unusable.join(', ')}`);
  return factors;
}

/** Reads a matrix: rows of numbers, or one list in early drafts, with `extra` columns for the shift. */
function matrix(transformation: JsonObject, member: string, extra: number, context: Context, label: string): Factors {
  const { names, problems } = context;
  const value = transformation[member];
  if (!Array.isArray(value)) return failed(context, missing(transformation, label));
  const rank = names.length;
  const width = rank + extra;
  const rows = value.some(Array.isArray)
    ? value.map(listOf)
    : names.map((_, row) => value.slice(row * width, (row + 1) * width));
  const sound = rows.length === rank && rows.every((row) => row.length === width && row.every(isNumber));
  if (!sound) return failed(context, `${label} is not a matrix of ${grouped(rank)} × ${grouped(width)} numbers`);
  const at = (row: number, column: number) => (rows[row] as number[])[column]!;
  const largest = Math.max(...rows.map((_, row) => Math.max(...names.map((_, column) => Math.abs(at(row, column))))));
  const mixes = (row: number, column: number) => row !== column && Math.abs(at(row, column)) > ROUNDING * largest;
  const mixed = names.map((_, axis) => names.some((_, other) => mixes(axis, other) || mixes(other, axis)));
  if (mixed.includes(true)) problems.add(`${label} mixes the axes ${names.filter((_, i) => mixed[i]).join(', ')}`);
  return names.map((_, axis) => (mixed[axis] ? undefined : at(axis, axis)));
}

/** Reads `mapAxis`: axis `i` of the result is axis `mapAxis[i]`. Early drafts have an object of names. */
function mapAxis(transformation: JsonObject, context: Context, label: string): Factors {
  const { names, problems } = context;
  const value = transformation['mapAxis'];
  const byName = objectOf(value);
  if (byName) {
    const same = Object.entries(byName).every(([to, from]) => to === from);
    return same ? names.map(() => 1) : failed(context, `${label} renames or swaps axes`);
  }
  const map = listOf(value);
  if (map.length !== names.length)
    return failed(context, `${label} has ${grouped(map.length)} entries for ${grouped(names.length)} axes`);
  const moved = names.filter((_, axis) => map[axis] !== axis);
  if (moved.length > 0) problems.add(`${label} swaps the axes ${moved.join(', ')}`);
  return map.map((from, axis) => (from === axis ? 1 : undefined));
}

/** Reads transformations of some axes each. Those from an axis to itself can be expressed. */
function byDimension(transformation: JsonObject, context: Context, label: string): Factors {
  const { names, ends, problems } = context;
  const parts = listOf(transformation['transformations'] ?? transformation['transforms']).map(objectOf);
  if (parts.length > MAX_TRANSFORMATIONS) return failed(context, `${label} has ${grouped(parts.length)} entries`);
  const factors: Factors = names.map(() => undefined);
  const mixed = new Set<number>();
  const covered = new Set<number>();
  for (const part of parts) {
    const from = axesIn(part, ['inputAxes', 'input_axes'], ends.input);
    const to = axesIn(part, ['outputAxes', 'output_axes'], ends.output);
    if (!from || !to) return failed(context, `${label} maps unknown axes`);
    const straight = from.length === to.length && from.every((axis, i) => axis === to[i] && !covered.has(axis));
    for (const axis of [...from, ...to]) covered.add(axis);
    if (!straight) {
      for (const axis of [...from, ...to]) mixed.add(axis);
      continue;
    }
    const inner = from.map((axis) => names[axis]!);
    const partFactors = factorsOf(part?.['transformation'] ?? part, {
      ...context,
      names: inner,
      ends: { input: inner, output: inner },
    });
    from.forEach((axis, i) => {
      factors[axis] = partFactors[i];
    });
  }
  const missed = names.filter((_, axis) => !covered.has(axis));
  if (missed.length > 0) problems.add(`${label} does not describe the axes ${missed.join(', ')}`);
  if (mixed.size > 0) problems.add(`${label} mixes the axes ${names.filter((_, axis) => mixed.has(axis)).join(', ')}`);
  return factors.map((factor, axis) => (mixed.has(axis) ? undefined : factor));
}

/** Reads axes as indices, or as names in drafts (`dim_0`); `undefined` for anything else. */
function axesIn(part: JsonObject | undefined, members: readonly string[], names: readonly string[]) {
  const value = members.map((member) => listOf(part?.[member])).find(({ length }) => length > 0) ?? [];
  if (value.length === 0 || value.length > names.length) return undefined;
  const axes = value.map((axis) => (typeof axis === 'string' ? axisNamed(axis, names) : numberOf(axis)));
  const sound = axes.every((axis) => axis !== undefined && names[axis] !== undefined);
  return sound ? (axes as number[]) : undefined;
}

function axisNamed(name: string, names: readonly string[]): number {
  const found = names.indexOf(name.toLowerCase());
  const index = /^dim_(\d{1,2})$/.exec(name)?.[1];
  return found < 0 && index !== undefined ? Number(index) : found;
}

function missing({ path }: JsonObject, label: string): string {
  if (typeof path === 'string') return `${label} has its numbers in the array ${clip(path)}, which is not supported`;
  return `${label} has no numbers`;
}

function isNumber(value: unknown): value is number {
  return numberOf(value) !== undefined;
}
