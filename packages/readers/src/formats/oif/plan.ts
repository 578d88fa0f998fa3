import { decodeFailed } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { asIncomplete } from '../../base/warning-kinds.js';
import { grouped } from '../../base/wording.js';
import type { RawMain, RawPlaneName } from './parse.js';

/** Which files make up each plane. Pure: follows from the names and the numbers of the main file. */
export interface FilePlan {
  /** Numbers of entries. */
  channels: number;
  lambdas: number;
  T: number;
  Z: number;
  /** Axis that the rows of a plane run along: `Y`, or `T` or `Z` when the scan had no Y. */
  rowAxis: string;
  warnings: readonly string[];
  /** Returns the files of a plane from its top row down; empty when the set has none. */
  files(channel: number, lambda: number, t: number, z: number): string[];
  /** Finds the plane of a file, a TIFF or its properties (`.pty`), by base name in any case. */
  planeOfFile(file: string): { t: number; z: number } | undefined;
  /** Names a plane as the vendor numbers it, for messages. */
  label(channel: number, lambda: number, t: number, z: number): string;
}

const SERVED = ['C', 'L', 'T', 'Z'] as const;
type Served = (typeof SERVED)[number];

interface Range {
  first: number;
  size: number;
}

/**
 * @param names of files, of which at least one is a plane
 * @throws AcqError `decode_failed`
 */
export function planPlanes(raw: RawMain, names: readonly RawPlaneName[]): FilePlan {
  const planes = names.filter(({ reference }) => reference === undefined);
  const rowAxis = findRowAxis(raw);
  const ranges = Object.fromEntries(SERVED.map((letter) => [letter, findRange(letter, planes)])) as Ranges;
  for (const letter of SERVED) {
    if (letter !== rowAxis) checkRange(letter, ranges[letter], raw, planes.length);
  }
  const others = findOtherLetters(planes);
  const table = new Map<string, RawPlaneName[]>();
  for (const plane of planes) {
    if ([...others].some(([letter, first]) => plane.letters.get(letter) !== first)) continue;
    const key = toKey(
      SERVED.map((letter) => (letter === rowAxis ? 0 : numberOf(plane, letter) - ranges[letter].first)),
    );
    const parts = table.get(key);
    if (parts) parts.push(plane);
    else table.set(key, [plane]);
  }
  // Several files of one plane are stretches of a long scan, in the order of the row axis.
  for (const parts of table.values()) parts.sort((a, b) => numberOf(a, rowAxis) - numberOf(b, rowAxis));
  const sizeOf = (letter: Served) => (letter === rowAxis ? 1 : ranges[letter].size);
  const shown = SERVED.filter((letter) => planes[0]?.letters.has(letter) && letter !== rowAxis);
  return {
    channels: sizeOf('C'),
    lambdas: sizeOf('L'),
    T: sizeOf('T'),
    Z: sizeOf('Z'),
    rowAxis,
    warnings: [...findUnfinished(ranges, raw, rowAxis), ...describeOthers([...others.keys()])],
    files: (c, l, t, z) => table.get(toKey([c, l, t, z]))?.map(({ file }) => file) ?? [],
    planeOfFile: (file) => planeOfFile(table, file),
    label: (...indices) => {
      const number = (letter: Served) => indices[SERVED.indexOf(letter)]! + ranges[letter].first;
      return shown.map((letter) => letter + String(number(letter)).padStart(3, '0')).join('');
    },
  };
}

type Ranges = Record<Served, Range>;

/** Without Y, the rows of each file run along the second axis of the scan (XT line scans, XZ sections). */
function findRowAxis(raw: RawMain): string {
  const [first, second] = raw.axisOrder;
  const y = raw.axes.get('Y');
  if (raw.axisOrder.includes('Y') || (y && y.maxSize > 1)) return 'Y';
  return first === 'X' && (second === 'T' || second === 'Z') ? second : 'Y';
}

/** Numbers run from the first file to the last; a gap stays a gap, so that a missing file can be named. */
function findRange(letter: Served, planes: readonly RawPlaneName[]): Range {
  const numbers = planes.map((plane) => numberOf(plane, letter));
  const last = numbers.reduce((a, b) => Math.max(a, b), 1);
  const first = numbers.reduce((a, b) => Math.min(a, b), last);
  return { first, size: last - first + 1 };
}

/** Names alone can claim any number of planes: accepts what the settings say, else 16 times the number of files. */
function checkRange(letter: Served, { first, size }: Range, raw: RawMain, planes: number): void {
  const limit = Math.min(LIMITS.planes, Math.max(raw.axes.get(letter)?.maxSize ?? 0, planes * 16));
  if (size <= limit) return;
  throw decodeFailed(
    `plane files are numbered from ${letter}${first} to ${letter}${first + size - 1}; ` +
      `the limit for this set is ${grouped(limit)} numbers`,
  );
}

function findUnfinished(ranges: Ranges, raw: RawMain, rowAxis: string): string[] {
  return SERVED.filter((letter) => letter !== rowAxis).flatMap((letter) => {
    const planned = raw.axes.get(letter)?.maxSize ?? 0;
    const { size } = ranges[letter];
    if (planned <= size) return [];
    return [
      asIncomplete(`Only ${grouped(size)} of ${grouped(planned)} planned entries along ${letter} were recorded.`),
    ];
  });
}

function describeOthers(letters: readonly string[]): string[] {
  if (letters.length === 0) return [];
  return [`The set has more dimensions (${letters.join(', ')}); only their first entry is shown.`];
}

function numberOf({ letters }: RawPlaneName, letter: string): number {
  return letters.get(letter) ?? 1;
}

/** Finds letters beyond C, L, T, Z that take more than one value (rotation, position), with the lowest value of each. */
function findOtherLetters(planes: readonly RawPlaneName[]): Map<string, number> {
  const values = new Map<string, Set<number>>();
  for (const { letters } of planes) {
    for (const [letter, number] of letters) {
      if (!(SERVED as readonly string[]).includes(letter))
        values.set(letter, (values.get(letter) ?? new Set()).add(number));
    }
  }
  const several = [...values].filter(([, numbers]) => numbers.size > 1);
  return new Map(several.map(([letter, numbers]) => [letter, [...numbers].reduce((a, b) => Math.min(a, b))]));
}

function planeOfFile(
  table: ReadonlyMap<string, readonly RawPlaneName[]>,
  file: string,
): { t: number; z: number } | undefined {
  const tiff = file.toLowerCase().replace(/\.pty$/, '.tif');
  for (const [key, parts] of table) {
    if (!parts.some((part) => part.file.toLowerCase() === tiff)) continue;
    const [, , t = 0, z = 0] = key.split(',').map(Number);
    return { t, z };
  }
  return undefined;
}

function toKey(indices: number[]): string {
  return indices.join(',');
}
