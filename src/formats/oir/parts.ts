/**
 * The files of one recording: `stem.oir`, then `stem_00001`, `stem_00002`, … (five digits, with or without an
 * extension), each a complete container.
 */
import type { ByteSource } from '../../io/byte-source.js';
import { LIMITS } from '../../io/limits.js';

/** Where the other files of a set are looked for: a folder, or a zip archive. */
export interface Siblings {
  /** The folder; an archive has none. */
  readonly path?: string;
  open(name: string): ByteSource | undefined;
  list(): readonly string[];
}

const PART = /^(.+)_(\d{5})(\.oir)?$/i;
const EXTENSION = /\.oir$/i;

export interface PartName {
  stem: string;
  number: number;
}

/** What a name like `stem_00012` or `stem_00012.oir` says; `undefined` for any other name. */
export function parsePartName(name: string): PartName | undefined {
  const match = PART.exec(name);
  const number = Number(match?.[2]);
  return match && number > 0 ? { stem: match[1] as string, number } : undefined;
}

/** The main file of a continuation; `undefined` when it is not there. */
export function openMain(siblings: Siblings, part: PartName): { name: string; source: ByteSource } | undefined {
  for (const name of [`${part.stem}.oir`, `${part.stem}.OIR`]) {
    const source = siblings.open(name);
    if (source) return { name, source };
  }
  return undefined;
}

export interface FoundParts {
  /** In order of their numbers. */
  parts: { name: string; number: number; source: ByteSource }[];
  /** Parts that lie between others and are not there: a name, or the first and the last of several. */
  missing: string[];
}

/**
 * Continuations from number `first` on. Names are tried one after the other; the folder is listed only when a number
 * is not there, to tell the end of the set from a hole.
 */
export function findParts(siblings: Siblings, mainName: string, first = 1): FoundParts {
  const stem = mainName.replace(EXTENSION, '');
  const found: FoundParts = { parts: [], missing: [] };
  let next = first;
  for (; next < LIMITS.files; next++) {
    const part = openPart(siblings, stem, next);
    if (!part) break;
    found.parts.push(part);
  }
  for (const number of laterNumbers(siblings, stem, next)) {
    const part = openPart(siblings, stem, number);
    if (!part) continue;
    found.parts.push(part);
    if (number > next) found.missing.push(rangeName(stem, next, number - 1));
    next = number + 1;
  }
  return found;
}

function rangeName(stem: string, first: number, last: number): string {
  return first === last ? partName(stem, first) : `${partName(stem, first)} … ${partName(stem, last)}`;
}

function partName(stem: string, number: number): string {
  return `${stem}_${String(number).padStart(5, '0')}`;
}

function openPart(siblings: Siblings, stem: string, number: number): FoundParts['parts'][number] | undefined {
  const base = partName(stem, number);
  for (const name of [base, `${base}.oir`, `${base}.OIR`]) {
    const source = siblings.open(name);
    if (source) return { name, number, source };
  }
  return undefined;
}

function laterNumbers(siblings: Siblings, stem: string, from: number): number[] {
  const numbers: number[] = [];
  for (const name of siblings.list()) {
    const part = parsePartName(name);
    if (part && part.stem === stem && part.number >= from && part.number < LIMITS.files) numbers.push(part.number);
  }
  return [...new Set(numbers)].sort((a, b) => a - b);
}
