/**
 * Names that files of one recording may have. They only propose: whether the files belong together is shown by what is in
 * them.
 */
import { nameKey } from '../io/name-index.js';
import type { PartAxis } from '../model/recording.js';
import { NameGroups } from './name-groups.js';

/** Letters in front of a number, and the axis that it counts. */
const LABELS: ReadonlyMap<string, PartAxis> = new Map([
  ...labels('T', ['t', 'tl', 'tp', 'time', 'timepoint', 'frame']),
  ...labels('Z', ['z', 'zs', 'sec', 'section', 'slice', 'fp', 'focal', 'focalplane', 'plane']),
  ...labels('C', ['c', 'ch', 'channel', 'w', 'wavelength']),
  ...labels('S', ['s', 'sp', 'series', 'scene', 'pos', 'position']),
]);

function labels(axis: PartAxis, texts: readonly string[]): [string, PartAxis][] {
  return texts.map((text) => [text, axis]);
}

/** Axes from the slowest to the fastest. */
export const PART_AXES: readonly PartAxis[] = ['S', 'T', 'Z', 'C'];

/** Images of a recording that are none of its planes. */
const DERIVED =
  /(^|[^a-z])(preview|overview|reference|source|max|min|avg|average|sum|std|med|median|projection|thumb|thumbs|thumbnail)([^a-z]|$)/i;
/** `name (1)`, `name - Copy (2)`: another copy of the same file. */
const COPY = /\(\d+\)$|([ _-])copy([ _-]?\d+)?$/i;
const EXTENSION = /(\.ome)?\.[^.]*$/i;
const LABEL = /(?:^|[^a-z])([a-z]{1,12})[ _.-]?$/i;
/** Stands for a number in a pattern; no name has it. */
const NUMBER = '\0';

interface SplitName {
  /** Texts around the numbers: one more than numbers. */
  texts: string[];
  digits: string[];
  extension: string;
}

/** Returns the texts and numbers of a name; nothing for a name without a number, of a copy, or of a derived image. */
function splitName(name: string): SplitName | undefined {
  const [extension = ''] = EXTENSION.exec(name) ?? [];
  const stem = name.slice(0, name.length - extension.length);
  if (!/\d/.test(stem) || COPY.test(stem) || DERIVED.test(stem)) return undefined;
  return { texts: stem.split(/\d+/), digits: stem.match(/\d+/g)!, extension };
}

/** A name with one number that counts. */
export interface CountedName {
  name: string;
  /** As written, with its zeros. */
  digits: string;
  number: bigint;
}

/** True for a name with a number by which names of other parts may differ. */
export function hasNumber(name: string): boolean {
  return splitName(name) !== undefined;
}

/** True for a name with a number behind a letter that says what it counts. */
export function hasLabel(name: string): boolean {
  return parseLabels(name) !== undefined;
}

const countedGroups = new NameGroups(lastNumber, (same) =>
  same.sort((a, b) => compare(a.number, b.number) || (a.name < b.name ? -1 : 1)),
);

/** Returns the names that differ from a name only in its last number, itself included, in the order of the numbers. */
export function countedNames(name: string, names: readonly string[]): readonly CountedName[] {
  return countedGroups.find(name, names) ?? [];
}

/** Returns a name with another last number, as wide as the one that it has. */
export function withLastNumber({ name, digits }: CountedName, number: bigint): string {
  const at = name.slice(0, name.length - (EXTENSION.exec(name)?.[0].length ?? 0)).lastIndexOf(digits);
  return name.slice(0, at) + String(number).padStart(digits.length, '0') + name.slice(at + digits.length);
}

function lastNumber(name: string): (CountedName & { pattern: string }) | undefined {
  const split = splitName(name);
  if (!split) return undefined;
  const { texts, digits, extension } = split;
  const last = digits.at(-1)!;
  const pattern = nameKey(weave(texts, [...digits.slice(0, -1), NUMBER]) + extension);
  return { name, pattern, digits: last, number: BigInt(last) };
}

/** A file at its place among others, by the labeled numbers in its name. */
export interface LabeledName {
  name: string;
  /** Number along each axis that the name has. */
  at: Partial<Record<PartAxis, bigint>>;
}

/** Files whose names differ in labeled numbers only. */
export interface LabeledNames {
  /** Axes along which there is more than one number, slowest first. */
  along: PartAxis[];
  /** Numbers along these axes, ascending. */
  numbers: Partial<Record<PartAxis, bigint[]>>;
  /** Label and number of each of them as written, such as `ch00`. */
  texts: Partial<Record<PartAxis, string[]>>;
  files: LabeledName[];
  /** Two files of one place, if there are any. */
  doubled?: [string, string];
  /** A name that is missing, if any is. */
  missing?: string;
}

interface LabelBlock {
  axis: PartAxis;
  label: string;
  digits: string;
  number: bigint;
}

interface ParsedLabels {
  name: string;
  pattern: string;
  split: SplitName;
  /** One entry for each number: nothing for one without a label. */
  blocks: (LabelBlock | undefined)[];
}

const labeledGroups = new NameGroups(parseLabels, toLabeledNames);

/** Returns the files whose names differ from a name in labeled numbers only, itself included; nothing for a single one. */
export function labeledNames(name: string, names: readonly string[]): LabeledNames | undefined {
  return labeledGroups.find(name, names);
}

function toLabeledNames(same: readonly ParsedLabels[]): LabeledNames | undefined {
  const files = same.map(({ name: file, blocks }) => ({ name: file, at: placeOf(blocks) }));
  const along = PART_AXES.filter((axis) => new Set(files.map(({ at }) => at[axis])).size > 1);
  if (along.length === 0) return undefined;
  const numbers: LabeledNames['numbers'] = {};
  const texts: LabeledNames['texts'] = {};
  for (const axis of along) {
    const written = writtenNumbers(axis, same);
    numbers[axis] = [...written.keys()].sort(compare);
    texts[axis] = numbers[axis].map((number) => `${written.get(number)!.label}${written.get(number)!.digits}`);
  }
  const found: LabeledNames = { along, numbers, texts, files };
  return { ...found, ...findDoubled(found), ...findMissing(found, same) };
}

function parseLabels(name: string): ParsedLabels | undefined {
  const split = splitName(name);
  if (!split) return undefined;
  const { texts, digits, extension } = split;
  const blocks = digits.map((number, i) => toBlock(texts[i]!, number));
  const axes = blocks.flatMap((block) => (block ? [block.axis] : []));
  if (axes.length === 0 || new Set(axes).size < axes.length) return undefined;
  const numbers = blocks.map((block, i) => (block ? NUMBER : digits[i]!));
  return { name, split, blocks, pattern: nameKey(weave(texts, numbers) + extension) };
}

function toBlock(text: string, digits: string): LabelBlock | undefined {
  const label = LABEL.exec(text)?.[1];
  const axis = label === undefined ? undefined : LABELS.get(label.toLowerCase());
  return axis && { axis, label: label!, digits, number: BigInt(digits) };
}

function placeOf(blocks: readonly (LabelBlock | undefined)[]): LabeledName['at'] {
  return Object.fromEntries(blocks.flatMap((block) => (block ? [[block.axis, block.number]] : [])));
}

/** Returns the numbers along an axis, as they are written. */
function writtenNumbers(axis: PartAxis, names: readonly ParsedLabels[]): Map<bigint, LabelBlock> {
  const blocks = names.flatMap(({ blocks: all }) => all.filter((block) => block?.axis === axis));
  return new Map(blocks.map((block) => [block!.number, block!]));
}

/** Names a place along the axes that vary. */
export function placeKey(along: readonly PartAxis[], at: LabeledName['at']): string {
  return along.map((axis) => at[axis]).join(' ');
}

function findDoubled({ along, files }: LabeledNames): Pick<LabeledNames, 'doubled'> {
  const seen = new Map<string, string>();
  for (const { name, at } of files) {
    const key = placeKey(along, at);
    const other = seen.get(key);
    if (other !== undefined) return { doubled: [other, name] };
    seen.set(key, name);
  }
  return {};
}

/** Finds a place without a file: all numbers of all axes must occur together, and those of T and Z follow each other. */
function findMissing(names: LabeledNames, parsed: readonly ParsedLabels[]): Pick<LabeledNames, 'missing'> {
  const { along, numbers, files } = names;
  for (const axis of along) {
    const gap = axis === 'T' || axis === 'Z' ? gapIn(numbers[axis]!, axis) : undefined;
    if (gap !== undefined) return { missing: nameAt(parsed[0]!, { ...files[0]!.at, [axis]: gap }, parsed) };
  }
  const places = along.reduce((product, axis) => product * numbers[axis]!.length, 1);
  if (places <= files.length) return {};
  const known = new Set(files.map(({ at }) => placeKey(along, at)));
  for (const at of eachPlace(along, numbers)) {
    if (!known.has(placeKey(along, at))) return { missing: nameAt(parsed[0]!, at, parsed) };
  }
  return {};
}

/** Returns the first number that is missing. Numbers of sections may go by more than one: positions in micrometers do. */
function gapIn(numbers: readonly bigint[], axis: 'T' | 'Z'): bigint | undefined {
  const steps = numbers.slice(1).map((number, i) => number - numbers[i]!);
  const smallest = steps.reduce((least, step) => (step < least ? step : least), steps[0] ?? 1n);
  const step = axis === 'Z' && numbers.length > 2 ? smallest : 1n;
  const gap = steps.findIndex((one) => one !== step);
  return gap < 0 ? undefined : numbers[gap]! + step;
}

/** Yields the places of a grid, the last axis fastest. */
export function* eachPlace(
  [axis, ...others]: readonly PartAxis[],
  numbers: LabeledNames['numbers'],
): Generator<LabeledName['at']> {
  if (axis === undefined) yield {};
  else
    for (const number of numbers[axis]!)
      for (const rest of eachPlace(others, numbers)) yield { [axis]: number, ...rest };
}

function nameAt({ split, blocks }: ParsedLabels, at: LabeledName['at'], parsed: readonly ParsedLabels[]): string {
  const digits = blocks.map((block, i) => {
    const number = block && at[block.axis];
    if (number === undefined || number === block!.number) return split.digits[i]!;
    const written = writtenNumbers(block!.axis, parsed).get(number);
    return written?.digits ?? String(number).padStart(split.digits[i]!.length, '0');
  });
  return weave(split.texts, digits) + split.extension;
}

function weave(texts: readonly string[], numbers: readonly string[]): string {
  return texts.map((text, i) => text + (numbers[i] ?? '')).join('');
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : Number(a > b);
}
