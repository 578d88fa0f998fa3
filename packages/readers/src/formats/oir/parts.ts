/**
 * The files of one recording: `stem.oir`, then `stem_00001`, `stem_00002`, … (five digits, with or without an
 * extension), each a complete container.
 */

import { LIMITS } from '../../base/limits.js';
import type { ByteSource } from '../../io/byte-source.js';
import type { Siblings } from '../../io/folder.js';
import { composed } from '../../io/name-index.js';

const PART = /^(.+)_(\d{5})(\.oir)?$/i;
const EXTENSION = /\.oir$/i;

interface PartName {
  stem: string;
  number: number;
}

/** Parses a name like `stem_00012` or `stem_00012.oir`; `undefined` for any other name. */
export function parsePartName(name: string): PartName | undefined {
  const match = PART.exec(name);
  const number = Number(match?.[2]);
  return match && number > 0 ? { stem: match[1]!, number } : undefined;
}

/** Opens the main file of a continuation; `undefined` when it is missing. */
export function openMain(siblings: Siblings, part: PartName): { name: string; source: ByteSource } | undefined {
  for (const name of [`${part.stem}.oir`, `${part.stem}.OIR`]) {
    const source = siblings.open(name);
    if (source) return { name, source };
  }
  return undefined;
}

interface FoundParts {
  /** In order of their numbers. */
  parts: { name: string; number: number; source: ByteSource }[];
  /** Names of missing parts between others: a name, or the first and the last of several. */
  missing: string[];
}

/**
 * Opens the continuations from number `first` on, trying one name after the other. Lists the folder only when a number
 * is missing, to distinguish the end of the set from a gap.
 */
export function findParts(siblings: Siblings, mainName: string, first = 1): FoundParts {
  const stem = mainName.replace(EXTENSION, '');
  const result: FoundParts = { parts: [], missing: [] };
  let next = first;
  for (; next < LIMITS.files; next++) {
    const part = openPart(siblings, stem, next);
    if (!part) break;
    result.parts.push(part);
  }
  for (const number of laterNumbers(siblings, stem, next)) {
    const part = openPart(siblings, stem, number);
    if (!part) continue;
    result.parts.push(part);
    if (number > next) result.missing.push(rangeName(stem, next, number - 1));
    next = number + 1;
  }
  return result;
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

/** Returns the numbers of parts from `from` on, ascending, by the listing of the folder. */
function laterNumbers(siblings: Siblings, stem: string, from: number): number[] {
  const numbers: number[] = [];
  for (const name of siblings.list()) {
    const part = parsePartName(name);
    if (part && composed(part.stem) === composed(stem) && part.number >= from && part.number < LIMITS.files)
      numbers.push(part.number);
  }
  return [...new Set(numbers)].sort((a, b) => a - b);
}
