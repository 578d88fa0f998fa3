/** The files that ScanImage split a recording into. Their pages follow each other as if they were in one file. */
import { AcqError } from '../../../base/errors.js';
import { LIMITS } from '../../../base/limits.js';
import { quoteError } from '../../../base/subject.js';
import { aboutPart, asCorrupted } from '../../../base/warning-kinds.js';
import { grouped, subjectFirst } from '../../../base/wording.js';
import type { TiffFile, TiffPage } from '../../../tiff/types.js';
import { withoutUnwritten } from '../../../tiff/unwritten.js';
import type { FlavorContext } from '../arrangement.js';
import { readFrameText } from './scanimage-frame-text.js';
import type { Frames } from './scanimage-frames.js';
import { findPages, type PageRun } from './scanimage-pages.js';

/** Pages that are looked at for another frame number. ScanImage has at most 64 channels. */
const MAX_CHANNELS = 64;

export interface AllPages extends PageRun {
  notes: string[];
  /** Names of the files, when there are several. */
  names?: readonly string[];
  /** Index of the first page of the file that was named, when it is not the first one. */
  namedAt?: number;
}

/** Finds the pages of a file, or of all files of its recording when these are to be opened together. */
export function findAllPages({ input, file, page, siblings }: FlavorContext): AllPages {
  const first = findPages(file, page);
  const notes = first.note === undefined ? [] : [first.note];
  const [own, ...others] = input.parts ?? [];
  if (own === undefined) return { ...first, notes };
  const joined = new JoinedPages(own, first, notes);
  joined.noteBegin();
  for (const name of others) {
    input.signal?.throwIfAborted();
    try {
      const other = siblings.open(name);
      if (other) joined.add(name, other);
      else notes.push(asCorrupted(subjectFirst(name, 'is missing, so it was skipped.')));
    } catch (error) {
      if (!(error instanceof AcqError)) throw error;
      notes.push(quoteError('The file was skipped', error));
    }
  }
  return joined.result(input.part);
}

/** A file among others. */
interface JoinedFile {
  name: string;
  run: PageRun;
  /** Index of its first page. */
  start: number;
}

class JoinedPages {
  private readonly files: JoinedFile[];
  private readonly notes: string[];
  private count: number;

  constructor(name: string, run: PageRun, notes: string[]) {
    this.files = [{ name, run, start: 0 }];
    this.notes = notes;
    this.count = run.count;
  }

  private get last(): JoinedFile {
    return this.files.at(-1)!;
  }

  /** Says when files before the first one are missing. */
  noteBegin(): void {
    const { run, name } = this.last;
    const first = numberAt(run, 0);
    if (first === undefined || first <= stepOf(run)) return;
    const what = `the first file that is there begins with frame ${grouped(first)}; those before it are missing.`;
    this.notes.push(asCorrupted(subjectFirst(name, what)));
  }

  /** Adds a file, unless it has frames that an earlier one has. */
  add(name: string, opened: TiffFile): void {
    const { file, warning } = withoutUnwritten(opened);
    const run = findPages(file, file.page(0));
    if (this.count + run.count > LIMITS.tiffPages) {
      this.notes.push(subjectFirst(name, 'was skipped: the recording has too many pages with it.'));
      return;
    }
    if (warning !== undefined) this.notes.push(warning);
    const { last } = this;
    const [before, first] = [numberAt(last.run, last.run.count - 1), numberAt(run, 0)];
    if (before !== undefined && first !== undefined) {
      if (first < before || (first === before && !isCut(last.run, run))) {
        const what = `begins with frame ${grouped(first)}, which is in ${last.name}, too, so it was skipped.`;
        this.notes.push(subjectFirst(name, what));
        return;
      }
      this.noteGap(name, before, first);
    }
    if (run.note !== undefined) this.notes.push(aboutPart(name, run.note));
    this.files.push({ name, run, start: this.count });
    this.count += run.count;
  }

  private noteGap(name: string, before: number, first: number): void {
    const step = stepOf(this.last.run);
    if (first <= before + step) return;
    const [from, to] = [before + step, first - step];
    const which = from === to ? `frame ${grouped(from)} is` : `frames ${grouped(from)} to ${grouped(to)} are`;
    this.notes.push(asCorrupted(`Between ${this.last.name} and ${name}, ${which} missing.`));
  }

  result(named: string | undefined): AllPages {
    const { files, notes, count } = this;
    const of = <T>(index: number, get: (run: PageRun, inside: number) => T): T => {
      const { run, start } = files[findFile(files, index)]!;
      return get(run, index - start);
    };
    const namedAt = files.find(({ name }) => name === named)?.start;
    return {
      count,
      notes,
      names: files.map(({ name }) => name),
      ...(namedAt === undefined ? {} : { namedAt }),
      locate: (index) => of(index, (run, inside) => run.locate(inside)),
      page: (index) => of<TiffPage>(index, (run, inside) => run.page(inside)),
      fileOf: (index) => of(index, (run, inside) => run.fileOf(inside)),
    };
  }
}

/** Returns the last file that begins at or before a page. */
function findFile(files: readonly JoinedFile[], index: number): number {
  let [low, high] = [0, files.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (files[middle]!.start <= index) low = middle;
    else high = middle - 1;
  }
  return low;
}

function numberAt(run: PageRun, index: number): number | undefined {
  const { number, numberInAcquisition } = readFrameText(run.fileOf(index).source, run.page(index));
  return numberInAcquisition || number;
}

/** Returns by how much the numbers grow from a frame to the next: by more than 1 when they were counted before averaging. */
function stepOf(run: PageRun): number {
  const first = numberAt(run, 0) ?? 0;
  for (let index = 1; index <= Math.min(run.count - 1, MAX_CHANNELS); index++) {
    const number = numberAt(run, index) ?? first;
    if (number > first) return number - first;
  }
  return 1;
}

/** True when the border of two files cuts a frame between its channels: they share its pages. */
function isCut(before: PageRun, after: PageRun): boolean {
  const pages = countEqual(before, 0, 1);
  return pages > 1 && countEqual(before, before.count - 1, -1) + countEqual(after, 0, 1) <= pages;
}

/** Counts pages with one frame number. */
function countEqual(run: PageRun, from: number, direction: 1 | -1): number {
  const number = numberAt(run, from);
  let count = 1;
  for (let at = from + direction; count <= MAX_CHANNELS && at >= 0 && at < run.count; at += direction, count++) {
    if (numberAt(run, at) !== number) break;
  }
  return count;
}

/** Returns the first plane at or behind a page; nothing without a page. */
export function firstPlaneOf(
  page: number | undefined,
  { T, index }: Pick<Frames, 'T' | 'index'>,
  channels: number,
): { t: number; z: number } | undefined {
  if (page === undefined) return undefined;
  const frame = Math.ceil(page / channels);
  let [low, high] = [0, T - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((index(middle, 0) ?? Number.POSITIVE_INFINITY) < frame) low = middle + 1;
    else high = middle;
  }
  return { t: low, z: 0 };
}
