import { decodeFailed } from '../../errors.js';
import { LIMITS } from '../../io/limits.js';
import type { RawMain, RawPlaneName } from './parse.js';

/** Which files make up each plane. Pure: nothing but names and the main file's numbers. */
export interface PlanePlan {
  /** Numbers of entries. */
  channels: number;
  lambdas: number;
  T: number;
  Z: number;
  /** Axis that the rows of a plane run along: `Y`, or `T` or `Z` when the scan had no Y. */
  rowAxis: string;
  warnings: string[];
  /** Files of a plane from its top row down; empty when the set has none. */
  files(channel: number, lambda: number, t: number, z: number): string[];
  /** The plane that a file belongs to: one of its TIFF or its properties (`.pty`), by base name in any case. */
  planeOfFile(file: string): { t: number; z: number } | undefined;
  /** A name for the plane as the vendor numbers it, for messages. */
  label(channel: number, lambda: number, t: number, z: number): string;
}

const SERVED = ['C', 'L', 'T', 'Z'] as const;
type Served = (typeof SERVED)[number];

/** @param names of files, of which at least one is a plane */
export function planPlanes(name: string, main: RawMain, names: readonly RawPlaneName[]): PlanePlan {
  const planes = names.filter(({ reference }) => reference === undefined);
  const rowAxis = rowAxisOf(main);
  const warnings: string[] = [];
  const ranges = new Map<Served, Range>();
  for (const letter of SERVED) ranges.set(letter, rangeOf(name, letter, main, planes, rowAxis, warnings));
  const others = otherLetters(planes);
  if (others.length > 0) {
    warnings.push(`The set has further dimensions (${others.join(', ')}); only their first entry is served.`);
  }
  const table = new Map<string, string[]>();
  for (const plane of planes) {
    if (others.some((letter) => plane.letters.get(letter) !== firstOf(planes, letter))) continue;
    const key = keyOf(SERVED.map((letter) => (letter === rowAxis ? 0 : indexIn(ranges, letter, plane))));
    const files = table.get(key) ?? [];
    files.push(plane.file);
    table.set(key, files);
  }
  // Several files of one plane are stretches of a long scan: in the order of the row axis.
  for (const files of table.values())
    files.sort((a, b) => rowNumber(planes, a, rowAxis) - rowNumber(planes, b, rowAxis));
  const size = (letter: Served) => (letter === rowAxis ? 1 : (ranges.get(letter) as Range).size);
  const label = (indices: number[]) =>
    SERVED.filter((letter) => planes[0]?.letters.has(letter) && letter !== rowAxis)
      .map(
        (letter) =>
          letter +
          String((indices[SERVED.indexOf(letter)] as number) + (ranges.get(letter) as Range).first).padStart(3, '0'),
      )
      .join('');
  return {
    channels: size('C'),
    lambdas: size('L'),
    T: size('T'),
    Z: size('Z'),
    rowAxis,
    warnings,
    files: (c, l, t, z) => table.get(keyOf([c, l, t, z])) ?? [],
    planeOfFile: (file) => planeOfFile(table, file),
    label: (c, l, t, z) => label([c, l, t, z]),
  };
}

/** Without Y, the second axis of the scan is what the rows of each file run along (XT line scans, XZ sections). */
function rowAxisOf(main: RawMain): string {
  const [first, second] = main.axisOrder;
  const y = main.axes.get('Y');
  if (main.axisOrder.includes('Y') || (y && y.maxSize > 1)) return 'Y';
  return first === 'X' && (second === 'T' || second === 'Z') ? second : 'Y';
}

interface Range {
  first: number;
  size: number;
}

/** Numbers of a letter run from the first to the last file; a gap stays a gap, so that what is missing can be named. */
function rangeOf(
  name: string,
  letter: Served,
  main: RawMain,
  planes: RawPlaneName[],
  rowAxis: string,
  warnings: string[],
): Range {
  const numbers = planes.map((plane) => plane.letters.get(letter) ?? 1);
  const last = numbers.reduce((a, b) => Math.max(a, b), 1);
  const first = numbers.reduce((a, b) => Math.min(a, b), last);
  const size = last - first + 1;
  if (letter === rowAxis) return { first, size };
  const planned = main.axes.get(letter)?.maxSize ?? 0;
  if (size > LIMITS.planes || size > Math.max(planned, planes.length * 16)) {
    throw decodeFailed(`${name}: plane files are numbered from ${letter}${first} to ${letter}${last}, which cannot be`);
  }
  if (planned > size) warnings.push(`${size} of ${planned} planned entries along ${letter} were recorded.`);
  return { first, size };
}

function indexIn(ranges: ReadonlyMap<Served, Range>, letter: Served, plane: RawPlaneName): number {
  return (plane.letters.get(letter) ?? 1) - (ranges.get(letter) as Range).first;
}

function rowNumber(planes: readonly RawPlaneName[], file: string, rowAxis: string): number {
  return planes.find((plane) => plane.file === file)?.letters.get(rowAxis) ?? 1;
}

/** Letters beyond C, L, T, Z that take more than one value (rotation, position). */
function otherLetters(planes: readonly RawPlaneName[]): string[] {
  const values = new Map<string, Set<number>>();
  for (const { letters } of planes) {
    for (const [letter, number] of letters) {
      if (!SERVED.includes(letter as Served)) values.set(letter, (values.get(letter) ?? new Set()).add(number));
    }
  }
  return [...values].filter(([, set]) => set.size > 1).map(([letter]) => letter);
}

function firstOf(planes: readonly RawPlaneName[], letter: string): number {
  return planes.reduce((low, plane) => Math.min(low, plane.letters.get(letter) ?? low), Number.POSITIVE_INFINITY);
}

function planeOfFile(table: ReadonlyMap<string, string[]>, file: string): { t: number; z: number } | undefined {
  const wanted = file.toLowerCase().replace(/\.pty$/, '.tif');
  for (const [key, files] of table) {
    if (!files.some((name) => name.toLowerCase() === wanted)) continue;
    const [, , t = 0, z = 0] = key.split(',').map(Number);
    return { t, z };
  }
  return undefined;
}

function keyOf(indices: number[]): string {
  return indices.join(',');
}
